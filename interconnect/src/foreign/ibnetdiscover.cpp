// The format of ibnetdiscover (infiniband-diags): a block for each switch and adapter, with a line for each port that
// has a cable:
//   Switch  24 "S-0005ad00070429f6"   # "leaf" enhanced port 0 lid 6 lmc 0
//   [1]     "H-0005ad00000c12bc"[1](5ad00000c12bd)   # "host HCA-1" lid 14 4xQDR
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "file_lines.h"
#include "gdr/base/counted.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/imported_network.h"

namespace gdr::interconnect {
namespace {

/// Data of a lane in Gbit/s, after the code of the line [InfiniBand Architecture 1.7, volume 2].
struct Lane {
  std::string_view name;
  double gigabits;
};
constexpr std::array<unsigned, 5> kWidths{1, 2, 4, 8, 12};
constexpr std::array<Lane, 9> kLanes{{{"SDR", 2},
                                      {"DDR", 4},
                                      {"QDR", 8},
                                      {"FDR10", 10},
                                      {"FDR", 13.64},
                                      {"EDR", 25},
                                      {"HDR", 50},
                                      {"NDR", 100},
                                      {"XDR", 200}}};

/// Label of the adapters by which switches compute reductions: they run no programs.
constexpr std::string_view kAggregationNode = "Aggregation Node";

struct End {
  std::string name;  // of the switch or adapter
  unsigned port = 0;
  auto operator<=>(const End&) const = default;
};

class Ibnetdiscover {
 public:
  Ibnetdiscover(std::string_view text, std::string_view name) : lines_(text, name) {}

  ImportedNetwork run() {
    while (const auto line = lines_.next()) take(*line);
    if (names_.empty()) lines_.refuse("there is neither a Switch nor a Ca");
    return finish();
  }

 private:
  struct Cable {
    End from, to;
    double bytes_per_second = 0;
    std::size_t line = 0;
  };

  void take(std::string_view line) {
    const std::string_view trimmed = base::trimmed(line);
    if (trimmed.empty() || trimmed.front() == '#') return;
    if (trimmed.front() == '[') {
      take_port(trimmed);
      return;
    }
    for (const std::string_view kind : {"Switch", "Ca", "Rt"}) {
      const bool is_kind = trimmed.starts_with(kind) && trimmed.size() > kind.size() &&
                           (trimmed[kind.size()] == ' ' || trimmed[kind.size()] == '\t');
      if (is_kind) {
        take_block(trimmed, kind == "Ca");
        return;
      }
    }
    // vendid=, devid=, sysimgguid=, switchguid=, caguid=: of the block that follows.
    if (trimmed.find('=') != std::string_view::npos) return;
    lines_.refuse(fmt::format("'{}' is refused: a line begins a Switch, Ca or Rt, names a port, or is KEY=VALUE",
                              trimmed.substr(0, 40)));
  }

  void take_block(std::string_view line, bool is_adapter) {
    std::string_view rest = line;
    block_ = quoted(rest);
    std::string label;
    if (const std::size_t comment = rest.find('#'); comment != std::string_view::npos) {
      rest = rest.substr(comment);
      if (rest.find('"') != std::string_view::npos) label = quoted(rest);
    }
    if (!names_.try_emplace(block_, label).second) lines_.refuse(fmt::format("'{}' is there twice", block_));
    if (is_adapter) adapters_.push_back(block_);
  }

  /// [PORT](guid) "OTHER"[PORT](guid) # "label" lid N 4xQDR
  void take_port(std::string_view line) {
    if (block_.empty()) lines_.refuse("a port is refused: no Switch or Ca stands before it");
    std::string_view rest = line;
    const End from{block_, port(rest)};
    std::string other = quoted(rest);
    const End to{std::move(other), port(rest)};
    const std::size_t comment = rest.find('#');
    const double rate = comment == std::string_view::npos ? 0 : rate_in(rest.substr(comment));
    cables_.push_back({from, to, rate, lines_.line()});
  }

