// Platforms of SimGrid as tables of links and routes. SimGrid itself reads the file, so that every kind of zone is
// known.
#include <fmt/format.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>

#include "child.h"
#include "executors.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::size_t kMostHosts = 1024;  // a route for each pair: 10^6 lines

/// Hosts that the radicals of clusters name, such as "0-15,20", and single hosts of a platform: at least those are
/// made. SimGrid itself makes them all before it can be asked, and ends the process where memory ends.
double hosts_named(std::string_view text) {
  constexpr std::string_view kRadical = "radical=\"";
  double hosts = 0;
  for (std::size_t at = text.find("<host "); at != std::string_view::npos; at = text.find("<host ", at + 1)) ++hosts;
  for (std::size_t at = text.find(kRadical); at != std::string_view::npos; at = text.find(kRadical, at + 1)) {
    const std::string_view rest = text.substr(at + kRadical.size());
    std::string_view ranges = rest.substr(0, rest.find('"'));
    while (!ranges.empty()) {
      const std::string_view range = ranges.substr(0, ranges.find(','));
      ranges.remove_prefix(std::min(ranges.size(), range.size() + 1));
      const std::size_t dash = range.find('-');
      const auto first = base::number_in<std::uint64_t>(range.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : base::number_in<std::uint64_t>(range.substr(dash + 1));
      if (first && last && *last >= *first) hosts += static_cast<double>(*last - *first) + 1;
    }
  }
  return hosts;
}

void require_few_hosts(const std::string& file, double hosts) {
  if (hosts <= static_cast<double>(kMostHosts)) return;
  throw Error(fmt::format("{}: {:.0f} hosts are refused: at most {} can be read", file, hosts, kMostHosts));
}

/// Writes the three tables. Returns the number of hosts and of links that do not share, the speed of the first host in
/// flops/s, and the bandwidth of the first link of a route in bytes/s.
std::vector<double> write_tables(const std::string& file, const PlatformTables& tables) {
  require_few_hosts(file, hosts_named(base::read_file(file)));
  xbt_log_control_set("root.thres:critical");
  char name[] = "gdr";
  char* arguments[] = {name, nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments);
  engine.load_platform(file);
  const std::vector<s4u::Host*> hosts = engine.get_all_hosts();
  if (hosts.empty()) throw Error(fmt::format("{}: there is no host", file));
  require_few_hosts(file, static_cast<double>(hosts.size()));
  const auto checked = [&](const char* of) {
    const std::string text(of);
    if (text.find_first_of(", \t\"#\n") == std::string::npos) return text;
    throw Error(fmt::format("{}: name '{}' is refused: it has a blank, comma, quote or #", file, text));
  };
  std::map<std::string, const s4u::Link*> links;
  std::string routes = "from,to,links\n";
  double bandwidth = 0;
  for (std::size_t from = 0; from < hosts.size(); ++from) {
    for (std::size_t to = 0; to < hosts.size(); ++to) {
      if (from == to) continue;
      std::vector<s4u::Link*> passed;
      double latency = 0;
      hosts[from]->route_to(hosts[to], passed, &latency);
      if (passed.empty()) {
        throw Error(fmt::format("{}: there is no link between {} and {}", file, hosts[from]->get_cname(),
                                hosts[to]->get_cname()));
      }
      routes += fmt::format("{},{},", from, to);
      for (std::size_t link = 0; link < passed.size(); ++link) {
        const std::string of = checked(passed[link]->get_cname());
        links.emplace(of, passed[link]);
        routes += (link > 0 ? " " : "") + of;
        latency -= passed[link]->get_latency();
      }
      routes += '\n';
      if (bandwidth == 0) bandwidth = passed.front()->get_bandwidth();
      constexpr double kLeastLatency = 1e-12;  // s; what a zone such as Vivaldi's adds is more
      if (std::abs(latency) > kLeastLatency) {
        throw Error(fmt::format("{}: the route from {} to {} has a latency of its own, beside that of its links", file,
                                hosts[from]->get_cname(), hosts[to]->get_cname()));
      }
    }
  }
  double fat_pipes = 0;
  std::string table = "name,bandwidth,latency\n";
  for (const auto& [of, link] : links) {
    const bool shares = link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE;
    fat_pipes += shares ? 0 : 1;
    // A link that does not share carries each flow at its full rate; here it has enough for one from each host.
    const double rate = link->get_bandwidth() * (shares ? 1 : static_cast<double>(hosts.size()));
    table += fmt::format("{},{:.17g},{:.17g}\n", of, rate / kGiga, link->get_latency() / kMicro);
  }
  std::string names;
  for (const s4u::Host* host : hosts) names += checked(host->get_cname()) + '\n';
  base::write_file(tables.links, table);
  base::write_file(tables.routes, routes);
  base::write_file(tables.hosts, names);
  return {static_cast<double>(hosts.size()), fat_pipes, hosts.front()->get_speed(), bandwidth};
}

}  // namespace

PlatformOfSimgrid tables_of_platform(const std::string& file, const PlatformTables& tables) {
  const ChildResult child = compute_in_child(file, [&] { return write_tables(file, tables); });
  return {static_cast<NodeId>(child.numbers.at(0)), static_cast<std::uint64_t>(child.numbers.at(1)),
          child.numbers.at(2), child.numbers.at(3)};
}

}  // namespace gdr::interconnect
