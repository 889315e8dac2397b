// gdr net routes: which links a message takes.
#include <fmt/format.h>

#include "gdr/base/file.h"
#include "gdr/interconnect/network_reports.h"
#include "gdr/interconnect/simgrid_file.h"
#include "net.h"

namespace gdr::cli {
namespace {

struct NetRoutesOptions {
  PlatformArguments platform;
  ReportOptions report;
  std::optional<std::uint32_t> from;
  std::optional<std::uint32_t> to;
  std::string save_platform;
};

void require_node(const std::optional<std::uint32_t>& node, const interconnect::Platform& platform,
                  std::string_view option) {
  if (!node || *node < platform.topology.nodes()) return;
  throw UsageError(
      fmt::format("{}: {} is refused: it must be from 0 to {}", option, *node, platform.topology.nodes() - 1));
}

/// Each listed path takes some hundred bytes.
void refuse_many_paths(const NetRoutesOptions& options, std::uint64_t nodes) {
  constexpr std::uint64_t kMostPaths = std::uint64_t{1} << 22;
  const std::uint64_t paths = (options.from ? 1 : nodes) * (options.to ? 1 : nodes);
  if (paths <= kMostPaths) return;
  throw UsageError(
      fmt::format("{} paths are refused: at most {} are listed; --from and --to choose some", paths, kMostPaths));
}

int routes(const NetRoutesOptions& options) {
  const interconnect::Platform platform = options.platform.load();
  const interconnect::Topology& topology = platform.topology;
  require_node(options.from, platform, "--from");
  require_node(options.to, platform, "--to");
  // With --save-platform, the file has all routes.
  const bool lists = options.save_platform.empty() || options.from || options.to;
  if (lists) refuse_many_paths(options, topology.nodes());
  if (!options.save_platform.empty()) {
    base::write_file(options.save_platform, interconnect::simgrid_file(platform));
  }
  Json json = options.report.begin(platform.description, nullptr, true);
  json["routes"] = Json::array();
  if (lists) interconnect::add_routes(json, platform, options.from, options.to);
  options.report.show(json);
  return kSuccess;
}

}  // namespace

void add_net_routes(Command net) {
  const auto [command, options] = net.add_command<NetRoutesOptions>(
      "routes", "list the links on the paths of messages", "gdr net routes --topology torus --from 0 --to 27", routes);
  options->platform.add_to(command);
  command.add_option("--from", options->from, "show only paths from this node", whole_in_range(0, (1U << 20) - 1));
  command.add_option("--to", options->to, "show only paths to this node", whole_in_range(0, (1U << 20) - 1));
  command.add_output("--save-platform", options->save_platform,
                     "write nodes, links and all routes as a file of SimGrid, for smpirun; up to 1024 nodes");
  options->report.add_to(command);
}

}  // namespace gdr::cli
