// gdr net cost: the cost of an optical hub.
#include <fmt/format.h>

#include "gdr/interconnect/hub_cost.h"
#include "gdr/interconnect/network.h"
#include "net.h"

namespace gdr::cli {
namespace {

struct NetCostOptions {
  ReportOptions report;
  std::string network = "optical-hub-cost-1d";
};

int cost(const NetCostOptions& options) {
  require_known(options.network, base::description_names({&interconnect::network_kind("optical-hub-cost"), 1}),
                "--network");
  const base::Description network = interconnect::load_network(options.network, "optical-hub-cost");
  const interconnect::HubCost cost = interconnect::hub_cost(network);
  Json json = options.report.begin(network.name, nullptr, true);
  json["total"] = cost.total;
  json["bandwidth_gbps"] = cost.bandwidth_gbps;
  json["usd_per_gbps"] = cost.per_gbps();
  for (const interconnect::CostLine& line : cost.lines) {
    json["lines"].push_back({{"board", line.board},
                             {"part", line.part},
                             {"unit_price", line.unit_price},
                             {"count", line.count},
                             {"subtotal", line.subtotal()}});
  }
  options.report.show(json, {{"title", network.title}});
  return kSuccess;
}

}  // namespace

void add_net_cost(Command net) {
  const auto [command, options] = net.add_command<NetCostOptions>("cost", "cost of an optical hub by parts",
                                                                  "gdr net cost --network optical-hub-cost-2d", cost);
  command.add_option("--network=NAME", options->network, "a description of kind optical-hub-cost: a name or FILE.toml");
  options->report.add_to(command);
}

}  // namespace gdr::cli
