// A network given by its links and, for every pair of nodes, the links of the route: tables beside a description.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// `links`: lines name,bandwidth,latency (GB/s, us). `routes`: lines from,to,links with blanks between the names of the
/// links; every pair of different nodes occurs once. Throws gdr::Error `FILE:LINE: ...` for what the tables do not
/// allow.
[[nodiscard]] Topology read_route_table(const std::string& name, NodeId nodes, const std::filesystem::path& links,
                                        const std::filesystem::path& routes);

/// `speeds`: lines node,speed (Gflops), every node once and in order. In flops/s. Throws gdr::Error `FILE:LINE: ...`.
[[nodiscard]] std::vector<double> read_node_speeds(NodeId nodes, const std::filesystem::path& speeds);

}  // namespace gdr::interconnect
