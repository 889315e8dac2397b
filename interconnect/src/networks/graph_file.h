// Reads networks of the user's own: tables of links and routes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// `links`: CSV with the header from,to or from,to,bandwidth,latency (GB/s, us; without these columns: `cable`). Each
/// line is a cable, which makes a link in each direction. A number is a node and must be below `nodes`; any other name
/// is a switch. `routes`: CSV with the header from,to,over, where `over` lists the switches and nodes that a message
/// passes, separated by spaces. Throws gdr::Error `FILE:LINE: ...`.
[[nodiscard]] Graph read_graph(const std::string& name, NodeId nodes, const Cable& cable,
                               const std::filesystem::path& links, const std::optional<std::filesystem::path>& routes);

}  // namespace gdr::interconnect
