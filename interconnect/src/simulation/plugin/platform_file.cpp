// Platforms of SimGrid as tables of links and routes. SimGrid itself reads the file, and knows the routes of every kind
// of zone that has any.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "child/child.h"
#include "executors.h"
#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "platform_text.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::size_t kMostHosts = 1024;  // a route for each pair: 10^6 lines

void require_few_hosts(const std::string& file, double hosts) {
  if (hosts <= static_cast<double>(kMostHosts)) return;
  throw Error(fmt::format("{}: {:.0f} hosts are refused: at most {} can be read", file, hosts, kMostHosts));
}

/// What changes during a run in SimGrid, by files or traces.
std::vector<std::string> notes_on(std::string_view text) {
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  };
  std::vector<std::string> notes;
  if (has({"speed_file=", "bandwidth_file=", "latency_file=", "state_file=", "<trace_connect"})) {
    notes.emplace_back("speeds, bandwidths and latencies are those of time 0; later changes (profiles) are left out");
  }
  return notes;
}

/// Now, with the share that a profile gives.
double speed_of(const s4u::Host& host) { return host.get_speed() * host.get_available_speed(); }

std::string checked(const std::string& file, const std::string& name) {
  if (name.find_first_of(", \t\"#\n") == std::string::npos) return name;
  throw Error(fmt::format("{}: name '{}' is refused: it has a blank, comma, quote or #", file, name));
}

/// The links that routes take, as a table of shared links.
///
/// A link of SimGrid's policy FATPIPE carries each message at its full rate. On routes that have a shared link of no
/// higher rate it limits nothing, and becomes a link whose bandwidth no message notices. On any other route it becomes
/// a link of this pair of hosts only: no message gets more than the link's rate, but messages of the pair that travel
/// at the same time share it, and in SimGrid they do not.
class LinkLines {
 public:
  explicit LinkLines(const std::string& file) : file_(file) {}

  /// Names of the links of a route, with blanks between them.
  std::string add_route(std::size_t from, std::size_t to, const std::vector<s4u::Link*>& passed) {
    double narrowest = std::numeric_limits<double>::infinity();  // of those that are shared
    for (const s4u::Link* link : passed) {
      if (!is_fat(*link)) narrowest = std::min(narrowest, link->get_bandwidth());
    }
    std::vector<std::string> names;
    for (const s4u::Link* link : passed) {
      std::string name = checked(file_, link->get_cname());
      if (!link->is_on() || link->get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) {
        throw Error(fmt::format(
            "{}: link {} is refused: {}", file_, name,
            link->is_on() ? "what a WIFI link carries depends on its stations" : "it does not run at time 0"));
      }
      // SimGrid takes negative numbers, infinity and no numbers, too.
      if (const double rate = link->get_bandwidth(); !(rate > 0) || !std::isfinite(rate)) {
        throw Error(
            fmt::format("{}: link {} is refused: its bandwidth is {} bytes/s: it must be more than 0 and finite", file_,
                        name, rate));
      }
      if (const double delay = link->get_latency(); !(delay >= 0) || !std::isfinite(delay)) {
        throw Error(fmt::format("{}: link {} is refused: its latency is {} s: it must be at least 0 and finite", file_,
                                name, delay));
      }
      if (is_fat(*link)) fat_.insert(link);
      if (is_fat(*link) && link->get_bandwidth() < narrowest) {
        name += fmt::format(":{}-{}", from, to);
        add(name, *link, link->get_bandwidth());
        ++of_pairs_;
      } else {
        // Where links serve one message at a time, they must not wait here for each other.
        constexpr double kUnnoticed = 1e9;
        add(name, *link, link->get_bandwidth() * (is_fat(*link) ? kUnnoticed : 1));
      }
      names.push_back(std::move(name));
    }
    return fmt::format("{}", fmt::join(names, " "));
  }

  [[nodiscard]] std::string table() const {
    std::string text = "name,bandwidth,latency\n";
    for (const auto& [name, cable] : cables_) {
      text += fmt::format("{},{:.17g},{:.17g}\n", name, cable.bytes_per_second / kGiga, cable.latency_seconds / kMicro);
    }
    return text;
  }
  [[nodiscard]] std::size_t fat_pipes() const { return fat_.size(); }
  [[nodiscard]] std::size_t of_pairs() const { return of_pairs_; }

 private:
  static bool is_fat(const s4u::Link& link) { return link.get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE; }
  void add(const std::string& name, const s4u::Link& link, double bytes_per_second) {
    cables_.insert_or_assign(name, Cable{bytes_per_second, link.get_latency()});
  }

