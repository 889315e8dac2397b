// What an optical hub costs (Urino 2020, tables 9, A.1 and A.2).
#pragma once

#include <string>
#include <vector>

#include "gdr/base/description.h"

namespace gdr::interconnect {

struct CostLine {
  std::string board;
  std::string part;
  double unit_price = 0;  // USD
  double count = 0;
  [[nodiscard]] double subtotal() const { return unit_price * count; }
};

struct HubCost {
  std::vector<CostLine> lines;
  double total = 0;           // USD
  double bandwidth_gbps = 0;  // sum over all nodes
  [[nodiscard]] double per_gbps() const { return total / bandwidth_gbps; }
};

/// Cost of the parts of a hub. `description` (kind optical-hub-cost) gives the prices and the size of the network, from
/// which the counts follow: a laser, an amplifier and a splitter for each wavelength; two gratings for each port of
/// each wavelength router; a transceiver for each port of each node; an amplifier, two gratings and an FPGA for each
/// node.
[[nodiscard]] HubCost hub_cost(const base::Description& description);

}  // namespace gdr::interconnect
