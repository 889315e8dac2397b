// The emulated time of a run, which is not computed.

#include <fmt/format.h>

#include <optional>
#include <string>

#include "gdr/base/file.h"
#include "gdr/cluster/timed_nbody.h"
#include "gdr/commandline/terminal.h"
#include "gdr/hostlib/timed_run.h"
#include "nbody_options.h"

namespace gdr::cli {
namespace {

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

}  // namespace

int timed_nbody(const NbodyOptions& options, const hostlib::NbodySettings& settings) {
  check_timed(options);
  const hostlib::TimedRun run = hostlib::timed_run(settings);
  if (!(run.span > 0)) {
    throw UsageError(fmt::format("--t-end: {} is refused with --timing-only: it must be above the snapshot's time {}",
                                 options.run.t_end, run.begin));
  }
  for (const std::string& note : run.notes) commandline::print_message(fmt::format("gdr nbody: note: {}\n", note));
  Device device(options.board.device_options());
  device.load(load_kernel(options.run.kernel));
  cluster::require_j_capacity(device, run.particles);
  const cluster::TimedNbody timed = cluster::timed_nbody(run, blocks_of(options, run), device, options.cluster);
  Json json = options.report.begin(device.machine().name, options.board.engine, false);
  cluster::add_timed(json, timed, settings, device);
  options.report.show(json, cluster::words_of(timed, settings, device, options.cluster));
  return kSuccess;
}

}  // namespace gdr::cli
