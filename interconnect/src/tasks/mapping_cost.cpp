#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

namespace {

void check_mapping(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid) {
  if (mapping.size() != graph.tasks()) {
    throw Error(fmt::format("mapping of {} tasks is refused: the graph has {}", mapping.size(), graph.tasks()));
  }
  std::vector<bool> taken(grid.nodes());
  for (std::size_t task = 0; task < mapping.size(); ++task) {
    if (mapping[task] >= grid.nodes() || taken[mapping[task]]) {
      throw Error(fmt::format("mapping of task {} to node {} is refused: {}", task, mapping[task],
                              mapping[task] >= grid.nodes() ? "there is no such node" : "it runs another task"));
    }
    taken[mapping[task]] = true;
  }
}

}  // namespace

std::vector<std::uint64_t> link_bytes(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                      const GridRouting& routing) {
  check_mapping(graph, mapping, grid);
  std::vector<std::uint64_t> loads(grid.links());
  for (const auto& [from, to, bytes] : graph.transfers()) {
    grid.for_each_link(mapping[from], mapping[to], routing,
                       [&, count = bytes](std::uint32_t link) { loads[link] += count; });
  }
  return loads;
}

MappingCost mapping_cost(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                         const GridRouting& routing) {
  const std::vector<std::uint64_t> loads = link_bytes(graph, mapping, grid, routing);
  MappingCost cost;
  for (const auto& [from, to, bytes] : graph.transfers()) {
    const GridPosition a = grid.position(mapping[from]);
    const GridPosition b = grid.position(mapping[to]);
    cost.hop_bytes += bytes * Grid::mesh_hops(a, b);
    cost.torus_hop_bytes += bytes * grid.hops(a, b);
  }
  cost.max_link_bytes = *std::ranges::max_element(loads);
  return cost;
}

TaskMapping map_in_order(const TaskGraph& graph, const Grid& grid) {
  if (graph.tasks() > grid.nodes()) {
    throw Error(fmt::format("{} tasks on {} are refused: it has {} nodes", graph.tasks(), grid.name(), grid.nodes()));
  }
  TaskMapping mapping(graph.tasks());
  for (TaskId task = 0; task < graph.tasks(); ++task) mapping[task] = task;
  return mapping;
}

}  // namespace gdr::interconnect
