// A task mapping as users ask for it: traffic and method by their names, the mapping with its costs and those of the
// natural order, and the fields of its report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// Programs whose traffic is computed: bruck, cg and sp.
[[nodiscard]] bool is_named_graph(std::string_view name);
/// The traffic of such a program on all of `places`, or as many of them as it can use: `bytes` of each task of bruck,
/// the class of the benchmark of cg and sp. Throws gdr::Error as its function does.
[[nodiscard]] TaskGraph named_graph(std::string_view name, std::uint32_t places, std::uint64_t bytes,
                                    std::string_view npb_class);

/// What the ranks of a schedule send to each other.
[[nodiscard]] TaskGraph graph_of(const Schedule& schedule);

/// Names of the methods: xyz, none, mincost, minlink, scotch, refined.
[[nodiscard]] const std::vector<std::string>& mapping_methods();
/// The objective of this name, cost or link. Throws gdr::Error for another.
[[nodiscard]] MappingObjective mapping_objective(std::string_view name);

struct MappingRequest {
  std::string method = "refined";
  std::string objective = "cost";  // of refined
  double effort = 1;               // likewise
  unsigned threads = 1;            // likewise; 0: all of the host
  std::uint64_t seed = 1;          // likewise
};
/// Throws gdr::Error for unknown names, and as the functions of task_mapping.h.
[[nodiscard]] TaskMapping map_by_request(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                                         const MappingRequest& request, const MappingProgress& progress);

struct MappedOnGrid {
  TaskMapping mapping;
  MappingCost cost;
  MappingCost natural;                               // of the natural order
  std::map<std::uint64_t, std::uint64_t> histogram;  // number of links by their bytes
  double processor_seconds = 0;                      // of the host, for the mapping
};
[[nodiscard]] MappedOnGrid mapped_on_grid(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                                          const MappingRequest& request, const MappingProgress& progress);

struct MappedOnNetwork {
  NetworkMapping mapping;
  NetworkMapping natural;
  NetworkMappingCost cost;
  NetworkMappingCost natural_cost;
  double processor_seconds = 0;
};
/// `request.method` is xyz or refined.
[[nodiscard]] MappedOnNetwork mapped_on_network(const TaskGraph& graph, const Topology& topology,
                                                std::uint32_t tasks_per_node, const MappingRequest& request,
                                                const MappingProgress& progress);

/// Seconds until all traffic has arrived if it begins at once, by SimGrid's flow model with the links of a description
/// of kind "grid". Throws gdr::Error as load_network() and run_s4u().
[[nodiscard]] double simulated_traffic_seconds(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                               const GridRouting& routing, std::string_view network,
                                               const std::function<void(double done)>& progress);

/// Loads of the links in natural order and with a mapping of this name, side by side, as SVG.
[[nodiscard]] std::string mapping_picture(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                          const GridRouting& routing, std::string_view name);

/// Sets the fields of a mapping from its costs to `seconds_to_optimise`.
void add_costs(base::Json& json, const MappedOnGrid& mapped);
void add_costs(base::Json& json, const MappedOnNetwork& mapped);
/// Links by load for the text: ten bins up to the busiest link, with bars.
[[nodiscard]] base::Json load_bins(const std::map<std::uint64_t, std::uint64_t>& histogram);
/// In which of its costs a mapping is worse than the natural order; null if in none.
[[nodiscard]] base::Json worse_in(const MappingCost& cost, const MappingCost& natural);

}  // namespace gdr::interconnect
