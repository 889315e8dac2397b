// Estimates of the host's time for models of networks, by which long ones are refused before they begin.
#pragma once

#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {

/// Estimated seconds of the host for a SimGrid simulation, within a factor of some three. Each message has a cost of
/// its own, and the `together` messages of the largest step add a cost for each other. If these are more than one a
/// node and some links carry far more than others, almost every message ends at a different time, and the shares of all
/// are computed again each time.
[[nodiscard]] double simulation_seconds(const Platform& platform, double messages, double together);
/// Mean number of links from node 0 to nodes `stride`, 2 x `stride`, ... of `nodes` nodes, itself the first.
[[nodiscard]] double mean_hops(const Topology& topology, NodeId stride, NodeId nodes);
/// The same for all other nodes.
[[nodiscard]] double mean_hops(const Topology& topology);
/// Estimated seconds of the host for a closed form that follows `routes` routes of `hops` links.
[[nodiscard]] double closed_form_seconds(double routes, double hops);

}  // namespace gdr::interconnect