  const std::string& file_;
  std::map<std::string, Cable> cables_;
  std::set<const s4u::Link*> fat_;
  std::size_t of_pairs_ = 0;
};

/// What the child finds out, in the order of its numbers.
enum Found : std::size_t { kHosts, kFatPipes, kLinksOfPairs, kSlowest, kFastest, kBandwidth };

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

/// A platform of SimGrid: its name for messages, and the file that SimGrid reads.
struct PlatformFile {
  const std::string& file;
  const TextAsFile& read;
};

[[noreturn]] void refuse_file(const PlatformFile& platform, std::string_view why) {
  const std::string& file = platform.file;
  // SimGrid's own message may have the place already.
  const std::string place = fmt::format("Parse error at {}", platform.read.path());
  if (why.starts_with(place)) throw Error(file + first_line(why.substr(place.size())));
  const bool lacks_file = why.find("Cannot open file") != std::string_view::npos;
  throw Error(
      fmt::format("{}: SimGrid refuses the platform: {}{}", file, first_line(why),
                  lacks_file ? "; files of profiles must lie as the platform names them, from its folder on" : ""));
}

[[noreturn]] void refuse_route(const std::string& file, std::string_view from, std::string_view to,
                               std::string_view why) {
  throw Error(fmt::format(
      "{}: SimGrid finds no route from {} to {} ({}); likely causes: a <route> or <zoneRoute> is missing, a "
      "gateway is no router or host, or a zone is of a kind without routes (None)",
      file, from, to, first_line(why)));
}

/// The platform, read by the one engine of this process.
class LoadedPlatform {
 public:
  explicit LoadedPlatform(const PlatformFile& platform) {
    xbt_log_control_set("root.thres:critical");
    // Profiles are named from the platform's folder on, which is not that of the file that SimGrid reads.
    const std::string folder = std::filesystem::path(platform.file).parent_path().string();
    std::string path = "--cfg=path:" + (folder.empty() ? "." : folder);
    char name[] = "gdr";
    char* arguments[] = {name, path.data(), nullptr};
    int count = 2;
    engine_ = std::make_unique<s4u::Engine>(&count, arguments);
    s4u::Host::on_creation_cb([this](s4u::Host& host) { hosts_.push_back(&host); });
    try {
      engine_->load_platform(platform.read.path());
    } catch (const std::exception& error) {
      refuse_file(platform, error.what());
    }
  }
  LoadedPlatform(const LoadedPlatform&) = delete;
  LoadedPlatform& operator=(const LoadedPlatform&) = delete;

  /// In the order of the file, a cluster's in that of its radical. The engine's own list has them sorted by name, n10
  /// before n2.
  [[nodiscard]] const std::vector<s4u::Host*>& hosts() const { return hosts_; }

 private:
  std::unique_ptr<s4u::Engine> engine_;
  std::vector<s4u::Host*> hosts_;
};

/// What SimGrid was asked for when it ended the process: the file, or route number n of all pairs of hosts.
class Progress {
 public:
  void ask_for_route(std::size_t from, std::size_t to, std::size_t hosts) {
    asked_.set(static_cast<double>(1 + from * hosts + to));
    hosts_.set(static_cast<double>(hosts));
  }
  [[noreturn]] void refuse(const PlatformFile& platform, const std::string& why) const {
    const auto asked = static_cast<std::size_t>(asked_.get());
    if (asked == 0) refuse_file(platform, why);
    // Only SimGrid knows the names of the hosts.
    static_cast<void>(compute_in_child(platform.file, [&]() -> std::vector<double> {
      const LoadedPlatform loaded(platform);
      const auto hosts = static_cast<std::size_t>(hosts_.get());
      refuse_route(platform.file, loaded.hosts().at((asked - 1) / hosts)->get_cname(),
                   loaded.hosts().at((asked - 1) % hosts)->get_cname(), why);
    }));
    refuse_file(platform, why);
  }

 private:
  SharedNumber asked_;
  SharedNumber hosts_;
};

