#include "timed_nbody.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/file.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/hostlib/block_steps.h"

namespace gdr::cli {
namespace {

constexpr std::size_t kMeasured =
    1024;  // particles, if --block-sizes asks for a measurement without saying of how many

void check_timed(const NbodyOptions& options, const std::optional<hostlib::StartModel>& start) {
  if (!start || start->kind != hostlib::StartKind::plummer) {
    throw UsageError("--timing-only has no particles: it takes --plummer or --start plummer alone");
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

/// Block steps of the run, and where they come from.
struct Blocks {
  std::string from;
  std::vector<double> measured_at;  // particles
  hostlib::BlockSteps steps;
};

Blocks blocks_of(const NbodyOptions& options, const hostlib::StartModel& start) {
  const auto n = static_cast<double>(start.particles);
  std::vector<hostlib::BlockSteps> measured;
  Blocks blocks;
  if (options.measures_block_sizes()) {
    Progress progress("measuring block sizes", options.report.progress_shown());
    const std::size_t most = options.measured_n.value_or(kMeasured);
    blocks.from = "measured";
    measured = hostlib::measured_for(start.particles, most, start.seed, options.run.hermite, options.run.t_end);
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

Json json_of(const NbodyOptions& options, const hostlib::StartModel& start, const Device& device, const Blocks& blocks,
             const cluster::NbodyCost& cost) {
  Json json = envelope("nbody", device.machine().name, options.board.engine, false);
  json["emulated_seconds"] = cost.seconds;
  json["emulated_gflops"] = cost.gflops;
  json["n"] = start.particles;
  json["start"] = hostlib::describe(start);
  json["seed"] = start.seed;
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
  json["block_sizes_measured_at"] = Json::array();
  for (const double n : blocks.measured_at) json["block_sizes_measured_at"].push_back(n);
  return json;
}

void print(const NbodyOptions& options, const hostlib::StartModel& start, const Device& device, const Blocks& blocks,
           const cluster::NbodyCost& cost) {
  fmt::print("{} particles to t = {} on {} at {} MHz, kernel {}: emulated time alone\n", start.particles,
             options.run.t_end, device.machine().title, device.machine().clock_mhz, options.run.kernel);
  fmt::print("  blocks          {:.0f} of {:.1f} particles on average, {:.4g} steps\n", cost.blocks,
             cost.steps / cost.blocks, cost.steps);
  fmt::print("                  scaled from block sizes measured with {:.0f} to {:.0f} particles, {}\n",
             blocks.measured_at.front(), blocks.measured_at.back(),
             options.measures_block_sizes() ? "now" : "of " + blocks.from);
  fmt::print(
      "  emulated time   {:.4f} s: i send {:.4f}, j send {:.4f}, compute and collect {:.4f}, add {:.4f}, integration "
      "{:.4f}\n",
      cost.seconds, cost.alone.i_send, cost.alone.j_send, cost.alone.compute, cost.alone.add, cost.alone.host);
  fmt::print("  emulated speed  {:.2f} Gflops at {:.0f} flops per interaction\n", cost.gflops, device.program().flops);
}

}  // namespace

int timed_nbody(const NbodyOptions& options, const std::optional<hostlib::StartModel>& start) {
  const Stopwatch watch;
  check_timed(options, start);
  Device device(options.board.device_options());
  device.load(load_kernel(options.run.kernel));
  if (start->particles > device.j_capacity()) {
    throw Error(
        fmt::format("{} j-particles do not fit: external memory holds {}", start->particles, device.j_capacity()));
  }
  const Blocks blocks = blocks_of(options, *start);
  const cluster::NbodyCost cost = cluster::nbody_cost(device.machine(), options.board.boards, device.program(),
                                                      blocks.steps, options.board.transfer, options.run.t_end);
  Json json = json_of(options, *start, device, blocks, cost);
  json["host_seconds"] = watch.seconds();
  options.report.write(json);
  if (!options.report.speaks()) return kSuccess;
  print(options, *start, device, blocks, cost);
  fmt::print("  host time       {:.2f} s\n", watch.seconds());
  return kSuccess;
}

}  // namespace gdr::cli
