// Finds the grid in a graph that is one: a halo exchange whose tasks have lost their order.
#pragma once

#include <optional>

#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// A mapping in which every message takes one hop, if tasks exchange data exactly as the nodes of `grid` are linked, or
/// as those of the mesh of the same extents. Nothing else has fewer hops, nor a lower load on its busiest link. Nothing
/// if the graph is no such grid, or is not seen to be one within a number of steps proportional to its size.
[[nodiscard]] std::optional<TaskMapping> recognise_grid(const TaskGraph& graph, const Grid& grid);

}  // namespace gdr::interconnect
