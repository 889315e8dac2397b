// gdr net summa: a parallel matrix product on a network.
#include <fmt/format.h>

#include <optional>

#include "gdr/interconnect/summa.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Platform;
using interconnect::SummaLayout;

struct NetSummaOptions {
  PlatformArguments platform;
  SimulationArguments simulation;
  ReportOptions report;
  std::uint64_t n = 8192;
  std::string algorithm = "CA4";
  std::string layout = "2d";
  std::string compute = "zero";
  bool long_run = false;
};

/// Speed of a node; 0: arithmetic takes no time.
double flops_per_second(const NetSummaOptions& options, const Platform& platform) {
  return options.compute == "nominal" ? platform.common_flops_per_second() : 0;
}

/// A closed form is refused from the routes that it follows, a simulation from its messages, before the schedule is
/// made.
interconnect::ScheduleRun run_of(const NetSummaOptions& options, const Platform& platform,
                                 const interconnect::SummaOptions& wanted) {
  const std::string what = "--algorithm " + options.algorithm + " --layout " + options.layout;
  static_cast<void>(from_command_line(what, [&] {
    return wanted.layout == SummaLayout::square ? interconnect::square_side(wanted.nodes, "nodes for a square")
                                                : interconnect::cube_side(wanted.nodes, "nodes for a cube");
  }));
  const interconnect::Executor executor =
      options.simulation.make_executor(options.report, flops_per_second(options, platform));
  refuse_long_run(fmt::format("{} on {} nodes", what, wanted.nodes), host_seconds(wanted, platform, executor),
                  options.long_run,
                  executor.is_closed_form() ? "fewer nodes or CA1 need less" : "--executor closed-form needs less");
  interconnect::ScheduleRun run =
      from_command_line(what, [&] { return interconnect::run_of(wanted, platform.topology, executor); });
  options.simulation.write_links(run.loads, platform, options.algorithm + " in " + options.layout);
  run.simulate(platform.topology, executor);
  return run;
}

int summa(const NetSummaOptions& options) {
  const Platform platform = options.platform.load();
  const interconnect::SummaOptions chosen = interconnect::summa_on(
      platform, options.n, options.algorithm, options.layout == "2d" ? SummaLayout::square : SummaLayout::cube);
  const interconnect::ScheduleRun run = run_of(options, platform, chosen);
  const std::optional<double> reference = interconnect::ca1_on_hub(
      chosen, platform, options.simulation.make_executor(options.report, flops_per_second(options, platform)));
  const double words = interconnect::summa_memory_words(chosen.algorithm, chosen.layout, chosen.nodes,
                                                        static_cast<double>(run.padded_n));

  Json json = options.report.begin(platform.description, options.simulation.engine(), false);
  json["emulated_seconds"] = run.seconds;
  json["nodes"] = chosen.nodes;
  json["n"] = options.n;
  json["padded_n"] = run.padded_n;
  json["algorithm"] = options.algorithm;
  json["layout"] = options.layout;
  json["compute"] = options.compute;
  json["routing"] = platform.routing;
  json["simulation"] = options.simulation.json();
  json["seconds"] = run.seconds;
  json["relative"] = reference ? Json(*reference / run.seconds) : Json(nullptr);
  json["memory_words"] = words;
  json["messages"] = run.traffic.messages;
  json["bytes"] = run.traffic.bytes;
  json["link_bound_seconds"] = run.link_bound_seconds;
  options.report.show(json, {{"topology", platform.topology.name()},
                             {"padded_n", run.padded_n == options.n ? Json(nullptr) : Json(run.padded_n)},
                             {"model", options.simulation.text()}});
  return kSuccess;
}

}  // namespace

void add_net_summa(Command net) {
  const auto [command, options] =
      net.add_command<NetSummaOptions>("summa", "parallel matrix product by SUMMA",
                                       "gdr net summa --topology torus --nodes 64 --n 8192 --algorithm CA4", summa);
  options->platform.add_to(command);
  command.add_option("--n order", options->n);
  command.add_option("--algorithm summa", options->algorithm);
  command.add_option("--layout", options->layout, "blocks on a square of nodes, or on a cube (CA1, CA3)",
                     one_of({"2d", "2.5d"}));
  command.add_option("--compute", options->compute,
                     "time of arithmetic: none, or that at the nominal speed of the nodes",
                     one_of({"zero", "nominal"}));
  command.add_flag("--long", options->long_run);
  options->simulation.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
