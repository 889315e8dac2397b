#include "command/network_options.h"

#include "command/command.h"
#include "gdr/base/description.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/network.h"

namespace gdr::cli {

interconnect::FlowFactors flow_factors(const std::string& name) {
  if (name == kNoFactors) return {};
  require_known(name, base::description_names({&interconnect::network_kind("flow-factors"), 1}), "--factors");
  return interconnect::load_flow_factors(name);
}

interconnect::TaskMapping nodes_in_map(const std::string& map, interconnect::NodeId nodes) {
  return interconnect::parse_mapping(base::read_file(map), map, nodes);
}

}  // namespace gdr::cli
