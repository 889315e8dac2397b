// MOPT, with the choices that the paper leaves open as parameters.
#pragma once

#include "gdr/interconnect/task_mapping.h"
#include "least_link.h"

namespace gdr::interconnect {

struct MergeVariant {
  std::array<unsigned, 3> axes{0, 1, 2};                 // which axis grows first if boxes are equally short
  LinkTieBreak tie_break = LinkTieBreak::fourth_powers;  // of MergeRule::minlink
  std::uint64_t seed = 0;                                // shuffles turns; the first wins a tie; 0: no shuffling
};

[[nodiscard]] TaskMapping merge_groups(const TaskGraph& graph, const Grid& grid, MergeRule rule,
                                       const GridRouting& routing, const MergeVariant& variant,
                                       const MappingProgress& progress);

}  // namespace gdr::interconnect
