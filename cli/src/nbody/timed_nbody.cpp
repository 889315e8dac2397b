#include "timed_nbody.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/cluster/cluster.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/hostlib/block_steps.h"

namespace gdr::cli {
namespace {

constexpr std::size_t kMeasured =
    1024;  // particles, if --block-sizes asks for a measurement without saying of how many

constexpr double kJoulesPerKilowattHour = 3.6e6;
/// Interactions after which a measurement of the user's own particles ends: some 20 s of one core.
constexpr std::uint64_t kMostInteractions = 10'000'000'000;

/// The run that is timed.
struct Timed {
  std::string start;
  std::optional<std::uint64_t> seed;
  std::size_t particles = 0;
  double begin = 0;                       // the snapshot's time
  double span = 0;                        // units of time from there on
  std::optional<hostlib::Particles> own;  // none for a Plummer sphere
  std::vector<std::string> notes;
};

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

Timed timed_run(const NbodyOptions& options, const hostlib::NbodySettings& settings) {
  Timed run;
  if (settings.start && settings.start->kind == hostlib::StartKind::plummer) {
    run = {
        hostlib::describe(*settings.start), settings.start->seed, settings.start->particles, 0, settings.t_end, {}, {}};
    return run;
  }
  hostlib::RunStart start = hostlib::start_of_run(settings);
  run.start = start.name;
  if (settings.start && hostlib::fixed_particles(settings.start->kind) == 0) run.seed = settings.start->seed;
  run.particles = start.particles.size();
  run.begin = start.time;
  run.span = settings.t_end - start.time;
  run.notes = std::move(start.notes);
  run.own = std::move(start.particles);
  if (!(run.span > 0)) {
    throw UsageError(fmt::format("--t-end: {} is refused with --timing-only: it must be above the snapshot's time {}",
                                 options.run.t_end, run.begin));
  }
  return run;
}

/// Power of a host with the boards of the run, in W, by the description of --cluster.
double watts_of(const NbodyOptions& options) {
  const cluster::Cluster cluster = cluster::load_cluster(options.cluster);
  return cluster.host_power + cluster.board_power * options.board.boards;
}

std::string time_of_run_text(double seconds) {
  constexpr double kMostSeconds = 120;
  return seconds < kMostSeconds ? fmt::format("{:.4f} s", seconds) : duration_text(seconds);
}

/// Block steps of the run, and where they come from.
struct Blocks {
  std::string from;
  double measured_t = 0;            // units of time that were integrated; 0: of a file
  std::vector<double> measured_at;  // particles
  hostlib::BlockSteps steps;
};

/// Block steps of the user's own particles, from the first part of their run.
Blocks measured_blocks(const NbodyOptions& options, const Timed& run) {
  Progress progress("measuring block sizes", options.report.progress_shown());
  constexpr double kLongest = 1;  // unit of time
  const hostlib::MeasuredSteps measured =
      hostlib::measured_on(*run.own, options.measured_n.value_or(kMeasured), options.run.hermite,
                           std::min(run.span, kLongest), kMostInteractions);
  if (!options.block_sizes.empty()) base::write_file(options.block_sizes, hostlib::to_csv(measured.of));
  Blocks blocks{"measured", measured.t, {}, {}};
  for (const hostlib::BlockSteps& each : measured.of) blocks.measured_at.push_back(each.n);
  blocks.steps = measured.of.size() == 1 ? measured.of.front()
                                         : hostlib::scaled_block_steps(measured.of, static_cast<double>(run.particles));
  return blocks;
}

Blocks blocks_of(const NbodyOptions& options, const Timed& run) {
  if (run.own && options.from_block_sizes.empty()) return measured_blocks(options, run);
  const auto n = static_cast<double>(run.particles);
  std::vector<hostlib::BlockSteps> measured;
  Blocks blocks;
  if (options.measures_block_sizes()) {
    Progress progress("measuring block sizes", options.report.progress_shown());
    const std::size_t most = options.measured_n.value_or(kMeasured);
    blocks.from = "measured";
    measured = hostlib::measured_for(run.particles, most, *run.seed, options.run.hermite, run.span);
    blocks.measured_t = std::min(run.span, 1.0);
    if (!options.block_sizes.empty()) base::write_file(options.block_sizes, hostlib::to_csv(measured));
  } else if (!options.from_block_sizes.empty()) {
    blocks.from = options.from_block_sizes;
    measured = hostlib::block_steps_from_csv(base::read_file(options.from_block_sizes), options.from_block_sizes);
  } else {
    blocks.from = hostlib::kStandardBlockSteps;
    measured = hostlib::standard_block_steps();
    blocks.steps = hostlib::block_steps_for(n, options.run.hermite);
  }
  if (blocks.steps.counts.empty()) blocks.steps = hostlib::scaled_block_steps(measured, n);
  for (const hostlib::BlockSteps& each : measured) blocks.measured_at.push_back(each.n);
  return blocks;
}

Json json_of(const NbodyOptions& options, const Timed& run, const Device& device, const Blocks& blocks,
             const cluster::NbodyCost& cost, double watts) {
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
  json["block_sizes_measured_at"] = Json::array();
  for (const double n : blocks.measured_at) json["block_sizes_measured_at"].push_back(n);
  return json;
}

/// How the number of blocks is known, and what may change it.
std::vector<std::string> origin_of(const NbodyOptions& options, const Timed& run, const Blocks& blocks) {
  std::vector<std::string> origin;
  const std::string scaled = fmt::format("scaled from block sizes measured with {:.0f} to {:.0f} particles, ",
                                         blocks.measured_at.front(), blocks.measured_at.back());
  origin.push_back(blocks.measured_t == 0          ? scaled + "of " + blocks.from
                   : blocks.measured_at.size() > 1 ? scaled + "now"
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
  const Timed run = timed_run(options, settings);
  for (const std::string& note : run.notes) fmt::print(stderr, "gdr nbody: note: {}\n", note);
  Device device(options.board.device_options());
  device.load(load_kernel(options.run.kernel));
  if (run.particles > device.j_capacity()) {
    throw Error(fmt::format("{} j-particles do not fit: external memory holds {}", run.particles, device.j_capacity()));
  }
  const Blocks blocks = blocks_of(options, run);
  const cluster::NbodyCost cost = cluster::nbody_cost(device.machine(), options.board.boards, device.program(),
                                                      blocks.steps, options.board.transfer, run.span);
  const double watts = watts_of(options);
  Json json = json_of(options, run, device, blocks, cost, watts);
  json["host_seconds"] = watch.seconds();
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