/// Writes the tables. Returns the numbers that Found lists; speeds in flops/s, the bandwidth of the first link of a
/// route in bytes/s.
std::vector<double> write_tables(const PlatformFile& platform, const PlatformTables& tables, Progress& progress) {
  const std::string& file = platform.file;
  const LoadedPlatform loaded(platform);
  const std::vector<s4u::Host*>& hosts = loaded.hosts();
  if (hosts.empty()) throw Error(fmt::format("{}: there is no host", file));
  require_few_hosts(file, static_cast<double>(hosts.size()));
  LinkLines links(file);
  std::string routes = "from,to,links\n";
  double bandwidth = 0;
  for (std::size_t from = 0; from < hosts.size(); ++from) {
    for (std::size_t to = 0; to < hosts.size(); ++to) {
      if (from == to) continue;
      std::vector<s4u::Link*> passed;
      double latency = 0;
      progress.ask_for_route(from, to, hosts.size());
      try {
        hosts[from]->route_to(hosts[to], passed, &latency);
      } catch (const std::exception& error) {
        refuse_route(file, hosts[from]->get_cname(), hosts[to]->get_cname(), error.what());
      }
      if (passed.empty()) {
        throw Error(fmt::format("{}: there is no link between {} and {}", file, hosts[from]->get_cname(),
                                hosts[to]->get_cname()));
      }
      routes += fmt::format("{},{},{}\n", from, to, links.add_route(from, to, passed));
      for (const s4u::Link* link : passed) latency -= link->get_latency();
      if (bandwidth == 0) bandwidth = passed.front()->get_bandwidth();
      constexpr double kLeastLatency = 1e-12;  // s; what a zone such as Vivaldi's adds is more
      if (std::abs(latency) > kLeastLatency) {
        throw Error(fmt::format("{}: the route from {} to {} has a latency of its own, beside that of its links", file,
                                hosts[from]->get_cname(), hosts[to]->get_cname()));
      }
    }
  }
  std::string names;
  std::string speeds = "node,speed\n";
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    const double speed = speed_of(*hosts[node]);
    if (!(speed > 0) || !hosts[node]->is_on()) {
      throw Error(fmt::format("{}: host {} is refused: it does not run at time 0", file, hosts[node]->get_cname()));
    }
    names += checked(file, hosts[node]->get_cname()) + '\n';
    speeds += fmt::format("{},{}\n", node, speed / kGiga);
  }
  base::write_file(tables.links, links.table());
  base::write_file(tables.routes, routes);
  base::write_file(tables.hosts, names);
  base::write_file(tables.speeds, speeds);
  const auto [slowest, fastest] =
      std::ranges::minmax(hosts | std::views::transform([](const s4u::Host* host) { return speed_of(*host); }));
  return {static_cast<double>(hosts.size()),
          static_cast<double>(links.fat_pipes()),
          static_cast<double>(links.of_pairs()),
          slowest,
          fastest,
          bandwidth};
}

std::string note_on_fat_pipes(std::uint64_t fat_pipes, double of_pairs) {
  const std::string links = fmt::format("{} of FATPIPE {} no bandwidth", base::counted(fat_pipes, "link"),
                                        fat_pipes == 1 ? "shares" : "share");
  return of_pairs == 0 ? links + "; other links of every route are no faster, so that messages do not notice"
                       : links +
                             "; pairs of hosts have links of their own instead, which messages of one pair that "
                             "travel at the same time share, unlike in SimGrid";
}

}  // namespace

PlatformOfSimgrid tables_of_platform(const std::string& file, std::string_view text, const PlatformTables& tables) {
  const std::string plain = without_comments(text);
  const std::string read = without_settings(file, plain);
  require_few_hosts(file, hosts_named(file, read));
  const TextAsFile read_file(file, read);
  const PlatformFile platform{file, read_file};
  Progress progress;
  const ChildResult<std::vector<double>> child = [&] {
    try {
      return compute_in_child(file, [&] { return write_tables(platform, tables, progress); });
    } catch (const ChildEnded& ended) {
      progress.refuse(platform, ended.reason());
    }
  }();
  PlatformOfSimgrid found{.nodes = static_cast<NodeId>(child.computed.at(kHosts)),
                          .fat_pipes = static_cast<std::uint64_t>(child.computed.at(kFatPipes)),
                          .flops_per_second = child.computed.at(kSlowest),
                          .bytes_per_second = child.computed.at(kBandwidth),
                          .notes = notes_on(read)};
  if (read != plain) found.notes.emplace_back("settings of SimGrid (<config>) are left out");
  if (found.fat_pipes > 0) found.notes.push_back(note_on_fat_pipes(found.fat_pipes, child.computed.at(kLinksOfPairs)));
  if (const double fastest = child.computed.at(kFastest); fastest != found.flops_per_second) {
    found.notes.push_back(fmt::format("hosts have speeds from {:g} to {:g} Gflops, which gdr net replay and run use",
                                      found.flops_per_second / kGiga, fastest / kGiga));
  }
  return found;
}

}  // namespace gdr::interconnect
