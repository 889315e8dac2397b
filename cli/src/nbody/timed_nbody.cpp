#include "timed_nbody.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/base/quantity.h"
#include "gdr/cluster/cluster.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/hostlib/timed_run.h"

namespace gdr::cli {
namespace {

constexpr double kJoulesPerKilowattHour = 3.6e6;
void check_timed(const NbodyOptions& options) {
  if (!options.restart.empty()) {
    throw UsageError("--timing-only takes no --restart: name the --in or the --start of the run");
  }
  const bool writes = !options.out.empty() || !options.log.empty() || !options.checkpoint.empty();
  if (writes || !options.page.empty()) {
    throw UsageError("--timing-only has no particles: it writes no --output, --log, --checkpoint or --report");
  }
  if (!options.observe.trace.empty() || !options.observe.profile.empty()) {
    throw UsageError("--trace and --profile: --timing-only scales the blocks of nbody, it plays none");
  }
  if (!(options.run.t_end > 0)) throw UsageError("--t-end: 0 is refused with --timing-only: it must be above 0");
}

/// Power of a host with the boards of the run, in W, by the description of --cluster.
double watts_of(const NbodyOptions& options) {
  const cluster::Cluster cluster = cluster::load_cluster(options.cluster);
  return cluster.host_power + cluster.board_power * options.board.boards;
}

std::string time_of_run_text(double seconds) {
  constexpr double kMostSeconds = 120;
  return seconds < kMostSeconds ? fmt::format("{:.4f} s", seconds) : base::duration_text(seconds);
}

hostlib::RunBlocks blocks_of(const NbodyOptions& options, const hostlib::TimedRun& run) {
  const bool measures = options.measures_block_sizes() || (run.own && options.from_block_sizes.empty());
  std::optional<Progress> progress;
  if (measures) progress.emplace("measuring block sizes", options.report.progress_shown());
  hostlib::RunBlocks blocks =
      measures ? hostlib::measured_blocks(run, options.run.hermite, options.measured_n.value_or(hostlib::kMeasured))
               : hostlib::known_blocks(run, options.run.hermite, options.from_block_sizes);
  if (measures && !options.block_sizes.empty()) base::write_file(options.block_sizes, hostlib::to_csv(blocks.measured));
  return blocks;
}

Json json_of(const NbodyOptions& options, const hostlib::TimedRun& run, const Device& device,
             const hostlib::RunBlocks& blocks, const cluster::NbodyCost& cost, double watts) {
  Json json = envelope("nbody", device.machine().name, options.board.engine, false);
  json["emulated_seconds"] = cost.seconds;
  json["emulated_gflops"] = cost.gflops;
  json["watts"] = watts;
  json["joules"] = watts * cost.seconds;
  json["n"] = run.particles;
  json["start"] = run.start;
  json["seed"] = run.seed ? Json(*run.seed) : Json(nullptr);
  json["t_begin"] = run.begin;
  json["eps"] = options.run.hermite.eps;
  json["eta"] = options.run.hermite.eta;
  json["t"] = options.run.t_end;
  json["energy_error"] = nullptr;
  json["steps"] = cost.steps;
  json["block_steps"] = cost.blocks;
  json["interactions"] = cost.interactions;
  json["state_hash"] = nullptr;
  json["kernel"] = options.run.kernel;
  add_digests(json, device.program(), device.machine());
  json["clock_mhz"] = device.machine().clock_mhz;
  json["transfer"] = std::string(name_of(options.board.transfer));
  json["boards"] = options.board.boards;
  json["stages"] = {{"i_send", cost.alone.i_send},
                    {"j_send", cost.alone.j_send},
                    {"compute", cost.alone.compute},
                    {"add", cost.alone.add},
                    {"host", cost.alone.host}};
  json["block_sizes_from"] = blocks.from;
  json["block_sizes_measured_t"] = blocks.measured_t > 0 ? Json(blocks.measured_t) : Json(nullptr);
  json["block_sizes_measured_at"] = blocks.measured_at();
  return json;
}

/// How the number of blocks is known, and what may change it.
std::vector<std::string> origin_of(const NbodyOptions& options, const hostlib::TimedRun& run,
                                   const hostlib::RunBlocks& blocks) {
  std::vector<std::string> origin;
  const std::string scaled = fmt::format("scaled from block sizes measured with {:.0f} to {:.0f} particles, ",
                                         blocks.measured.front().n, blocks.measured.back().n);
  origin.push_back(blocks.measured_t == 0       ? scaled + "of " + blocks.from
                   : blocks.measured.size() > 1 ? scaled + "now"
                                                : "as measured with all particles, now");
  if (blocks.measured_t > 0) {
    origin.push_back(fmt::format("on the first {:.4g} of {:.4g} units of time, with forces in doubles",
                                 blocks.measured_t, run.span));
  }
  if (run.span > 1) {
    origin.emplace_back("later steps may be shorter: a core that contracts, pairs that become closer");
  }
  constexpr double kNoisyEta = 0.05;  // below it gravity_jerk takes other steps than forces in doubles do
  if (options.run.hermite.eta < kNoisyEta && options.run.kernel != "gravity_jerk_long") {
    origin.push_back(
        fmt::format("noise of {} at eta = {} may change them by a third", options.run.kernel, options.run.hermite.eta));
  }
  return origin;
}

}  // namespace

int timed_nbody(const NbodyOptions& options, const hostlib::NbodySettings& settings) {
  const Stopwatch watch;
  check_timed(options);
  const hostlib::TimedRun run = hostlib::timed_run(settings);
  if (!(run.span > 0)) {
    throw UsageError(fmt::format("--t-end: {} is refused with --timing-only: it must be above the snapshot's time {}",
                                 options.run.t_end, run.begin));
  }
  for (const std::string& note : run.notes) fmt::print(stderr, "gdr nbody: note: {}\n", note);
  Device device(options.board.device_options());
  device.load(load_kernel(options.run.kernel));
  if (run.particles > device.j_capacity()) {
    throw Error(fmt::format("{} j-particles do not fit: external memory holds {}", run.particles, device.j_capacity()));
  }
  const hostlib::RunBlocks blocks = blocks_of(options, run);
  const cluster::NbodyCost cost = cluster::nbody_cost(device.machine(), options.board.boards, device.program(),
                                                      blocks.steps, options.board.transfer, run.span);
  const double watts = watts_of(options);
  Json json = json_of(options, run, device, blocks, cost, watts);
  options.report.show(json, {{"machine", device.machine().title},
                             {"flops", device.program().flops},
                             {"block_size", cost.steps / cost.blocks},
                             {"origin", origin_of(options, run, blocks)},
                             {"takes", time_of_run_text(cost.seconds)},
                             {"kilowatt_hours", watts * cost.seconds / kJoulesPerKilowattHour},
                             {"cluster", options.cluster}});
  return kSuccess;
}

}  // namespace gdr::cli
