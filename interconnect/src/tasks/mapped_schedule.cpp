#include "gdr/base/error.h"
#include "gdr/interconnect/mapping_output.h"

namespace gdr::interconnect {

Schedule mapped_schedule(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid) {
  static_cast<void>(link_bytes(graph, mapping, grid));  // checks that the mapping fits graph and grid
  Schedule schedule;
  schedule.name = "mapped traffic";
  schedule.ranks.resize(grid.nodes());
  std::uint64_t piece = 0;
  for (const auto& [from, to, bytes] : graph.transfers()) {
    add_message(schedule, 0, mapping[from], mapping[to], bytes, piece++);
  }
  return schedule;
}

Topology grid_topology(const Grid& grid, Cable cable, const GridRouting& routing) {
  const std::vector<NodeId> extents(grid.extents().begin(), grid.extents().begin() + grid.axes());
  std::vector<unsigned> axes;
  for (const unsigned axis : routing.axes) {
    if (axis < grid.axes()) axes.push_back(axis);
  }
  return grid.torus() ? torus(extents, cable, routing.tie, axes) : mesh(extents, cable, axes);
}

}  // namespace gdr::interconnect
