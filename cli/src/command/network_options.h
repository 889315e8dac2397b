// Values of options that commands on networks and on clusters share.
#pragma once

#include <string>

#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::cli {

/// What --factors names. Throws UsageError for an unknown name.
[[nodiscard]] interconnect::FlowFactors flow_factors(const std::string& name);

/// What --map names: the node of each rank, of `nodes` nodes. Throws gdr::Error.
[[nodiscard]] interconnect::TaskMapping nodes_in_map(const std::string& map, interconnect::NodeId nodes);

}  // namespace gdr::cli
