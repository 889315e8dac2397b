// Networks of one's own: tables of links and routes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// `links`: CSV with the header from,to or from,to,bandwidth,latency (GB/s, us; without them: `cable`). A line is a
/// cable, a link each way. A number below `nodes` is a node, any other name a switch. `routes`: CSV with the header
/// from,to,over, where `over` lists the switches and nodes that a message passes, with spaces between. Throws
/// gdr::Error `FILE:LINE: ...`.
[[nodiscard]] Graph read_graph(const std::string& name, NodeId nodes, const Cable& cable,
                               const std::filesystem::path& links, const std::optional<std::filesystem::path>& routes);

}  // namespace gdr::interconnect
