// topology.conf of Slurm's plugin topology/tree: a line for each switch.
//   SwitchName=leaf0 Nodes=n[0-15]
//   SwitchName=spine Switches=leaf[0-3] LinkSpeed=...
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "file_lines.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/interconnect/imported_network.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Adds what is between two brackets: numbers and ranges with commas between them; leading zeros are kept.
std::vector<std::string> expand_ranges(std::string_view ranges, std::size_t most) {
  std::vector<std::string> numbers;
  while (true) {
    const std::size_t end = ranges.find(',');
    const std::string_view range = ranges.substr(0, end);
    const std::size_t dash = range.find('-');
    const std::string_view low_text = range.substr(0, dash);
    const std::string_view high_text = dash == std::string_view::npos ? low_text : range.substr(dash + 1);
    const auto low = base::number_in<std::uint64_t>(low_text);
    const auto high = base::number_in<std::uint64_t>(high_text);
    if (!low || !high || *low > *high) {
      throw Error(
          fmt::format("range '{}' is refused: it must be a number, or two of which the second is no smaller", range));
    }
    if (*high - *low >= most - numbers.size())
      throw Error(fmt::format("range '{}' is refused: {} names are allowed", range, most));
    for (std::uint64_t number = *low; number <= *high; ++number) {
      numbers.push_back(fmt::format("{:0{}}", number, low_text.starts_with('0') ? low_text.size() : 1));
    }
    if (end == std::string_view::npos) return numbers;
    ranges = ranges.substr(end + 1);
  }
}

