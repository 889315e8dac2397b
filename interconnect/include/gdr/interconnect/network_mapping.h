// Task mapping on any network, with one task on each node or several: fat trees, dragonflies, tori of any dimension,
// graphs of the user's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/task_mapping.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Number of axes in torus:AxBx... or mesh:AxBx...; nothing for names of other networks.
[[nodiscard]] std::optional<std::size_t> axes_of(std::string_view name);
/// The network of this name: a torus or mesh of one to eight axes, whose links the description `links` gives, or what
/// load_platform() finds. Throws gdr::Error for extents that are no numbers, and as torus() and load_platform() do.
[[nodiscard]] Topology network_to_map(std::string_view name, std::string_view links = "opennsim-torus");

/// Tasks on the nodes of a network. Traffic between tasks of one node passes no link.
struct NetworkMapping {
  std::vector<NodeId> node_of;  // shape: [tasks]
};

struct NetworkMappingCost {
  double hop_bytes = 0;        // sum of links of the route x bytes
  double busiest_seconds = 0;  // longest time of a link for its bytes
  std::uint64_t inside = 0;    // bytes between tasks of one node
};
/// Throws gdr::Error if the mapping has another number of tasks than the graph, or a node that the network has not.
[[nodiscard]] NetworkMappingCost network_mapping_cost(const TaskGraph& graph, const Topology& topology,
                                                      const NetworkMapping& mapping);

/// True if a mapping is better than natural order: smaller in the objective or, if equal in it, in the other quantity.
/// For cost, its busiest link must also take no longer than that of natural order.
[[nodiscard]] bool is_better(const NetworkMappingCost& cost, const NetworkMappingCost& natural,
                             MappingObjective objective);

/// Task t runs on node t / tasks_per_node. Throws gdr::Error if the tasks do not fit.
[[nodiscard]] NetworkMapping network_mapping_in_order(const TaskGraph& graph, const Topology& topology,
                                                      std::uint32_t tasks_per_node);

/// The best mapping that is found, with at most `tasks_per_node` tasks on each node. Natural order and a mapping that
/// puts tasks that exchange most beside each other are improved by simulated annealing of exchanges, for both
/// objectives. The result is natural order or better by is_better(); of mappings that are equal in the objective, the
/// other quantity decides. Deterministic; options.threads is not used. Throws gdr::Error if the tasks do not fit, for
/// more than 8,192 nodes, and for options out of range.
[[nodiscard]] NetworkMapping map_on_network(const TaskGraph& graph, const Topology& topology,
                                            std::uint32_t tasks_per_node, const RefineOptions& options = {},
                                            const MappingProgress& progress = {});

/// All traffic at once, as one message for each pair of nodes.
[[nodiscard]] Schedule traffic_at_once(const TaskGraph& graph, const NetworkMapping& mapping, const Topology& topology);

/// The place of each task if places are numbered node by node, `tasks_per_node` on each.
[[nodiscard]] TaskMapping places_of(const NetworkMapping& mapping, std::uint32_t tasks_per_node);

}  // namespace gdr::interconnect
