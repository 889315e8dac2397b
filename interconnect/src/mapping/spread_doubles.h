// Partitioners may put several tasks on a node.
#pragma once

#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// Leaves the task with most traffic on each node and moves the others to free nodes, each to where its traffic then
/// travels least, tasks with most traffic first. The mapping may hold any existing node any number of times.
[[nodiscard]] TaskMapping spread_doubles(const TaskGraph& graph, const Grid& grid, TaskMapping mapping);

}  // namespace gdr::interconnect
