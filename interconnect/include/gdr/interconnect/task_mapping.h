// Task mapping: which node of a mesh or torus runs which task, so that messages travel short ways and share few links.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gdr/interconnect/grid.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

/// Node of each task; no node occurs twice. shape: [tasks], and there are at most as many tasks as nodes.
using TaskMapping = std::vector<std::uint32_t>;

/// How good a mapping is.
struct MappingCost {
  std::uint64_t hop_bytes = 0;        // sum of mesh hops x bytes, also on a torus (Sanno and Kise, equation 2)
  std::uint64_t torus_hop_bytes = 0;  // sum of hops on this grid x bytes, which is the sum over all links' bytes
  std::uint64_t max_link_bytes = 0;   // bytes on the busiest directed link
};

/// Bytes on each directed link, by Grid's link number. Throws gdr::Error unless `mapping` maps every task to a node of
/// its own.
[[nodiscard]] std::vector<std::uint64_t> link_bytes(const TaskGraph& graph, const TaskMapping& mapping,
                                                    const Grid& grid, const GridRouting& routing = {});
/// Throws gdr::Error as link_bytes() does.
[[nodiscard]] MappingCost mapping_cost(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                       const GridRouting& routing = {});

/// Called with the share of the work that is done, from 0 to 1. If it returns false, the work ends as soon as possible
/// with the result so far.
using MappingProgress = std::function<bool(double done)>;

/// Task t runs on node t: x counts fastest, then y, then z (Sanno and Kise, table 1). Throws gdr::Error if there are
/// more tasks than nodes, as every function below does.
[[nodiscard]] TaskMapping map_in_order(const TaskGraph& graph, const Grid& grid);

/// Rule by which two groups of tasks are turned before they are joined (Sanno and Kise, section 2.1).
enum class MergeRule {
  none,     // groups are not turned
  mincost,  // smallest sum of mesh hops x bytes
  minlink,  // smallest load of the busiest link inside the joined group
};

/// MOPT (Sanno and Kise, section 2): joins the groups of tasks that exchange most, until one group covers the grid. If
/// an extent is not a power of two, a round joins as many groups in a row as a prime factor of the extent says. Idle
/// tasks fill up the grid. If `progress` asks for an end, the remaining merges follow MergeRule::none.
[[nodiscard]] TaskMapping map_by_merging(const TaskGraph& graph, const Grid& grid, MergeRule rule,
                                         const GridRouting& routing = {}, const MappingProgress& progress = {});

/// The quantity that a refinement makes smaller.
enum class MappingObjective {
  cost,  // MappingCost::torus_hop_bytes
  link,  // MappingCost::max_link_bytes
};

struct RefineOptions {
  MappingObjective objective = MappingObjective::cost;
  double effort = 1;     // length of the search, as a multiple of the usual length
  unsigned threads = 1;  // threads that search at once; the result does not depend on their number
  std::uint64_t seed = 1;
};

/// Improves a mapping by random moves: two nodes exchange their tasks, two boxes of nodes exchange theirs, or a box is
/// turned. For cost, boxes move by descent, then pairs of nodes by simulated annealing; for link, both move by
/// simulated annealing of the sum of the eighth powers of the loads. The result is never worse than `start` in the
/// objective. The same arguments give the same mapping unless `progress` asks for an early end. Throws gdr::Error as
/// link_bytes() does, and for options out of range.
[[nodiscard]] TaskMapping refine_mapping(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                         const GridRouting& routing = {}, const RefineOptions& options = {},
                                         const MappingProgress& progress = {});

/// The best mapping that this component finds: refines natural order and the mappings by merging and by Scotch (if the
/// project was built with it). A graph that is the grid itself, in any order of its tasks, is recognised. Of the
/// results of these searches, map_in_order(), map_by_merging() with mincost and minlink, and Scotch, the best in the
/// objective is taken; of mappings that are equal in it, the other quantity decides. For cost, mappings are left out
/// whose busiest link carries more than that of map_in_order(). Deterministic, as refine_mapping(). Throws gdr::Error.
[[nodiscard]] TaskMapping map_by_refinement(const TaskGraph& graph, const Grid& grid, const GridRouting& routing = {},
                                            const RefineOptions& options = {}, const MappingProgress& progress = {});

/// False if the project was built without Scotch (-DGDR_SCOTCH=OFF).
[[nodiscard]] bool has_scotch();

/// The mapping of the graph partitioner Scotch, with its default strategy and a fixed seed. Where it puts several tasks
/// on a node, all but one of them move, each to the free node that then has
/// the fewest hops x bytes. Throws gdr::Error if the project was built without
/// Scotch, or Scotch fails.
[[nodiscard]] TaskMapping map_by_scotch(const TaskGraph& graph, const Grid& grid);

}  // namespace gdr::interconnect
