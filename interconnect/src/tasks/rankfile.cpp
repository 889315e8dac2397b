#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/interconnect/imported_network.h"
#include "gdr/interconnect/mapping_output.h"

namespace gdr::interconnect {

std::string rankfile(const TaskMapping& mapping, std::span<const std::string> hosts) {
  std::string text;
  // A host that is named again stands for its next core.
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

std::string hosts_of_ranks(const TaskMapping& mapping, std::span<const std::string> hosts) {
  std::string text;
  for (std::size_t task = 0; task < mapping.size(); ++task) {
    if (mapping[task] >= hosts.size()) {
      throw Error(fmt::format("hosts: {} are too few: rank {} runs on node {}", hosts.size(), task, mapping[task]));
    }
    text += hosts[mapping[task]] + '\n';
  }
  return text;
}

std::vector<std::string> parse_hosts(std::string_view text, std::string_view name) {
  constexpr std::uint32_t kMostSlots = 1024;
  constexpr std::size_t kMostNames = 65536;
  constexpr std::size_t kMostPlaces = std::size_t{1} << 20;  // a line of few letters can name millions
  std::vector<std::string> hosts;
  base::LineReader lines(text, std::string(name));
  const auto slots_in = [&](std::string_view number) {
    const auto slots = base::number_in<std::uint32_t>(number);
    if (!slots || *slots < 1 || *slots > kMostSlots) {
      lines.refuse(fmt::format("slots '{}' are refused: they must be from 1 to {}", number, kMostSlots));
    }
    return *slots;
  };
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::vector<std::string_view> fields = base::blank_fields(*line);
    std::string_view list = fields.front();
    std::uint32_t slots = 1;
    if (const std::size_t colon = list.rfind(':');
        colon != std::string_view::npos && list.find(']', colon) == list.npos) {
      slots = slots_in(list.substr(colon + 1));
      list = list.substr(0, colon);
    }
    for (const std::string_view field : fields) {
      if (field.starts_with("slots=")) slots = slots_in(field.substr(std::string_view("slots=").size()));
    }
    std::vector<std::string> names;
    try {
      names = expand_hostlist(list, kMostNames);
    } catch (const Error& error) {
      lines.refuse(error.what());
    }
    if (names.size() * slots > kMostPlaces - hosts.size()) {
      lines.refuse(fmt::format("more than {} places for ranks are refused", kMostPlaces));
    }
    for (const std::string& host : names) hosts.insert(hosts.end(), slots, host);
  }
  return hosts;
}

std::string mapping_csv(const TaskMapping& mapping) {
  std::string text = "task,node\n";
  for (std::size_t task = 0; task < mapping.size(); ++task) text += fmt::format("{},{}\n", task, mapping[task]);
  return text;
}

TaskMapping parse_mapping(std::string_view text, std::string_view name, std::uint32_t nodes) {
  base::LineReader lines(text, std::string(name));
  if (const auto header = lines.next(); header && *header != "task,node") {
    lines.refuse(fmt::format("'{}' stands where the header 'task,node' must", *header));
  }
  std::map<std::uint32_t, std::uint32_t> node_of;
  std::vector<bool> taken(nodes);
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::vector<std::string_view> fields = base::comma_fields(*line);
    const auto number = [&](std::size_t field) {
      const auto value = fields.size() == 2 ? base::number_in<std::uint32_t>(fields[field]) : std::nullopt;
      if (!value) lines.refuse(fmt::format("'{}' is refused: it must be a task and its node", *line));
      return *value;
    };
    const std::uint32_t task = number(0);
    const std::uint32_t node = number(1);
    if (node >= nodes) lines.refuse(fmt::format("node {} is refused: it must be from 0 to {}", node, nodes - 1));
    if (taken[node]) lines.refuse(fmt::format("node {} is refused for a second task", node));
    taken[node] = true;
    if (!node_of.emplace(task, node).second) lines.refuse(fmt::format("task {} comes twice", task));
  }
  TaskMapping mapping;
  for (const auto& [task, node] : node_of) {
    if (task != mapping.size()) lines.refuse(fmt::format("task {} is missing", mapping.size()));
    mapping.push_back(node);
  }
  if (mapping.empty()) lines.refuse("there are no tasks");
  return mapping;
}

}  // namespace gdr::interconnect
