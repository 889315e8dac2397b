#include "gdr/interconnect/hub_cost.h"

namespace gdr::interconnect {

HubCost hub_cost(const base::Description& description) {
  const auto value = [&](std::string_view key) { return description.value(key); };
  const double nodes = value("nodes");
  const double wavelengths = value("wavelengths");
  const double ports = value("ports");
  const double hubs = value("routers");
  HubCost cost;
  cost.lines = {{"light source", "laser", value("laser"), wavelengths},
                {"light source", "amplifier", value("amplifier"), wavelengths},
                {"light source", "splitter", value("splitter"), wavelengths},
                {"wavelength router", "grating", value("router_grating"), 2 * wavelengths * hubs},
                {"node", "transceiver", value("transceiver"), ports * nodes},
                {"node", "amplifier", value("amplifier"), nodes},
                {"node", "grating", value("node_grating"), 2 * nodes},
                {"node", "FPGA", value("fpga"), nodes}};
  for (const CostLine& line : cost.lines) cost.total += line.subtotal();
  cost.bandwidth_gbps = nodes * ports * value("port_rate");
  return cost;
}

}  // namespace gdr::interconnect
