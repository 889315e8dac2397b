#include <fmt/format.h>

#include <algorithm>
#include <map>

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

}  // namespace gdr::interconnect
