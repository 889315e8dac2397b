#include "gdr/hostlib/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gdr/base/quantity.h"

namespace gdr::hostlib {
namespace {

constexpr double kFirstEnergy = 2.0;     // seconds until the energy is measured, and from then on at least
constexpr double kShareOfEnergy = 0.05;  // most of the host's time that measuring it may take
constexpr double kPairSeconds = 3e-9;    // of a pair of the O(N^2) sum, before it was measured
constexpr double kFirstSteps = 3.0;      // seconds until short steps are looked for, and from then on each of them
constexpr int kShortStepLog2 = -16;      // a unit of time then takes 65,536 blocks or more
constexpr double kLongRest = 60.0;       // seconds; a run that soon ends needs no advice

std::string step_text(double step) { return fmt::format("2^{}", static_cast<int>(std::log2(step))); }

std::string pair_text(const NbodyRun& run) {
  const auto pair = run.closest_pair();
  return pair ? describe(*pair) : std::string("one particle");
}

}  // namespace

RunWatch::RunWatch(Faces faces, std::string checkpoint)
    : faces_(std::move(faces)),
      checkpoint_(std::move(checkpoint)),
      next_energy_(kFirstEnergy),
      next_steps_(kFirstSteps) {}

double RunWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

/// Warns of this energy error, if it is one to tell of. `checkpoint`: one from before it, to which the run can go back;
/// empty if there is none.
bool RunWatch::tell_of_large_error(const NbodyRun& run, const EnergyWatch& watch, const std::string& checkpoint) const {
  if (watch.trouble <= kTroubleToTell) return false;
  const std::string error = watch.energy_error ? fmt::format("{:+.2e}", *watch.energy_error) : "beyond any measure";
  const std::string advice =
      checkpoint.empty()
          ? "a smaller --eta, a larger --eps or --kernel gravity_jerk_long may keep it"
          : fmt::format("--restart {} with a smaller --eta, another --eps or --kernel goes back", checkpoint);
  faces_.warn(fmt::format("at t = {:.6f} the energy error is {}; shortest step {}, closest: {}; {}", watch.t, error,
                          step_text(run.shortest_step()), pair_text(run), advice));
  return true;
}

void RunWatch::look(const NbodyRun& run) {
  const double span = run.end_time() - run.begin_time();
  const double done = span > 0 ? (run.time() - run.begin_time()) / span : 1;
  if (const auto& last = run.last_watch(); last && (!latest_ || last->t > latest_->t)) {
    latest_ = last;
    tell_of_energy(run, *latest_);
  }
  if (seconds() >= next_energy_) measure_energy(run);
  if (seconds() >= next_steps_) tell_of_short_steps(run, done);
  if (faces_.is_due(done)) show_progress(run, done);
}

void RunWatch::show_progress(const NbodyRun& run, double done) {
  const HermiteCounters& counters = run.counters();
  const double passed = std::max(seconds() - seconds_shown_, 1e-3);
  const auto steps = static_cast<double>(counters.steps - steps_shown_);
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(counters.block_steps - blocks_shown_, 1));
  const std::string error =
      latest_ && latest_->energy_error ? fmt::format(", dE/E {:+.2e}", *latest_->energy_error) : "";
  faces_.show(done, fmt::format("t = {:.6f}, {} steps, {:.3g} a second, {:.1f} particles a block, shortest step {}{}, "
                                "closest: {}",
                                run.time(), counters.steps, steps / passed, steps / blocks,
                                step_text(run.shortest_step()), error, pair_text(run)));
  steps_shown_ = counters.steps;
  blocks_shown_ = counters.block_steps;
  seconds_shown_ = seconds();
}

void RunWatch::measure_energy(const NbodyRun& run) {
  const double before = seconds();
  const auto n = static_cast<double>(run.state().bodies.size());
  const double expected = kPairSeconds * n * n / 2;
  if (!latest_ && before < expected / kShareOfEnergy) {
    next_energy_ = expected / kShareOfEnergy;
    return;
  }
  latest_ = run.watch(run.time());
  const double now = seconds();
  next_energy_ = now + std::max(kFirstEnergy, (now - before) / kShareOfEnergy);
  tell_of_energy(run, *latest_);
}

void RunWatch::finish(const NbodyRun& run, const Sample& result) {
  // The checkpoint is that of the end.
  if (!told_of_energy_) tell_of_large_error(run, run.watch(result.t, result.energy), "");
}

void RunWatch::tell_of_energy(const NbodyRun& run, const EnergyWatch& watch) {
  if (!told_of_energy_) told_of_energy_ = tell_of_large_error(run, watch, checkpoint_);
}

void RunWatch::tell_of_short_steps(const NbodyRun& run, double done) {
  const double now = seconds();
  next_steps_ = now + kFirstSteps;
  if (told_of_short_steps_) return;
  const double shortest = run.shortest_step();
  const double left = done > 0 ? now * (1 - done) / done : std::numeric_limits<double>::infinity();
  if (shortest > std::ldexp(1.0, kShortStepLog2) || left < kLongRest) return;
  told_of_short_steps_ = true;
  faces_.warn(
      fmt::format("at t = {:.6f} the shortest step is {}, closest: {}; at this speed the run takes {} more, and --eps "
                  "softens such pairs",
                  run.time(), step_text(shortest), pair_text(run), base::duration_text(left)));
}

}  // namespace gdr::hostlib
