#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "gdr/base/error.h"
#include "gdr/interconnect/mapping_output.h"

namespace gdr::interconnect {

std::string rankfile(const TaskMapping& mapping, std::span<const std::string> hosts) {
  std::string text;
  // A host that is named again is its next core.
  std::map<std::string_view, unsigned> named;
  std::vector<unsigned> slots;
  for (const std::string& host : hosts) slots.push_back(named[host]++);
  for (std::size_t task = 0; task < mapping.size(); ++task) {
    const std::uint32_t node = mapping[task];
    if (!hosts.empty() && node >= hosts.size()) {
      throw Error(fmt::format("hosts: {} are too few: rank {} runs on node {}", hosts.size(), task, node));
    }
    text += fmt::format("rank {}={} slot={}\n", task, hosts.empty() ? fmt::format("+n{}", node) : hosts[node],
                        hosts.empty() ? 0 : slots[node]);
  }
  return text;
}

std::vector<std::string> parse_hosts(std::string_view text) {
  std::vector<std::string> hosts;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    line.remove_prefix(first);
    hosts.emplace_back(line.substr(0, line.find_first_of(" \t\r")));
  }
  return hosts;
}

std::string mapping_csv(const TaskMapping& mapping) {
  std::string text = "task,node\n";
  for (std::size_t task = 0; task < mapping.size(); ++task) text += fmt::format("{},{}\n", task, mapping[task]);
  return text;
}

TaskMapping parse_mapping(std::string_view text, std::string_view name, std::uint32_t nodes) {
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  const auto refuse = [&](const std::string& why) { return Error(fmt::format("{}:{}: {}", name, number, why)); };
  std::map<std::uint32_t, std::uint32_t> node_of;
  std::vector<bool> taken(nodes);
  bool has_header = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (line.empty()) continue;
    if (!has_header) {
      if (line != "task,node") throw refuse(fmt::format("'{}' stands where the header 'task,node' must", line));
      has_header = true;
      continue;
    }
    std::uint32_t task = 0;
    std::uint32_t node = 0;
    const char* end = line.data() + line.size();
    const auto [comma, bad_task] = std::from_chars(line.data(), end, task);
    if (bad_task != std::errc() || comma == end || *comma != ',')
      throw refuse(fmt::format("'{}' is refused: it must be a task and its node", line));
    const auto [stop, bad_node] = std::from_chars(comma + 1, end, node);
    if (bad_node != std::errc() || stop != end)
      throw refuse(fmt::format("'{}' is refused: it must be a task and its node", line));
    if (node >= nodes) throw refuse(fmt::format("node {} is refused: it must be from 0 to {}", node, nodes - 1));
    if (taken[node]) throw refuse(fmt::format("node {} is refused for a second task", node));
    taken[node] = true;
    if (!node_of.emplace(task, node).second) throw refuse(fmt::format("task {} comes twice", task));
  }
  TaskMapping mapping;
  for (const auto& [task, node] : node_of) {
    if (task != mapping.size()) throw refuse(fmt::format("task {} is missing", mapping.size()));
    mapping.push_back(node);
  }
  if (mapping.empty()) throw refuse("there are no tasks");
  return mapping;
}

}  // namespace gdr::interconnect
