// gdr net map on networks that are no grids of up to three axes, and with several tasks on a node.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gdr/base/description.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/simulation.h"
#include "net.h"
#include "net_map.h"

namespace gdr::cli {
namespace {

using interconnect::NetworkMapping;
using interconnect::NodeId;
using interconnect::TaskGraph;
using interconnect::Topology;

Topology topology_of(const NetMapOptions& options) {
  if (!interconnect::axes_of(options.topology)) {
    require_known(options.topology, base::description_names(interconnect::platform_kinds()), "--topology");
    PlatformArguments named;
    named.network = options.topology;
    return named.load().topology;
  }
  return from_command_line("--topology",
                           [&] { return interconnect::network_to_map(options.topology, options.network); });
}

/// The host of each place. A host that --hosts gives slots must have enough of them; without a file they are the nodes
/// by their places in the host file.
std::vector<std::string> hosts_of_places(const NetMapOptions& options, NodeId nodes) {
  std::vector<std::string> names;
  if (options.hosts.empty()) {
    for (NodeId node = 0; node < nodes; ++node) names.push_back(fmt::format("+n{}", node));
  }
  std::map<std::string, std::uint32_t> slots;
  for (const std::string& host : hosts_for(options)) {
    if (slots[host]++ == 0) names.push_back(host);
  }
  std::vector<std::string> hosts;
  for (const std::string& name : names) {
    if (const std::uint32_t own = slots[name]; own > 1 && own < options.tasks_per_node) {
      throw Error(fmt::format("{}: host {} has {} slots, {} tasks on each node need more", options.hosts, name, own,
                              options.tasks_per_node));
    }
    hosts.insert(hosts.end(), options.tasks_per_node, name);
  }
  return hosts;
}

}  // namespace

bool is_any_network(const NetMapOptions& options) {
  const std::optional<std::size_t> axes = interconnect::axes_of(options.topology);
  return !axes || options.tasks_per_node > 1 || *axes > interconnect::Grid::kMostAxes;
}

int map_tasks_on_network(const NetMapOptions& options) {
  if (options.method != "refined" && options.method != "xyz") {
    throw UsageError(
        fmt::format("--method {} is refused on {}: it must be xyz or refined", options.method, options.topology));
  }
  const Topology topology = topology_of(options);
  const std::uint32_t places = topology.nodes() * options.tasks_per_node;
  const interconnect::GraphFile file = graph_for(options, places);
  const TaskGraph& graph = file.graph;
  warn_of_missing_traffic(file, options.graph);
  const interconnect::MappedOnNetwork mapped = [&] {
    MappingBar bar(options);
    return mapped_on_network(graph, topology, options.tasks_per_node, request_of(options), bar.progress());
  }();
  Json json = options.report.begin(topology.name(), options.method, true);
  json["graph"] = options.graph;
  json["tasks"] = graph.tasks();
  json["nodes"] = topology.nodes();
  json["tasks_per_node"] = options.tasks_per_node;
  json["total_bytes"] = graph.total_bytes();
  json["duplicate_lines"] = file.duplicates;
  json["objective"] = options.method == "refined" ? Json(options.objective) : Json(nullptr);
  add_costs(json, mapped);
  json["rank0_node"] = mapped.mapping.node_of.front();
  std::optional<std::pair<double, double>> simulated;
  if (options.simulate) {
    const auto seconds_of = [&](const NetworkMapping& of) {
      return interconnect::run_s4u(traffic_at_once(graph, of, topology), topology, {}).seconds;
    };
    simulated = {seconds_of(mapped.mapping), seconds_of(mapped.natural)};
    json["emulated_seconds"] = simulated->first;
    json["natural_order_seconds"] = simulated->second;
  }
  if (options.full) json["mapping"] = mapped.mapping.node_of;
  if (!options.rankfile.empty() || !options.hostfile.empty()) {
    write_rankfiles(options, interconnect::places_of(mapped.mapping, options.tasks_per_node),
                    hosts_of_places(options, topology.nodes()));
  }
  if (!options.save_map.empty()) base::write_file(options.save_map, interconnect::mapping_csv(mapped.mapping.node_of));
  if (!options.save_graph.empty()) base::write_file(options.save_graph, interconnect::graph_csv(graph));
  options.report.show(json, {{"first_duplicate", file.first_duplicate}, {"goal", goal_of(options)}});
  return kSuccess;
}

}  // namespace gdr::cli