/// All names of one entry of a list.
std::vector<std::string> expand_entry(std::string_view entry, std::size_t most) {
  std::vector<std::string> names{""};
  while (!entry.empty()) {
    const std::size_t begin = entry.find('[');
    for (std::string& name : names) name += entry.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = entry.find(']', begin);
    if (end == std::string_view::npos) throw Error(fmt::format("'{}' is refused: a bracket is not closed", entry));
    std::vector<std::string> longer;
    const std::vector<std::string> numbers = expand_ranges(entry.substr(begin + 1, end - begin - 1), most);
    if (numbers.size() > most / names.size())
      throw Error(fmt::format("'{}' is refused: {} names are allowed", entry, most));
    for (const std::string& name : names) {
      for (const std::string& number : numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    entry = entry.substr(end + 1);
  }
  return names;
}

/// topology.yaml of Slurm 25.05: a list of topologies, each with a tree, blocks or neither.
bool is_yaml(std::string_view text) {
  FileLines lines(text, "");
  while (const auto line = lines.next()) {
    const std::string_view content = base::trimmed(*line);
    if (content.empty() || content.front() == '#' || content == "---") continue;
    return content.starts_with("- topology:") || content.starts_with("topology:");
  }
  return false;
}

class SlurmTopology {
 public:
  SlurmTopology(std::string_view text, std::string_view name) : text_(text), lines_(text, name) {}

  ImportedNetwork run() {
    if (is_yaml(text_)) {
      lines_.refuse_at(1, "topology.yaml is refused: only topology.conf is read, with lines SwitchName=...");
    }
    std::string joined;  // a line that ends in \ goes on in the next one
    while (const auto line = lines_.next()) {
      std::string_view content = base::trimmed(line->substr(0, line->find('#')));
      const bool goes_on = content.ends_with('\\');
      if (goes_on) content.remove_suffix(1);
      joined += content;
      if (goes_on) continue;
      if (!base::trimmed(joined).empty()) take(joined);
      joined.clear();
    }
    if (!joined.empty()) take(joined);
    if (switches_.empty()) lines_.refuse("there is no line SwitchName=...");
    return finish();
  }

 private:
  struct Switch {
    std::size_t line = 0;
    std::vector<std::string> nodes, switches;
  };

  void take(std::string_view line) {
    std::vector<std::string> names;
    Switch found{lines_.line(), {}, {}};
    for (const std::string_view field : base::blank_fields(line)) {
      const std::size_t sign = field.find('=');
      if (sign == std::string_view::npos) lines_.refuse(fmt::format("'{}' is refused: it must be KEY=VALUE", field));
      const std::string key = in_lower_case(field.substr(0, sign));
      const std::string_view value = field.substr(sign + 1);
      if (key == "switchname") {
        names = expand(value);
      } else if (key == "nodes") {
        if (in_lower_case(value) == "all") lines_.refuse("Nodes=ALL is refused: the names of the nodes are needed");
        found.nodes = expand(value);
      } else if (key == "switches") {
        found.switches = expand(value);
      } else if (key == "linkspeed") {
        has_speeds_ = true;
      } else if (key.starts_with("block")) {
        lines_.refuse(
            fmt::format("'{}' is refused: blocks (topology/block) do not say which switches join them; the "
                        "lines of topology/tree do, SwitchName=...",
                        field));
      } else {
        lines_.refuse(fmt::format("key '{}' is refused: a line has SwitchName, Nodes, Switches and LinkSpeed",
                                  field.substr(0, sign)));
      }
    }
    if (names.size() != 1) lines_.refuse("a line must have SwitchName with one name");
    if (found.nodes.empty() == found.switches.empty()) {
      lines_.refuse(fmt::format("switch {} must have either Nodes or Switches", names[0]));
    }
    if (!switches_.try_emplace(names[0], std::move(found)).second) {
      lines_.refuse(fmt::format("switch {} is there twice", names[0]));
    }
    order_.push_back(names[0]);
  }

  std::vector<std::string> expand(std::string_view list) const {
    try {
      return expand_hostlist(list, kMostGraphVertices);
    } catch (const Error& error) {
      lines_.refuse(error.what());
    }
  }

  [[nodiscard]] ImportedNetwork finish() const {
    ImportedNetwork network;
    std::map<std::string, std::string> above;  // switch of each node
    for (const std::string& name : order_) {
      const Switch& own = switches_.at(name);
      for (const std::string& node : own.nodes) {
        put_under(above, node, name, own.line);
        network.hosts.push_back(node);
        network.cables.push_back({node, name, 0});
      }
      for (const std::string& other : own.switches) {
        if (!switches_.contains(other)) lines_.refuse_at(own.line, fmt::format("switch {} is unknown", other));
        if (other == name) lines_.refuse_at(own.line, fmt::format("switch {} is under itself", name));
        network.cables.push_back({other, name, 0});
      }
    }
    require_no_circle();
    require_joined();
    if (has_speeds_) network.notes.emplace_back("LinkSpeed has no unit in Slurm and is left out");
    return network;
  }

  void put_under(std::map<std::string, std::string>& above, const std::string& name, const std::string& own,
                 std::size_t line) const {
    const auto [at, is_new] = above.try_emplace(name, own);
    if (!is_new) lines_.refuse_at(line, fmt::format("{} is under {} already", name, at->second));
  }

  /// Takes away, again and again, switches that have none below them any more.
  void require_no_circle() const {
    std::map<std::string, std::size_t> below;
    std::map<std::string, std::vector<std::string>> above;
    std::vector<std::string> free;
    for (const auto& [name, own] : switches_) {
      below[name] = own.switches.size();
      if (own.switches.empty()) free.push_back(name);
      for (const std::string& other : own.switches) above[other].push_back(name);
    }
    while (!free.empty()) {
      const std::string name = std::move(free.back());
      free.pop_back();
      below.erase(name);
      for (const std::string& other : above[name]) {
        if (--below.at(other) == 0) free.push_back(other);
      }
    }
    for (const std::string& name : order_) {
      if (below.contains(name)) lines_.refuse_at(switches_.at(name).line, "the switches go round in a circle");
    }
  }

  void require_joined() const {
    std::map<std::string, std::vector<std::string>> beside;
    for (const auto& [name, own] : switches_) {
      for (const std::string& other : own.switches) {
        beside[name].push_back(other);
        beside[other].push_back(name);
      }
    }
    std::set<std::string> reached{order_[0]};
    std::vector<std::string> next{order_[0]};
    while (!next.empty()) {
      const std::string name = std::move(next.back());
      next.pop_back();
      for (const std::string& other : beside[name]) {
        if (reached.insert(other).second) next.push_back(other);
      }
    }
    for (const std::string& name : order_) {
      if (reached.contains(name)) continue;
      lines_.refuse_at(switches_.at(name).line, fmt::format("switch {} is not joined with {}", name, order_[0]));
    }
  }

  std::string_view text_;
  FileLines lines_;
  std::map<std::string, Switch> switches_;
  std::vector<std::string> order_;
  bool has_speeds_ = false;
};

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view list, std::size_t most) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const bool ends = at == list.size() || (list[at] == ',' && depth == 0);
    if (!ends) {
      depth += list[at] == '[' ? 1 : list[at] == ']' ? -1 : 0;
      continue;
    }
    const std::string_view entry = list.substr(begin, at - begin);
    begin = at + 1;
    if (entry.empty()) throw Error(fmt::format("'{}' is refused: a name is missing", list));
    for (std::string& name : expand_entry(entry, most)) names.push_back(std::move(name));
    if (names.size() > most) throw Error(fmt::format("'{}' is refused: {} names are allowed", list, most));
  }
  return names;
}

bool is_slurm_topology(std::string_view text) {
  if (is_yaml(text)) return true;
  FileLines lines(text, "");
  while (const auto line = lines.next()) {
    const std::string content = in_lower_case(base::trimmed(*line));
    if (content.starts_with("switchname=") || content.starts_with("blockname=")) return true;
  }
  return false;
}

ImportedNetwork parse_slurm_topology(std::string_view text, std::string_view name) {
  return SlurmTopology(text, name).run();
}

}  // namespace gdr::interconnect
