#include "gdr/interconnect/host_time.h"

#include <algorithm>
#include <vector>

#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

double mean_hops(const Topology& topology, NodeId stride, NodeId nodes) {
  double hops = 0;
  std::vector<SharedLink> route;
  for (NodeId to = 1; to < nodes; ++to) {
    topology.links_into(0, to * stride, route);
    hops += static_cast<double>(route.size());
  }
  return hops / std::max(1.0, static_cast<double>(nodes) - 1);
}

double mean_hops(const Topology& topology) { return mean_hops(topology, 1, topology.nodes()); }

double closed_form_seconds(double routes, double hops) {
  // Measured on a torus of 1,024 nodes, and on a torus of 316 x 316 for routes of 79 links.
  constexpr double kSecondsOfRoute = 1e-7;
  constexpr double kSecondsOfLink = 1e-8;
  return routes * (kSecondsOfRoute + kSecondsOfLink * hops);
}

double simulation_seconds(const Platform& platform, double messages, double together) {
  constexpr double kSecondsOfMessage = 4e-5;
  constexpr double kSecondsOfPair = 2e-9;   // for each pair of messages that are posted together
  constexpr double kSecondsOfShare = 2e-8;  // for a message on a link, each time that shares are computed
  const double most_ends = 1 / SimulationOptions().resolution;
  const bool is_rush = together > platform.topology.nodes();
  const double shares = platform.is_even || !is_rush ? 0 : std::min(together, most_ends) * mean_hops(platform.topology);
  return messages * (kSecondsOfMessage + kSecondsOfPair * together + kSecondsOfShare * shares);
}

}  // namespace gdr::interconnect
