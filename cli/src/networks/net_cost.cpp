// gdr net cost: the cost of an optical hub.
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/network_reports.h"
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
  Json json = options.report.begin(network.name, nullptr, true);
  interconnect::add_cost(json, interconnect::hub_cost(network));
  options.report.show(json, {{"title", network.title}});
  return kSuccess;
}

}  // namespace

void add_net_cost(Command net) {
  const auto [command, options] = net.add_command<NetCostOptions>("cost", "cost of an optical hub by parts",
                                                                  "gdr net cost --network optical-hub-cost-2d", cost);
  command.add_option("--network", options->network);
  options->report.add_to(command);
}

}  // namespace gdr::cli
