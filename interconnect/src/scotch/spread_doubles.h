// Repairs mappings of partitioners, which may put several tasks on a node.
#pragma once

#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

/// Keeps the task with most traffic on each node and moves the others to free nodes, tasks with most traffic first.
/// Each moves to the node from which its traffic travels least (hops x bytes). In `mapping`, a node may have any number
/// of tasks.
[[nodiscard]] TaskMapping spread_doubles(const TaskGraph& graph, const Grid& grid, TaskMapping mapping);

}  // namespace gdr::interconnect
