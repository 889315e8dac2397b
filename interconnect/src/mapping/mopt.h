// MOPT with what the paper leaves open as parameters.
#pragma once

#include "gdr/interconnect/task_mapping.h"
#include "least_link.h"

namespace gdr::interconnect {

struct MergeVariant {
  std::array<unsigned, 3> axes{0, 1, 2};                 // of axes along which boxes are as short, which grows first
  LinkTieBreak tie_break = LinkTieBreak::fourth_powers;  // of MergeRule::minlink
  std::uint64_t seed = 0;                                // shuffles the turns, whose first wins a tie; 0: no shuffling
};

[[nodiscard]] TaskMapping merge_groups(const TaskGraph& graph, const Grid& grid, MergeRule rule,
                                       const GridRouting& routing, const MergeVariant& variant,
                                       const MappingProgress& progress);

}  // namespace gdr::interconnect