  /// The text between the next quotes; `rest` goes on behind them.
  std::string quoted(std::string_view& rest) const {
    const std::size_t begin = rest.find('"');
    const std::size_t end = begin == std::string_view::npos ? begin : rest.find('"', begin + 1);
    if (end == std::string_view::npos) lines_.refuse("a name between quotes is missing");
    const std::string_view name = rest.substr(begin + 1, end - begin - 1);
    if (name.empty()) lines_.refuse("an empty name is refused");
    rest = rest.substr(end + 1);
    return std::string(name);
  }

  /// The number between the next brackets.
  unsigned port(std::string_view& rest) const {
    const std::size_t begin = rest.find('[');
    const std::size_t end = begin == std::string_view::npos ? begin : rest.find(']', begin);
    if (end == std::string_view::npos) lines_.refuse("a port between brackets is missing");
    const std::string_view text = rest.substr(begin + 1, end - begin - 1);
    const auto number = base::number_in<unsigned>(text);
    constexpr unsigned kMostPorts = 254;  // InfiniBand's
    if (!number || *number > kMostPorts) {
      lines_.refuse(fmt::format("port '{}' is refused: it must be from 0 to {}", text, kMostPorts));
    }
    rest = rest.substr(end + 1);
    return *number;
  }

  /// Bytes per second of a word such as 4xQDR at the end of a comment, behind the label; 0 without one.
  [[nodiscard]] double rate_in(std::string_view comment) const {
    const std::size_t label_end = comment.rfind('"');
    const auto words =
        base::blank_fields(label_end == std::string_view::npos ? comment : comment.substr(label_end + 1));
    if (words.empty()) return 0;
    const std::string_view word = words.back();
    const std::size_t cross = word.find('x');
    if (cross == std::string_view::npos) return 0;
    const auto width = base::number_in<unsigned>(word.substr(0, cross));
    for (const Lane& lane : kLanes) {
      if (!width || std::ranges::find(kWidths, *width) == kWidths.end()) break;
      if (word.substr(cross + 1) == lane.name) return *width * lane.gigabits * kGiga / 8;
    }
    lines_.refuse(
        fmt::format("speed '{}' is refused: it must be a width of 1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, FDR10, "
                    "FDR, EDR, HDR, NDR or XDR, such as 4xHDR",
                    word));
  }

  /// Each cable stands at both of its ends, and counts once.
  ImportedNetwork finish() {
    ImportedNetwork network;
    std::map<std::string, std::string> shown;  // names in the network
    std::map<std::string, unsigned> of_host;   // adapters so far
    std::set<std::string> inside;              // adapters within switches
    for (const std::string& adapter : adapters_) {
      if (names_.at(adapter).find(kAggregationNode) != std::string::npos) {
        inside.insert(adapter);
        continue;
      }
      const auto words = base::blank_fields(names_.at(adapter));
      std::string host = words.empty() ? adapter : std::string(words.front());
      if (const unsigned before = of_host[host]++; before > 0) host += fmt::format(":{}", before);
      network.hosts.push_back(host);
      shown[adapter] = host;
    }
    std::set<std::pair<End, End>> known;
    for (const Cable& cable : cables_) {
      if (!names_.contains(cable.to.name)) {
        lines_.refuse_at(cable.line, fmt::format("'{}' is unknown: it has no block", cable.to.name));
      }
      if (inside.contains(cable.from.name) || inside.contains(cable.to.name)) continue;
      const auto [low, high] = std::minmax(cable.from, cable.to);
      if (!known.emplace(low, high).second) continue;
      const auto name_of_end = [&](const End& end) { return shown.contains(end.name) ? shown.at(end.name) : end.name; };
      network.cables.push_back({name_of_end(cable.from), name_of_end(cable.to), cable.bytes_per_second});
    }
    if (!inside.empty()) {
      network.notes.push_back(fmt::format("{} that switches have inside (SHARP) {} left out",
                                          base::counted(inside.size(), "aggregation node"),
                                          inside.size() == 1 ? "is" : "are"));
    }
    return network;
  }

  FileLines lines_;
  std::string block_;                         // in whose ports we are
  std::map<std::string, std::string> names_;  // labels by name
  std::vector<std::string> adapters_;         // in their order
  std::vector<Cable> cables_;
};

}  // namespace

ImportedNetwork parse_ibnetdiscover(std::string_view text, std::string_view name) {
  return Ibnetdiscover(text, name).run();
}

}  // namespace gdr::interconnect
