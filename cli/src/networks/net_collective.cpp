// gdr net bcast, allgather, allreduce and alltoall: collective communication on a network.
#include <fmt/format.h>

#include <algorithm>

#include "gdr/interconnect/collectives.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Collective;
using interconnect::CollectiveOperation;

constexpr std::string_view kAuto = interconnect::kAutoMethod;

struct NetCollectiveOptions {
  std::string title;  // broadcast, ...
  CollectiveOperation operation = CollectiveOperation::broadcast;
  PlatformArguments platform;
  SimulationArguments simulation;
  ReportOptions report;
  std::uint64_t bytes = 1 << 20;
  std::string method{kAuto};
  std::uint32_t group = 0;
  bool long_run = false;
};

Collective chosen(const NetCollectiveOptions& options, const interconnect::Platform& platform) {
  const interconnect::NodeId nodes = platform.topology.nodes();
  Collective collective{options.operation, {}, options.bytes, options.group};
  collective.algorithm = interconnect::algorithm_by(options.operation, options.method, nodes, options.bytes);
  if (collective.group == 0) collective.group = std::min(nodes, platform.nodes_together);
  if (collective.algorithm == interconnect::CollectiveAlgorithm::levels && collective.group == 0) {
    throw UsageError(
        fmt::format("--method levels is refused: {} has no sub-clusters; --group gives nodes that are near "
                    "each other",
                    platform.description));
  }
  return collective;
}

/// A closed form is refused from the routes that it follows, a simulation from its messages.
interconnect::ScheduleRun run_of(const NetCollectiveOptions& options, const interconnect::Platform& platform,
                                 const Collective& collective) {
  const std::string_view method = interconnect::name_of(collective.algorithm);
  const interconnect::Executor executor = options.simulation.make_executor(options.report);
  refuse_long_run(
      fmt::format("--method {} on {} nodes", method, platform.topology.nodes()),
      host_seconds(collective, platform, executor), options.long_run,
      executor.is_closed_form() ? "another method or fewer nodes need less" : "--executor closed-form needs less");
  interconnect::ScheduleRun run =
      from_command_line("--nodes, --method", [&] { return run_of(collective, platform.topology, executor); });
  options.simulation.write_links(run.loads, platform, fmt::format("{}, {}", options.title, method));
  run.simulate(platform.topology, executor);
  return run;
}

int collective(const NetCollectiveOptions& options) {
  const interconnect::Platform platform = options.platform.load();
  const Collective collective = chosen(options, platform);
  const std::string method(interconnect::name_of(collective.algorithm));
  const interconnect::ScheduleRun run = run_of(options, platform, collective);
  const bool is_auto = options.method == kAuto;
  Json json = options.report.begin(platform.description, options.simulation.engine(), false);
  json["emulated_seconds"] = run.seconds;
  json["nodes"] = platform.topology.nodes();
  json["bytes"] = options.bytes;
  json["method"] = method;
  json["chosen_by"] = is_auto ? Json(interconnect::kCollectiveLibrary) : Json(nullptr);
  json["simulation"] = options.simulation.json();
  json["seconds"] = run.seconds;
  json["link_bound_seconds"] = run.link_bound_seconds;
  json["messages"] = run.traffic.messages;
  json["total_bytes"] = run.traffic.bytes;
  options.report.show(
      json, {{"title", options.title}, {"topology", platform.topology.name()}, {"model", options.simulation.text()}});
  return kSuccess;
}

void add_collective(Command net, CollectiveOperation operation, const std::string& name, const std::string& title,
                    const std::string& what, const std::string& example) {
  const auto [command, options] = net.add_command<NetCollectiveOptions>(name, what, example, collective);
  options->title = title;
  options->operation = operation;
  options->platform.add_to(command);
  command.add_option("--bytes", options->bytes);
  std::vector<std::string> methods{std::string(kAuto)};
  for (const auto algorithm : interconnect::algorithms_of(operation)) methods.emplace_back(name_of(algorithm));
  command.add_option("--method", options->method,
                     fmt::format("algorithm; auto: the choice of {} for this size and number of nodes",
                                 interconnect::kCollectiveLibrary),
                     one_of(methods));
  if (operation == CollectiveOperation::allgather) {
    command.add_option("--group", options->group,
                       "levels: nodes in a row that are near each other; default: those of a sub-cluster",
                       whole_in_range(1, 1U << 20));
  }
  command.add_flag("--long", options->long_run);
  options->simulation.add_to(command);
  options->report.add_to(command);
}

}  // namespace

void add_net_collectives(Command net) {
  add_collective(net, CollectiveOperation::broadcast, "bcast", "broadcast",
                 "broadcast: a message from node 0 to all others",
                 "gdr net bcast --topology hub --nodes 64 --bytes 65536 --method multipath");
  add_collective(net, CollectiveOperation::allreduce, "allreduce", "allreduce",
                 "sums of what all nodes have, at all nodes",
                 "gdr net allreduce --network ha-pacs-tca --nodes 32 --bytes 8");
  add_collective(net, CollectiveOperation::alltoall, "alltoall", "all-to-all",
                 "a message of its own from every node to every other one",
                 "gdr net alltoall --topology torus --bytes 4096");
  add_collective(net, CollectiveOperation::allgather, "allgather", "allgather",
                 "a message from every node to all others",
                 "gdr net allgather --topology torus --bytes 65536 --method ring");
}

}  // namespace gdr::cli
