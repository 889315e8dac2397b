// gdr net summa: a parallel matrix product on a network.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/summa.h"
#include "gdr/interconnect/summa_closed_form.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Platform;
using interconnect::SummaAlgorithm;
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

interconnect::SummaOptions summa_options(const NetSummaOptions& options, const Platform& platform) {
  const auto algorithm = static_cast<SummaAlgorithm>(options.algorithm.back() - '0');
  return {.nodes = platform.topology.nodes(),
          .n = options.n,
          .algorithm = algorithm,
          .layout = options.layout == "2d" ? SummaLayout::square : SummaLayout::cube,
          .by_rows_and_columns =
              platform.kind == interconnect::PlatformKind::optical_hub_2d && algorithm == SummaAlgorithm::ca4,
          .tree_radix = interconnect::load_tree_radix("mvapich2")};
}

/// Speed of a node; 0: arithmetic takes no time.
double flops_per_second(const NetSummaOptions& options, const Platform& platform) {
  return options.compute == "nominal" ? platform.common_flops_per_second() : 0;
}

/// Seconds of CA1 in two dimensions on a hub with the same number of nodes, bandwidth and latency; nothing if the nodes
/// form no square, or more than a hub that is simulated has.
std::optional<double> reference_seconds(const NetSummaOptions& options, const Platform& platform) {
  constexpr interconnect::NodeId kMostHubNodes = 4096;
  const interconnect::NodeId nodes = platform.topology.nodes();
  interconnect::SummaOptions summa = summa_options(options, platform);
  summa.algorithm = SummaAlgorithm::ca1;
  summa.layout = SummaLayout::square;
  summa.by_rows_and_columns = false;
  try {
    static_cast<void>(interconnect::square_side(nodes, "nodes"));
  } catch (const Error&) {
    return std::nullopt;
  }
  const interconnect::Cable wavelength{platform.node_bytes_per_second / nodes,
                                       platform.topology.links()[0].latency_seconds};
  const double speed = flops_per_second(options, platform);
  if (options.simulation.executor == "closed-form") {
    return interconnect::ca1_on_hub_seconds(nodes, options.n, wavelength, speed);
  }
  if (nodes > kMostHubNodes) return std::nullopt;
  return options.simulation.seconds(interconnect::make_summa(summa).schedule,
                                    interconnect::optical_hub(nodes, wavelength), options.report, speed);
}

/// What the report says of a run.
struct SummaRun {
  double seconds = 0;
  std::uint64_t padded_n = 0;
  interconnect::Traffic traffic;
  double link_bound_seconds = 0;
};

/// Mean number of links of a message.
double hops_of_messages(const interconnect::SummaOptions& wanted, const interconnect::Topology& topology) {
  const bool is_relayed = wanted.algorithm == SummaAlgorithm::ca3 ||
                          (wanted.algorithm == SummaAlgorithm::ca4 && !wanted.by_rows_and_columns);
  if (is_relayed || wanted.layout == SummaLayout::cube) return mean_hops(topology);
  const auto side = static_cast<interconnect::NodeId>(std::sqrt(wanted.nodes));
  return (mean_hops(topology, 1, side) + mean_hops(topology, side, side)) / 2;
}

