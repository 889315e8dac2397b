// Writes activities of ranks as JSON for the trace viewers of Chrome and Perfetto, with a track for each resource.
#pragma once

#include <string>

#include "gdr/cluster/rank_graph.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

/// The trace as JSON text; times are in microseconds. Each rank's board and host, the memory of each node, and each
/// link that was used have a track of their own, on which nothing overlaps. Work is named by its Part, a message by its
/// two nodes. The argument `critical` says whether an event is on the critical path. `times` must be those of `graph`,
/// computed with details (CriticalPathOptions); throws gdr::Error without them.
[[nodiscard]] std::string activity_trace(const RankGraph& graph, const interconnect::ActivityTimes& times,
                                         const interconnect::Topology& topology);

}  // namespace gdr::cluster
