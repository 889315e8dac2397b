// Circuits beside other ways to join nodes with the same ports, and as a description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/circuits.h"
#include "gdr/interconnect/network.h"

namespace gdr::interconnect {
namespace {

JoinedNodes joined_by(std::string name, const TaskGraph& graph, const Circuits& circuits, Cable circuit) {
  const Topology topology = circuit_network(circuits, circuit);
  return {std::move(name), topology, map_on_network(graph, topology, 1, {.objective = MappingObjective::link})};
}

}  // namespace

double direct_share(const TaskGraph& graph, const Circuits& circuits) {
  double direct = 0;
  for (const auto& [from, to, bytes] : graph.transfers()) {
    const std::pair<NodeId, NodeId> pair = std::minmax(from, to);
    if (std::ranges::find(circuits.pairs, pair) != circuits.pairs.end()) direct += static_cast<double>(bytes);
  }
  return graph.total_bytes() > 0 ? direct / static_cast<double>(graph.total_bytes()) : 1;
}

std::vector<JoinedNodes> other_ways_to_join(const TaskGraph& graph, std::uint32_t ports, Cable circuit) {
  const NodeId nodes = graph.tasks();
  const Cable wavelength{circuit.bytes_per_second * ports / std::max(1U, nodes - 1), circuit.latency_seconds};
  const Topology hub = optical_hub(nodes, wavelength);
  std::vector<JoinedNodes> ways{{"wavelengths to all", hub, network_mapping_in_order(graph, hub, 1)}};
  if (ports < 4) {
    if (nodes < 3) return ways;
    Circuits ring{nodes, {}};
    for (NodeId node = 0; node < nodes; ++node) ring.pairs.push_back(std::minmax(node, (node + 1) % nodes));
    ways.push_back(joined_by("ring", graph, ring, circuit));
    return ways;
  }
  auto rows = static_cast<NodeId>(std::sqrt(nodes));
  while (rows > 1 && nodes % rows != 0) --rows;
  if (rows < 2) return ways;
  const NodeId columns = nodes / rows;
  for (const NodeId twist : {NodeId{0}, std::max(NodeId{1}, columns / 2)}) {
    const std::string twisted = twist > 0 ? fmt::format(", twisted by {}", twist) : "";
    ways.push_back(joined_by(fmt::format("torus {}x{}{}", columns, rows, twisted), graph,
                             torus_circuits(columns, rows, twist), circuit));
  }
  return ways;
}

std::vector<std::string> table_files(const std::string& file) {
  const std::string stem = file.substr(0, file.size() - std::string_view(".toml").size());
  return {stem + ".links.csv", stem + ".routes.csv"};
}

void write_circuits(const Topology& topology, const std::string& file, Cable node) {
  const std::vector<std::string> files = table_files(file);
  refuse_other_tables(file, files);
  const std::string name = file.substr(file.find_last_of('/') + 1);
  std::string links = "name,bandwidth,latency\n";
  for (const Link& link : topology.links().to_vector()) {
    links +=
        fmt::format("{},{:.17g},{:.17g}\n", link.name, link.bytes_per_second / kGiga, link.latency_seconds / kMicro);
  }
  std::string routes = "from,to,links\n";
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (from == to) continue;
      std::vector<std::string> names;
      for (const LinkId link : topology.route(from, to)) names.push_back(topology.links().name(link));
      routes += fmt::format("{},{},{}\n", from, to, fmt::join(names, " "));
    }
  }
  base::write_file(
      file,
      fmt::format("# Circuits found by gdr net circuits.\n\nname = \"{0}\"\ntitle = \"{1}\"\nkind = \"table\"\n\n"
                  "[parameters]\n"
                  "nodes      = {{ value = {2}, unit = \"1\", origin = \"R: the task graph\" }}\n"
                  "bandwidth  = {{ value = {3:g}, unit = \"GB/s per node\", origin = \"O: given, for all ports\" }}\n"
                  "latency    = {{ value = {4:g}, unit = \"us\", origin = \"O: given, of each circuit\" }}\n"
                  "node_speed = {{ value = 1000, unit = \"Gflops\", origin = \"O: not used by circuits\" }}\n",
                  name.substr(0, name.size() - std::string_view(".toml").size()), topology.name(), topology.nodes(),
                  node.bytes_per_second / kGiga, node.latency_seconds / kMicro));
  base::write_file(files[0], links);
  base::write_file(files[1], routes);
}

}  // namespace gdr::interconnect
