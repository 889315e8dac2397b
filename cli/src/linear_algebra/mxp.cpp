// gdr hpl --mxp: LINPACK in short words, refined in doubles.
#include "gdr/hostlib/mxp.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "hpl_options.h"

namespace gdr::cli {
namespace {

double mxp_gflops(std::uint64_t n, double seconds) { return hpl_flops(static_cast<double>(n)) / seconds / 1e9; }

std::string mxp_steps_text(unsigned steps) { return fmt::format("{} step{}", steps, steps == 1 ? "" : "s"); }

MxpResult mxp_computed(const HplRunOptions& options, const DeviceOptions& device, Json& json) {
  BoardDgemm board(device, sgemm_program());
  Progress progress("factorising in short words", options.report.progress_shown());
  const MxpResult result = mxp_solve(
      options.n, options.nb, options.seed,
      [&](std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b) {
        return board.multiply(m, n, k, a, b);
      },
      options.mxp.refinement, [&](double done) { progress.show(done); });
  json["residual"] = result.residual;
  json["residual_before"] = result.before;
  json["counters"] = counters_json(board.counters(), true);
  return result;
}

}  // namespace

int mxp_on_one_node(const HplRunOptions& options) {
  const Stopwatch watch;
  BoardOptions with_engine = options.board;
  if (options.board.timing()) with_engine.engine = "simd";
  const DeviceOptions device = with_engine.device_options();
  emulator::MachineDescription machine = emulator::load_machine(device.machine);
  if (device.clock_mhz) machine.clock_mhz = *device.clock_mhz;
  const HostDescription host = load_host(options.host);
  const isa::Program program = sgemm_program();
  const bool exact = !options.board.timing() && with_engine.exact();
  Json json = envelope("hpl", machine.name, options.board.engine, exact);
  add_digests(json, program, machine);
  json["residual"] = nullptr;
  json["residual_before"] = nullptr;
  std::optional<MxpResult> result;
  if (!options.board.timing()) result = mxp_computed(options, device, json);

  const unsigned steps = result ? result->steps : options.mxp.steps;
  const ProductRule rule = options.products.rule_of_any_nb();
  const DgemmTransfer transfer{.mode = device.transfer, .small_depths = options.products.depths_of(rule)};
  const DgemmModel board(program, machine, device.boards);
  const MxpStages stages = mxp_with_board(host, board, transfer, rule, options.n, options.nb, steps);
  const DgemmModel in_doubles(load_kernel(options.kernel), machine, device.boards);
  const ProductRule rule_of_hpl = options.products.rule(options.nb);
  const double seconds_of_hpl =
      hpl_with_board(host, in_doubles,
                     {.mode = device.transfer, .small_depths = options.products.depths_of(rule_of_hpl)}, rule_of_hpl,
                     options.n, options.nb)
          .total();
  json["emulated_seconds"] = stages.total();
  json["emulated_gflops"] = mxp_gflops(options.n, stages.total());
  json["clocks"] = stages.clocks;
  json["n"] = options.n;
  json["nb"] = options.nb;
  json["transfer"] = name_of(options.board.transfer);
  json["products"] = name_of(rule);
  json["small_depths"] = name_of(transfer.small_depths);
  json["board_busy"] = stages.board / stages.total();
  json["stages"] = {{"panel", stages.panel}, {"update", stages.update}, {"refinement", stages.refinement}};
  json["refinement"] = name_of(options.mxp.refinement);
  json["refinement_steps"] = steps;
  json["hpl_seconds"] = seconds_of_hpl;
  json["host_seconds"] = watch.seconds();
  if (options.report.speaks()) {
    fmt::print("N = {}, NB = {} in short words on {} at {} MHz and its host {}\n", options.n, options.nb, machine.title,
               machine.clock_mhz, options.host);
    fmt::print("  emulated time   {} s: panel {}, update {}, refinement {}\n", seconds_text(stages.total()),
               seconds_text(stages.panel), seconds_text(stages.update), seconds_text(stages.refinement));
    fmt::print("  emulated speed  {:.1f} Gflops as HPL counts; board at work for {:.1f} %\n",
               mxp_gflops(options.n, stages.total()), 100 * stages.board / stages.total());
    fmt::print("  HPL in doubles  {} s, {:.1f} Gflops, on the same machine\n", seconds_text(seconds_of_hpl),
               mxp_gflops(options.n, seconds_of_hpl));
    fmt::print("  products        {}\n", in_words(rule, host));
    if (!result) {
      fmt::print("  refinement      {} counted\n", mxp_steps_text(steps));
    } else {
      if (!exact) fmt::print("  arithmetic      {}\n", with_engine.exactness());
      fmt::print("  refinement      {} ({}), from a residual of {:.4g}\n", mxp_steps_text(steps),
                 name_of(options.mxp.refinement), result->before);
      fmt::print(
          "  residual        {:.7f} = ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N), which must be below {}\n",
          result->residual, kHplThreshold);
    }
    fmt::print("  host time       {:.2f} s\n", watch.seconds());
  }
  options.report.write(json);
  if (result && !(result->residual < kHplThreshold)) {
    throw Error(fmt::format("the check fails: after {} the residual is {}, and it must be below {}",
                            mxp_steps_text(steps), result->residual, kHplThreshold));
  }
  return kSuccess;
}

int mxp_on_nodes(const HplRunOptions& options, const ClusterOptions& cluster_options, const HplOptions& asked) {
  const Stopwatch watch;
  const cluster::Cluster cluster = cluster_options.load(cluster_options.names.front());
  HplOptions hpl = asked;
  hpl.mxp = true;
  const cluster::HplRow row = hpl_row(cluster_options, hpl, cluster, *options.nodes, options.n);
  const interconnect::Topology network =
      cluster_options.network(cluster, static_cast<interconnect::NodeId>(*options.nodes));
  const double refinement = cluster::mxp_refinement_seconds_on(cluster, network, row.asked, options.mxp.steps);
  const double seconds = row.times.seconds + refinement;
  const cluster::HplRow in_doubles = hpl_row(cluster_options, asked, cluster, *options.nodes, options.n);
  const auto stage = [&](cluster::HplStage number) { return row.times.stages[static_cast<std::size_t>(number)]; };
  const double gflops = mxp_gflops(options.n, seconds);

  Json json = envelope("hpl", cluster.board.name, "timing", false);
  json["emulated_seconds"] = seconds;
  json["emulated_gflops"] = gflops;
  json["cluster"] = cluster.name;
  json["nodes"] = *options.nodes;
  json["grid"] = fmt::format("{}x{}", row.asked.grid.rows, row.asked.grid.columns);
  json["lookahead"] = hpl.lookahead;
  json["n"] = options.n;
  json["nb"] = row.asked.nb;
  json["transfer"] = name_of(cluster_options.transfer);
  json["products"] = name_of(row.asked.rule);
  json["small_depths"] = name_of(row.asked.transfer.small_depths);
  json["stages"] = {{"panel", stage(cluster::HplStage::panel)},
                    {"broadcast", stage(cluster::HplStage::broadcast)},
                    {"update", stage(cluster::HplStage::update)},
                    {"refinement", refinement}};
  json["refinement_steps"] = options.mxp.steps;
  json["hpl_seconds"] = in_doubles.times.seconds;
  json["bound_by"] = cluster::bound_by(row.times.parts);
  json["gflops_per_watt"] = gflops / row.watts;
  json["residual"] = nullptr;
  json["host_seconds"] = watch.seconds();
  options.report.write(json);
  if (!options.report.speaks()) return kSuccess;
  fmt::print("N = {}, NB = {} in short words on {}x{} ranks of {}, look-ahead {}\n", options.n, row.asked.nb,
             row.asked.grid.rows, row.asked.grid.columns, cluster.title, hpl.lookahead);
  fmt::print("  emulated time   {} s, on the critical path: panel {}, broadcast {}, update {}; then refinement {}\n",
             seconds_text(seconds), seconds_text(stage(cluster::HplStage::panel)),
             seconds_text(stage(cluster::HplStage::broadcast)), seconds_text(stage(cluster::HplStage::update)),
             seconds_text(refinement));
  fmt::print("  emulated speed  {:.1f} Gflops as HPL counts; the factorisation is bound by {}\n", gflops,
             cluster::bound_by(row.times.parts));
  fmt::print("  HPL in doubles  {} s, {:.1f} Gflops, on the same machine\n", seconds_text(in_doubles.times.seconds),
             in_doubles.gflops());
  fmt::print("  products        {}\n", in_words(row.asked.rule, cluster.host));
  fmt::print("  refinement      {} counted\n", mxp_steps_text(options.mxp.steps));
  fmt::print("  power           {:.0f} W, {:.3f} Gflops/W\n", row.watts, gflops / row.watts);
  fmt::print("  host time       {:.2f} s\n", watch.seconds());
  return kSuccess;
}

}  // namespace gdr::cli
