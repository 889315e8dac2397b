// A topology as a platform file of SimGrid, for programs that run on SMPI by themselves (smpirun).
#pragma once

#include <string>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// A file of SimGrid's (DTD version 4.1): hosts named 0, 1, ... of `flops_per_second`, the links of the topology, and a
/// route for every ordered pair of nodes. Throws gdr::Error for more than kMostNodesOfFile nodes: the file has a line
/// for every pair.
[[nodiscard]] std::string simgrid_file(const Topology& topology, double flops_per_second);
inline constexpr NodeId kMostNodesOfFile = 1024;

}  // namespace gdr::interconnect
