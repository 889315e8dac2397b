#include "route_table.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

double number_of(const base::LineReader& lines, std::string_view field, std::string_view what) {
  const double value = base::number_in<double>(field).value_or(-1);
  if (!std::isfinite(value) || value < 0) {
    lines.refuse(fmt::format("{} '{}' is refused: it must be a number of at least 0", what, field));
  }
  return value;
}

}  // namespace

Topology read_route_table(const std::string& name, NodeId nodes, const std::filesystem::path& links,
                          const std::filesystem::path& routes) {
  std::vector<Link> found;
  std::unordered_map<std::string, LinkId> numbers;
  const std::string links_text = base::read_file(links);
  base::LineReader link_lines(links_text, links.string());
  if (link_lines.next() != "name,bandwidth,latency") link_lines.refuse("the header must be 'name,bandwidth,latency'");
  while (const auto line = link_lines.next()) {
    const auto fields = base::comma_fields(*line);
    if (fields.size() != 3) link_lines.refuse(fmt::format("{} fields are refused", fields.size()));
    const double bandwidth = number_of(link_lines, fields[1], "bandwidth") * kGiga;
    if (bandwidth == 0) link_lines.refuse("bandwidth 0 is refused");
    const double latency = number_of(link_lines, fields[2], "latency") * kMicro;
    if (!numbers.emplace(fields[0], static_cast<LinkId>(found.size())).second) {
      link_lines.refuse(fmt::format("link '{}' is there twice", fields[0]));
    }
    found.push_back({std::string(fields[0]), bandwidth, latency});
  }
  // Routes of all pairs one after another; shape of `begins`: [nodes * nodes + 1].
  std::vector<std::vector<LinkId>> of_pair(std::size_t{nodes} * nodes);
  std::vector<bool> known(of_pair.size());
  const std::string routes_text = base::read_file(routes);
  base::LineReader route_lines(routes_text, routes.string());
  if (route_lines.next() != "from,to,links") route_lines.refuse("the header must be 'from,to,links'");
  while (const auto line = route_lines.next()) {
    const auto fields = base::comma_fields(*line);
    if (fields.size() != 3) route_lines.refuse(fmt::format("{} fields are refused", fields.size()));
    const auto node = [&](std::string_view field) {
      const auto number = base::number_in<NodeId>(field);
      if (!number || *number >= nodes) {
        route_lines.refuse(fmt::format("node '{}' is refused: it must be from 0 to {}", field, nodes - 1));
      }
      return *number;
    };
    const NodeId from = node(fields[0]);
    const NodeId to = node(fields[1]);
    const std::size_t pair = std::size_t{from} * nodes + to;
    if (from == to || known[pair]) route_lines.refuse(fmt::format("a route from {} to {} is refused", from, to));
    known[pair] = true;
    for (const std::string_view link : base::blank_fields(fields[2])) {
      const auto number = numbers.find(std::string(link));
      if (number == numbers.end()) route_lines.refuse(fmt::format("link '{}' is unknown", link));
      of_pair[pair].push_back(number->second);
    }
  }
  for (std::size_t pair = 0; pair < known.size(); ++pair) {
    if (known[pair] || pair / nodes == pair % nodes) continue;
    route_lines.refuse(fmt::format("there is no route from {} to {}", pair / nodes, pair % nodes));
  }
  return {name, nodes, std::move(found),
          [nodes, of_pair = std::move(of_pair)](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const std::vector<LinkId>& links_of_pair = of_pair[std::size_t{from} * nodes + to];
            route.insert(route.end(), links_of_pair.begin(), links_of_pair.end());
          }};
}

std::vector<double> read_node_speeds(NodeId nodes, const std::filesystem::path& speeds) {
  std::vector<double> found;
  const std::string text = base::read_file(speeds);
  base::LineReader lines(text, speeds.string());
  if (lines.next() != "node,speed") lines.refuse("the header must be 'node,speed'");
  while (const auto line = lines.next()) {
    const auto fields = base::comma_fields(*line);
    if (fields.size() != 2) lines.refuse(fmt::format("{} fields are refused", fields.size()));
    if (found.size() == nodes) lines.refuse(fmt::format("a line after that of node {} is refused", nodes - 1));
    if (base::number_in<NodeId>(fields[0]) != found.size()) {
      lines.refuse(fmt::format("node '{}' is refused: the next one must be {}", fields[0], found.size()));
    }
    const double speed = number_of(lines, fields[1], "speed") * kGiga;
    if (speed == 0) lines.refuse("speed 0 is refused");
    found.push_back(speed);
  }
  if (found.size() < nodes) lines.refuse(fmt::format("there is no speed of node {}", found.size()));
  return found;
}

}  // namespace gdr::interconnect
