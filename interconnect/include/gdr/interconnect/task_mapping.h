// Task mapping: which node of a mesh or torus runs which task, so that messages travel short ways and share few links.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gdr/interconnect/grid.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

/// Node of each task; no node twice. shape: [tasks], at most as many as nodes.
using TaskMapping = std::vector<std::uint32_t>;

/// How good a mapping is.
struct MappingCost {
  std::uint64_t hop_bytes = 0;        // sum of mesh hops x bytes, also on a torus (Sanno and Kise, equation 2)
  std::uint64_t torus_hop_bytes = 0;  // sum of hops that messages take x bytes; the sum over all links' bytes
  std::uint64_t max_link_bytes = 0;   // busiest directed link
};

/// Bytes on each directed link, by Grid's numbers. Throws gdr::Error unless `mapping` maps every task to a node of its
/// own.
[[nodiscard]] std::vector<std::uint64_t> link_bytes(const TaskGraph& graph, const TaskMapping& mapping,
                                                    const Grid& grid, const GridRouting& routing = {});
/// Throws as link_bytes().
[[nodiscard]] MappingCost mapping_cost(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                       const GridRouting& routing = {});

/// Told how far the work is, from 0 to 1; false asks it to end as soon as it can with what it has.
using MappingProgress = std::function<bool(double done)>;

/// Task t on node t: x fastest, then y, then z (Sanno and Kise, table 1). Throws gdr::Error if there are more tasks
/// than nodes, as every function below.
[[nodiscard]] TaskMapping map_in_order(const TaskGraph& graph, const Grid& grid);

/// What chooses how two groups of tasks are joined (Sanno and Kise, section 2.1).
enum class MergeRule {
  none,     // as they are
  mincost,  // smallest sum of mesh hops x bytes
  minlink,  // smallest load of a link inside the joined group
};

/// MOPT (Sanno and Kise, section 2): joins groups of tasks that exchange most, until one covers the grid. Grids whose
/// extents are no powers of two are joined by their prime factors, a row of as many groups each. Idle tasks fill
/// up the grid. An end asked for by `progress` makes the remaining merges as MergeRule::none.
[[nodiscard]] TaskMapping map_by_merging(const TaskGraph& graph, const Grid& grid, MergeRule rule,
                                         const GridRouting& routing = {}, const MappingProgress& progress = {});

/// What a refinement makes smaller.
enum class MappingObjective {
  cost,  // MappingCost::torus_hop_bytes
  link,  // MappingCost::max_link_bytes
};

struct RefineOptions {
  MappingObjective objective = MappingObjective::cost;
  double effort = 1;     // how long to search, as a multiple of the usual
  unsigned threads = 1;  // that search at once; the result does not depend on them
  std::uint64_t seed = 1;
};

/// Improves a mapping by exchanging the tasks of two nodes, or of two boxes of nodes, or turning a box, at random: for
/// cost boxes by descent, then pairs by simulated annealing; for link both by descent of the sum of the loads' eighth
/// powers. Never worse than `start` in the objective. The same arguments give the same mapping unless `progress` asks
/// for an early end. Throws gdr::Error as link_bytes().
[[nodiscard]] TaskMapping refine_mapping(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                         const GridRouting& routing = {}, const RefineOptions& options = {},
                                         const MappingProgress& progress = {});

/// The best that this component can do: refines what merging and Scotch (if the project was built with it) find. Never
/// worse in the objective than map_by_merging() with mincost or minlink, or Scotch; for link never worse than
/// map_in_order() either. Deterministic as refine_mapping(). Throws gdr::Error.
[[nodiscard]] TaskMapping map_by_refinement(const TaskGraph& graph, const Grid& grid, const GridRouting& routing = {},
                                            const RefineOptions& options = {}, const MappingProgress& progress = {});

/// False if the project was built without Scotch (-DGDR_SCOTCH=OFF).
[[nodiscard]] bool has_scotch();

/// The mapping of the graph partitioner Scotch, with its default strategy and a fixed seed. Where it puts several tasks
/// on a node, all but one of them move to the nearest free nodes. Throws gdr::Error if the project was built without
/// Scotch, or Scotch fails.
[[nodiscard]] TaskMapping map_by_scotch(const TaskGraph& graph, const Grid& grid);

}  // namespace gdr::interconnect
