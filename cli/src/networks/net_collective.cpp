// gdr net bcast, allgather, allreduce and alltoall: collective communication on a network.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::AllgatherOrder;
using interconnect::Path;
using interconnect::Schedule;

struct NetCollectiveOptions {
  PlatformArguments platform;
  SimulationArguments simulation;
  ReportOptions report;
  std::uint64_t bytes = 1 << 20;
  std::string method;
  bool long_run = false;
};

int report_schedule(const NetCollectiveOptions& options, const std::string& tool,
                    const interconnect::Platform& platform, const Schedule& schedule, const Stopwatch& watch) {
  options.simulation.write_links(schedule, platform, schedule.name + ", " + options.method);
  const double seconds = options.simulation.seconds(schedule, platform.topology, options.report);
  const interconnect::Traffic traffic = interconnect::traffic(schedule);
  const double bound = interconnect::run_closed_form(schedule, platform.topology).link_bound_seconds;
  Json json = envelope(tool, platform.description, options.simulation.engine(), false);
  json["emulated_seconds"] = seconds;
  json["host_seconds"] = watch.seconds();
  json["nodes"] = platform.topology.nodes();
  json["bytes"] = options.bytes;
  json["method"] = options.method;
  json["simulation"] = options.simulation.json();
  json["seconds"] = seconds;
  json["link_bound_seconds"] = bound;
  json["messages"] = traffic.messages;
  options.report.show(json, {{"schedule", schedule.name},
                             {"topology", platform.topology.name()},
                             {"total_bytes", traffic.bytes},
                             {"model", options.simulation.text()}});
  return kSuccess;
}

int broadcast(const NetCollectiveOptions& options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  const interconnect::NodeId nodes = platform.topology.nodes();
  const Path path = options.method == "direct" ? Path::direct : Path::multipath;
  const Schedule schedule = from_command_line("--nodes, --bytes", [&] {
    return options.method == "tree" ? interconnect::make_tree_broadcast(nodes, options.bytes)
                                    : interconnect::make_broadcast(nodes, options.bytes, path);
  });
  return report_schedule(options, "net bcast", platform, schedule, watch);
}

/// The method that MPI libraries choose: Bruck's with few steps if all blocks together are short, a ring if they are
/// long [Thakur et al. 2005, section 4.1]. Beyond kMostInARing nodes it is always Bruck's, because the simulation of a
/// ring would take too long.
std::string chosen_method(const NetCollectiveOptions& options, interconnect::NodeId nodes) {
  constexpr std::uint64_t kShortBytes = 81920;
  constexpr interconnect::NodeId kMostInARing = 256;
  if (options.method != "auto") return options.method;
  return nodes > kMostInARing || options.bytes * nodes < kShortBytes ? "bruck" : "ring";
}

/// Refuses what would be simulated for minutes; `instead` needs less time.
void refuse_long(const NetCollectiveOptions& options, const interconnect::Platform& platform,
                 std::string_view instead) {
  if (options.simulation.executor == "closed-form") return;
  const auto ranks = static_cast<double>(platform.topology.nodes());
  const double messages = ranks * (options.method == "bruck" ? std::ceil(std::log2(ranks)) : ranks - 1);
  refuse_long_run(fmt::format("--method {} on {} nodes", options.method, platform.topology.nodes()),
                  simulation_seconds(platform, messages, options.method == "posted" ? messages : ranks),
                  options.long_run, instead);
}

int allreduce(const NetCollectiveOptions& options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  const interconnect::NodeId nodes = platform.topology.nodes();
  const Path path = options.method == "direct" ? Path::direct : Path::multipath;
  const Schedule schedule = from_command_line("--nodes, --bytes", [&] {
    return options.method == "doubling" ? interconnect::make_doubling_allreduce(nodes, options.bytes)
                                        : interconnect::make_allreduce(nodes, options.bytes, path);
  });
  return report_schedule(options, "net allreduce", platform, schedule, watch);
}

int alltoall(const NetCollectiveOptions& options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  refuse_long(options, platform, "--executor closed-form needs less");
  const AllgatherOrder order = options.method == "posted" ? AllgatherOrder::posted : AllgatherOrder::pairwise;
  const Schedule schedule = from_command_line(
      "--nodes, --bytes", [&] { return interconnect::make_alltoall(platform.topology.nodes(), options.bytes, order); });
  return report_schedule(options, "net alltoall", platform, schedule, watch);
}

int allgather(NetCollectiveOptions options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  const interconnect::NodeId nodes = platform.topology.nodes();
  options.method = chosen_method(options, nodes);
  refuse_long(options, platform, "--executor closed-form or --method bruck need less");
  const AllgatherOrder order = options.method == "posted"     ? AllgatherOrder::posted
                               : options.method == "pairwise" ? AllgatherOrder::pairwise
                               : options.method == "ring"     ? AllgatherOrder::ring
                                                              : AllgatherOrder::bruck;
  const Schedule schedule =
      from_command_line("--nodes, --bytes", [&] { return interconnect::make_allgather(nodes, options.bytes, order); });
  return report_schedule(options, "net allgather", platform, schedule, watch);
}

Command add_collective(Command net, const std::string& name, const std::string& what, const std::string& example,
                       const std::shared_ptr<NetCollectiveOptions>& options,
                       const std::function<int(const NetCollectiveOptions&)>& run,
                       const std::vector<std::string>& methods) {
  const Command command = net.add_command(name, what, example, [options, run] { return run(*options); });
  options->method = methods.front();
  options->platform.add_to(command);
  command.add_option("--bytes", options->bytes, "payload of each sending rank")
      .check(whole_in_range(1, std::uint64_t{1} << 40, ValueUnit::bytes))
      .capture_default_str();
  command.add_option("--method", options->method, "path of the messages").check(one_of(methods)).capture_default_str();
  options->simulation.add_to(command);
  options->report.add_to(command);
  return command;
}

}  // namespace

void add_net_collectives(Command net) {
  add_collective(net, "bcast", "broadcast: a message from node 0 to all others",
                 "gdr net bcast --topology hub --nodes 64 --bytes 65536 --method multipath",
                 std::make_shared<NetCollectiveOptions>(), broadcast, {"multipath", "direct", "tree"});
  add_collective(net, "allreduce", "sums of what all nodes have, at all nodes",
                 "gdr net allreduce --network ha-pacs-tca --nodes 32 --bytes 8",
                 std::make_shared<NetCollectiveOptions>(), allreduce, {"doubling", "direct", "multipath"});
  const auto exchange = std::make_shared<NetCollectiveOptions>();
  const Command to_all =
      add_collective(net, "alltoall", "a message of its own from every node to every other one",
                     "gdr net alltoall --topology torus --bytes 4096", exchange, alltoall, {"posted", "pairwise"});
  to_all.add_flag("--long", exchange->long_run, "simulate even if that takes more than a minute");
  const auto options = std::make_shared<NetCollectiveOptions>();
  const Command command = add_collective(net, "allgather", "a message from every node to all others",
                                         "gdr net allgather --topology torus --bytes 65536 --method ring", options,
                                         allgather, {"auto", "posted", "pairwise", "ring", "bruck"});
  command.add_flag("--long", options->long_run, "simulate even if that takes more than a minute");
}

}  // namespace gdr::cli
