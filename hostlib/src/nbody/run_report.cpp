#include "gdr/hostlib/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gdr::hostlib {
namespace {

/// The system as it began.
std::string scales_text(const NbodyRun& run) {
  const Scales& scales = run.scales();
  std::string text = fmt::format("mass {:.6g}", scales.mass);
  const auto add = [&](std::string_view what, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) text += fmt::format(", {} {:.4g}", what, *value);
  };
  add("virial radius", scales.virial_radius);
  add("virial ratio", scales.virial_ratio);
  add("crossing time", scales.crossing_time);
  add("relaxation time", scales.relaxation_time);
  return text;
}

/// Of a snapshot: start models are what they are meant to be. Units that are converted, or scaled, may have any mass.
std::optional<std::string> warning_of_units(const NbodyRun& run) {
  // Of T / |W|. Suns, parsecs and km/s give 0.002 in equilibrium; 0 is a system at rest, which is meant.
  constexpr double kLeastRatio = 0.01;
  constexpr double kMostRatio = 2.0;  // above 1 nothing is bound
  constexpr double kMostMass = 1e3;   // and its inverse
  const auto& energy = run.first_energy();
  if (run.settings().in.empty() || !energy || energy->potential == 0) return std::nullopt;
  const bool has_units = run.units().has_value() || run.settings().scale_to_henon;
  double mass = 0;
  for (const HermiteBody& body : run.state().bodies) mass += body.mass;
  const double ratio = energy->virial_ratio();
  const bool odd_ratio = ratio > kMostRatio || (ratio > 0 && ratio < kLeastRatio);
  const bool odd_mass = !has_units && !(mass <= kMostMass && mass >= 1 / kMostMass);
  if (!odd_ratio && !odd_mass) return std::nullopt;
  return fmt::format(
      "the virial ratio is {:.3g} (in equilibrium 0.5) and the total mass {:.6g}: are masses, "
      "positions and velocities in {}?",
      ratio, mass, run.units() ? "the units " + run.units()->name : "units with G = 1");
}

}  // namespace

std::vector<std::string> warnings_of_start(const NbodyRun& run) {
  std::vector<std::string> warnings;
  if (auto warning = warning_of_units(run)) warnings.push_back(*std::move(warning));
  constexpr std::size_t kMostPairs = 3;
  const Particles particles = run.particles_at(run.begin_time());
  const std::vector<OnePlace> pairs = in_one_place(particles);
  for (std::size_t k = 0; k < std::min(pairs.size(), kMostPairs); ++k) {
    warnings.push_back(fmt::format(
        "particles {} and {} are in one place{}", particles.id[pairs[k].first], particles.id[pairs[k].second],
        pairs[k].one_velocity ? " and have the same velocity: is a particle there twice?" : ""));
  }
  if (pairs.size() > kMostPairs) {
    warnings.push_back(fmt::format("{} more particles are in the place of another one", pairs.size() - kMostPairs));
  }
  return warnings;
}

std::optional<std::string> note_on_noise(const NbodyRun& run) {
  constexpr double kShareToTell = 0.01;
  const HermiteCounters& counters = run.counters();
  if (static_cast<double>(counters.noise_limited_steps) <= kShareToTell * static_cast<double>(counters.steps)) {
    return std::nullopt;
  }
  const std::string& kernel = run.provenance().kernel;
  const std::string_view advice = kernel == "gravity_jerk_long" ? "" : ", --kernel gravity_jerk_long follows it";
  return fmt::format(
      "in {} of {} steps the derivatives by which eta = {} chooses the step were noise of {}; a "
      "smaller eta gains nothing with it{}",
      counters.noise_limited_steps, counters.steps, run.state().options.eta, kernel, advice);
}

std::string page_of(const NbodyRun& run, const RunOutcome& outcome) {
  const Provenance& provenance = run.provenance();
  const HermiteState& state = run.state();
  const Sample& sample = outcome.sample;
  RunReport report;
  report.title = fmt::format("{} particles to t = {}: {}", state.bodies.size(), run.result_time(), run.start());
  report.samples = run.samples();
  report.blocks = block_size_histogram(sample.counters);
  report.particles = run.particles();
  report.orbits = run.orbits();
  report.facts = {{"start", run.start()},
                  {"at the start", scales_text(run)},
                  {"softening eps", fmt::format("{}", state.options.eps)},
                  {"accuracy eta", fmt::format("{}", state.options.eta)}};
  if (state.options.regularise) {
    report.facts.emplace_back("binaries", fmt::format("regularised; {} at the end", state.pairs.size()));
  }
  if (run.has_board()) {
    report.facts.emplace_back("kernel", fmt::format("{}, SHA-256 {}", provenance.kernel, provenance.kernel_sha256));
    report.facts.emplace_back(
        "machine", fmt::format("{}, {} at {} MHz, transfer {}, SHA-256 of its parameters {}", provenance.machine,
                               provenance.boards == 1 ? "one board" : fmt::format("{} boards", provenance.boards),
                               provenance.clock_mhz, provenance.transfer, provenance.machine_sha256));
  }
  report.facts.emplace_back(
      "engine", run.has_board()
                    ? fmt::format("{}, {}", provenance.engine, provenance.exact ? "bit exact" : "not bit exact")
                    : fmt::format("{}, the host's own force loop in doubles", provenance.engine));
  report.facts.emplace_back("version of gdr", provenance.version);
  report.facts.emplace_back("energy",
                            fmt::format("{:.11g}, relative error {}", sample.energy.total(),
                                        sample.energy_error ? fmt::format("{:+.2e}", *sample.energy_error) : "none"));
  report.facts.emplace_back("steps", fmt::format("{} in {} blocks, {} held at the smallest step", sample.counters.steps,
                                                 sample.counters.block_steps, sample.counters.smallest_steps));
  report.facts.emplace_back("interactions", fmt::format("{}", sample.counters.interactions));
  if (outcome.emulated_seconds) {
    report.facts.emplace_back("emulated time", fmt::format("{:.6g} s, {:.4g} Gflops", *outcome.emulated_seconds,
                                                           outcome.emulated_gflops.value_or(0)));
  }
  report.facts.emplace_back("state hash", outcome.state_hash);
  if (!outcome.stopped.empty()) report.facts.emplace_back("stopped by", outcome.stopped);
  for (const RunChange& change : run.changes()) {
    report.facts.emplace_back(fmt::format("from t = {} on", change.t), change.what);
  }
  if (!run.forced().empty()) {
    report.facts.emplace_back("restart forced in spite of", fmt::format("{}", fmt::join(run.forced(), ", ")));
  }
  return run_page(report);
}

}  // namespace gdr::hostlib
