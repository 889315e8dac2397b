// gdr net bcast and gdr net allgather: collective communication on a network.
#include <fmt/format.h>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::AllgatherOrder;
using interconnect::Path;
using interconnect::Schedule;

struct Options {
  PlatformArguments platform;
  SimulationArguments simulation;
  ReportOptions report;
  std::uint64_t bytes = 1 << 20;
  std::string method;
};

int report_schedule(const Options& options, const std::string& tool, const interconnect::Platform& platform,
                    const Schedule& schedule, const Stopwatch& watch) {
  options.simulation.write_links(schedule, platform, schedule.name + ", " + options.method);
  const double seconds = options.simulation.seconds(schedule, platform.topology);
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
  if (options.report.speaks()) {
    fmt::print("{} of {} bytes on {}, {}\n", schedule.name, options.bytes, platform.topology.name(), options.method);
    fmt::print("  time        {:.6g} s, busiest link {:.6g} s\n", seconds, bound);
    fmt::print("  messages    {}, {} bytes\n", traffic.messages, traffic.bytes);
    fmt::print("  model       {}\n", options.simulation.text());
  }
  options.report.write(json);
  return kSuccess;
}

int broadcast(const Options& options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  const interconnect::NodeId nodes = platform.topology.nodes();
  const Path path = options.method == "direct" ? Path::direct : Path::multipath;
  return report_schedule(options, "net bcast", platform,
                         options.method == "tree" ? interconnect::make_tree_broadcast(nodes, options.bytes)
                                                  : interconnect::make_broadcast(nodes, options.bytes, path),
                         watch);
}

int allgather(const Options& options) {
  const Stopwatch watch;
  const interconnect::Platform platform = options.platform.load();
  const AllgatherOrder order = options.method == "posted"     ? AllgatherOrder::posted
                               : options.method == "pairwise" ? AllgatherOrder::pairwise
                               : options.method == "ring"     ? AllgatherOrder::ring
                                                              : AllgatherOrder::bruck;
  return report_schedule(options, "net allgather", platform,
                         interconnect::make_allgather(platform.topology.nodes(), options.bytes, order), watch);
}

Command add_collective(Command net, const std::string& name, const std::string& what, const std::string& example,
                       const std::shared_ptr<Options>& options, int (*run)(const Options&),
                       const std::vector<std::string>& methods) {
  const Command command = net.add_command(name, what, example, [options, run] { return run(*options); });
  options->method = methods.front();
  options->platform.add_to(command);
  command.add_option("--bytes", options->bytes, "payload of each rank that sends")
      .check(whole_in_range(1, std::uint64_t{1} << 40))
      .capture_default_str();
  command.add_option("--method", options->method, "how messages go").check(one_of(methods)).capture_default_str();
  options->simulation.add_to(command);
  options->report.add_to(command);
  return command;
}

}  // namespace

void add_net_collectives(Command net) {
  add_collective(net, "bcast", "a message from node 0 to all others",
                 "gdr net bcast --topology hub --nodes 64 --bytes 65536 --method multipath",
                 std::make_shared<Options>(), broadcast, {"multipath", "direct", "tree"});
  add_collective(net, "allgather", "a message from every node to all others",
                 "gdr net allgather --topology torus --bytes 65536 --method ring", std::make_shared<Options>(),
                 allgather, {"posted", "pairwise", "ring", "bruck"});
}

}  // namespace gdr::cli
