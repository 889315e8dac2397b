// A topology as a platform file of SimGrid, for programs that run on SMPI by themselves (smpirun).
#pragma once

#include <string>

#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Text of a SimGrid platform file (DTD version 4.1): hosts named 0, 1, ... with a speed of `flops_per_second`, the
/// links of the topology, and a route for every ordered pair of nodes. Throws gdr::Error for more than kMostNodesOfFile
/// nodes, because the file has a line for every pair.
[[nodiscard]] std::string simgrid_file(const Topology& topology, double flops_per_second);
/// The same for a platform, whose hosts may have different speeds.
[[nodiscard]] std::string simgrid_file(const Platform& platform);
inline constexpr NodeId kMostNodesOfFile = 1024;

}  // namespace gdr::interconnect