/// A closed form is refused from the routes that it follows, a simulation from its messages, before the schedule is
/// made.
SummaRun run_of(const NetSummaOptions& options, const Platform& platform) {
  const interconnect::SummaOptions wanted = summa_options(options, platform);
  const std::string what = "--algorithm " + options.algorithm + " --layout " + options.layout;
  const std::string on = fmt::format("{} on {} nodes", what, wanted.nodes);
  const std::string title = options.algorithm + " in " + options.layout;
  static_cast<void>(from_command_line(what, [&] {
    return wanted.layout == SummaLayout::square ? interconnect::square_side(wanted.nodes, "nodes for a square")
                                                : interconnect::cube_side(wanted.nodes, "nodes for a cube");
  }));
  const interconnect::SummaSize size = interconnect::summa_size(wanted);
  if (options.simulation.executor == "closed-form") {
    refuse_long_run(on, closed_form_seconds(size.routes, hops_of_messages(wanted, platform.topology)), options.long_run,
                    "fewer nodes or CA1 need less");
    const interconnect::SummaClosedForm form = from_command_line(what, [&] {
      return interconnect::summa_closed_form(wanted, platform.topology, flops_per_second(options, platform));
    });
    options.simulation.write_links(form.loads, platform, title);
    return {form.times.lockstep_seconds, form.padded_n, form.traffic, form.times.link_bound_seconds};
  }
  refuse_long_run(on, simulation_seconds(platform, size.messages, size.together), options.long_run,
                  "--executor closed-form needs less");
  const interconnect::SummaPlan plan = from_command_line(what, [&] { return interconnect::make_summa(wanted); });
  options.simulation.write_links(plan.schedule, platform, title);
  return {
      options.simulation.seconds(plan.schedule, platform.topology, options.report, flops_per_second(options, platform)),
      plan.padded_n, interconnect::traffic(plan.schedule),
      interconnect::run_closed_form(plan.schedule, platform.topology).link_bound_seconds};
}

int summa(const NetSummaOptions& options) {
  const Stopwatch watch;
  const Platform platform = options.platform.load();
  const interconnect::SummaOptions chosen = summa_options(options, platform);
  const auto [seconds, padded_n, traffic, link_bound] = run_of(options, platform);
  const std::optional<double> reference = reference_seconds(options, platform);
  const double words =
      interconnect::summa_memory_words(chosen.algorithm, chosen.layout, chosen.nodes, static_cast<double>(padded_n));

  Json json = envelope("net summa", platform.description, options.simulation.engine(), false);
  json["emulated_seconds"] = seconds;
  json["host_seconds"] = watch.seconds();
  json["nodes"] = chosen.nodes;
  json["n"] = options.n;
  json["padded_n"] = padded_n;
  json["algorithm"] = options.algorithm;
  json["layout"] = options.layout;
  json["compute"] = options.compute;
  json["routing"] = platform.routing;
  json["simulation"] = options.simulation.json();
  json["seconds"] = seconds;
  json["relative"] = reference ? Json(*reference / seconds) : Json(nullptr);
  json["memory_words"] = words;
  json["messages"] = traffic.messages;
  json["bytes"] = traffic.bytes;
  json["link_bound_seconds"] = link_bound;
  options.report.show(json, {{"topology", platform.topology.name()},
                             {"padded_n", padded_n == options.n ? Json(nullptr) : Json(padded_n)},
                             {"model", options.simulation.text()}});
  return kSuccess;
}

}  // namespace

void add_net_summa(Command net) {
  auto options = std::make_shared<NetSummaOptions>();
  const Command command = net.add_command("summa", "parallel matrix product by SUMMA",
                                          "gdr net summa --topology torus --nodes 64 --n 8192 --algorithm CA4",
                                          [options] { return summa(*options); });
  options->platform.add_to(command);
  command.add_option("-n,--n", options->n, "order of the matrices")
      .check(whole_in_range(1, 1U << 24))
      .capture_default_str();
  command.add_option("--algorithm", options->algorithm, "algorithm that broadcasts the blocks")
      .check(one_of({"CA0", "CA1", "CA2", "CA3", "CA4"}))
      .capture_default_str();
  command.add_option("--layout", options->layout, "blocks on a square of nodes, or on a cube (CA1, CA3)")
      .check(one_of({"2d", "2.5d"}))
      .capture_default_str();
  command
      .add_option("--compute", options->compute, "time of arithmetic: none, or that at the nominal speed of the nodes")
      .check(one_of({"zero", "nominal"}))
      .capture_default_str();
  command.add_flag("--long", options->long_run, "compute even if that takes more than a minute");
  options->simulation.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
