#include "gdr/hostlib/timed_run.h"

#include <algorithm>
#include <utility>

#include "gdr/base/file.h"

namespace gdr::hostlib {

TimedRun timed_run(const NbodySettings& settings) {
  if (settings.start && settings.start->kind == StartKind::plummer) {
    return {describe(*settings.start), settings.start->seed, settings.start->particles, 0, settings.t_end, {}, {}};
  }
  RunStart start = start_of_run(settings);
  const bool draws = settings.start && fixed_particles(settings.start->kind) == 0;
  const std::size_t particles = start.particles.size();
  return {start.name,
          draws ? std::optional(settings.start->seed) : std::nullopt,
          particles,
          start.time,
          settings.t_end - start.time,
          std::move(start.particles),
          std::move(start.notes)};
}

std::vector<double> RunBlocks::measured_at() const {
  std::vector<double> at;
  for (const BlockSteps& each : measured) at.push_back(each.n);
  return at;
}

RunBlocks measured_blocks(const TimedRun& run, const HermiteOptions& options, std::size_t most) {
  constexpr double kLongest = 1;  // unit of time
  constexpr std::uint64_t kMostInteractions = 10'000'000'000;
  const double t = std::min(run.span, kLongest);
  const auto n = static_cast<double>(run.particles);
  if (!run.own) {
    RunBlocks blocks{"measured", t, measured_for(run.particles, most, *run.seed, options, run.span), {}};
    blocks.steps = scaled_block_steps(blocks.measured, n);
    return blocks;
  }
  MeasuredSteps measured = measured_on(*run.own, most, options, t, kMostInteractions);
  BlockSteps steps = measured.of.size() == 1 ? measured.of.front() : scaled_block_steps(measured.of, n);
  return {"measured", measured.t, std::move(measured.of), std::move(steps)};
}

RunBlocks known_blocks(const TimedRun& run, const HermiteOptions& options, const std::string& file) {
  const auto n = static_cast<double>(run.particles);
  if (file.empty()) return {std::string(kStandardBlockSteps), 0, standard_block_steps(), block_steps_for(n, options)};
  std::vector<BlockSteps> measured = block_steps_from_csv(base::read_file(file), file);
  BlockSteps steps = scaled_block_steps(measured, n);
  return {file, 0, std::move(measured), std::move(steps)};
}

}  // namespace gdr::hostlib
