// Activities of ranks in the JSON form that Chrome's and Perfetto's viewers open: a track for each resource.
#pragma once

#include <string>

#include "gdr/cluster/rank_graph.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

/// Each rank's board and host, memories of nodes, and each link that was used have a track of their own, on which
/// nothing overlaps. Events are named by what they are (Part), messages by their ends; `critical` of their arguments
/// says whether they are on the critical path. Microseconds. `times` are the graph's, with their details
/// (CriticalPathOptions); throws gdr::Error without.
[[nodiscard]] std::string activity_trace(const RankGraph& graph, const interconnect::ActivityTimes& times,
                                         const interconnect::Topology& topology);

}  // namespace gdr::cluster
