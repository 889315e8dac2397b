// How a run watches its energy and its shortest steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/hostlib/nbody_run.h"
#include "nbody/finite_energy.h"

namespace gdr::hostlib {
namespace {

/// Steps of each particle from one watch to the next. The O(N^2) pairs of the energy are then 1/128 of those of the
/// forces.
constexpr std::uint64_t kStepsToWatch = 64;
/// And of all together, so that a few particles are not watched at every tenth block.
constexpr std::uint64_t kLeastStepsToWatch = 8192;
/// Of T0 + |W0|: a smaller |E0| is no measure of an error.
constexpr double kSmallEnergy = 0.01;

}  // namespace

Energy finite_energy(const Particles& particles, double eps) {
  const Energy energy = hostlib::energy(particles, eps);
  if (std::isfinite(energy.total())) return energy;
  throw Error(
      fmt::format("the energy is not finite: kinetic {}, potential {}; choose units in which squares of masses, "
                  "positions and velocities are doubles",
                  energy.kinetic, energy.potential));
}

void NbodyRun::begin_energy(const Particles& particles) {
  const Energy energy = finite_energy(particles, settings_.hermite.eps);
  scales_ = scales_of(particles, energy);
  first_energy_ = energy;
  initial_energy_ = energy.internal();
  initial_size_ = energy.internal_kinetic + std::fabs(energy.potential);
}

RunStart start_of_run(const NbodySettings& settings) {
  RunStart start;
  if (settings.start) {
    start.particles = make_start(*settings.start);
    start.name = describe(*settings.start);
  } else if (settings.particles) {
    start.particles = *settings.particles;
    validate(start.particles);
    start.time = settings.particles_time;
    start.step = settings.particles_step;
    if (!std::isfinite(start.time)) throw Error(fmt::format("time = {} is refused: it must be finite", start.time));
    start.name = fmt::format("{} particles of the caller", start.particles.size());
  } else {
    LoadedSnapshot loaded = is_hdf5_input(settings.in) ? load_run_snapshot(settings.in) : load_snapshot(settings.in);
    InOneSystem system = to_one_system(loaded, settings.units);
    std::vector<std::string> notes = std::move(system.notes);
    notes.insert(notes.end(), loaded.notes.begin(), loaded.notes.end());
    start = {std::move(loaded.snapshot.particles),
             loaded.snapshot.time,
             loaded.snapshot.step,
             settings.in.string(),
             std::nullopt,
             std::move(notes)};
    start.units = std::move(system.units);
    if (start.units) start.name += " in " + start.units->name;
    if (settings.scale_to_henon) start.name += ", scaled to Henon's units";
  }
  if (settings.particles && settings.units) {
    to_unit_gravity(start.particles, *settings.units);
    start.units = settings.units;
  }
  if (settings.scale_to_henon) {
    const double of_time = scale_to_henon(start.particles);
    start.time *= of_time;
    start.units.reset();
  }
  return start;
}

void NbodyRun::begin_orbits(const std::vector<std::int64_t>& ids_there) {
  for (const std::int64_t id : settings_.orbits) {
    if (std::ranges::find(ids_there, id) == ids_there.end()) {
      throw Error(fmt::format("orbits: there is no particle {}", id));
    }
    orbits_.push_back({id, {}});
  }
}

/// After begin_orbits(): with the places that a checkpoint has.
void NbodyRun::continue_orbits(std::vector<Orbit> kept) {
  for (Orbit& orbit : orbits_) {
    const auto found = std::ranges::find(kept, orbit.id, &Orbit::id);
    if (found != kept.end()) {
      orbit.places = found->places;
    } else if (outputs_ > 0) {
      notes_.push_back(fmt::format("the orbit of particle {} begins at t = {}: {} has no earlier places of it",
                                   orbit.id, time(), settings_.restart.string()));
    }
  }
}

void NbodyRun::extend_orbits(double t) {
  if (orbits_.empty()) return;
  const Particles now = particles_at(t);
  // For all or for none, also if memory is exhausted.
  constexpr std::size_t kFirst = 16;
  for (Orbit& orbit : orbits_) {
    if (orbit.places.size() == orbit.places.capacity()) {
      orbit.places.reserve(std::max(kFirst, 2 * orbit.places.size()));
    }
  }
  for (Orbit& orbit : orbits_) {
    const auto at = std::ranges::find(now.id, orbit.id) - now.id.begin();
    orbit.places.push_back(now.position[static_cast<std::size_t>(at)]);
  }
}

Energy NbodyRun::energy() const { return finite_energy(particles(), state().options.eps); }

std::optional<double> NbodyRun::energy_error(const Energy& now) const {
  if (initial_energy_ == 0) return std::nullopt;
  return (now.internal() - initial_energy_) / std::abs(initial_energy_);
}

EnergyWatch NbodyRun::watch(double t) const { return watch(t, hostlib::energy(particles_at(t), state().options.eps)); }

EnergyWatch NbodyRun::watch(double t, const Energy& now) const {
  const double scale = std::max(std::fabs(initial_energy_), kSmallEnergy * initial_size_);
  const double lost = std::fabs(now.internal() - initial_energy_);
  return {t, energy_error(now), scale > 0 ? lost / scale : lost};
}

std::optional<ClosePair> NbodyRun::closest_pair() const { return hostlib::closest_pair(state(), particles_at(time())); }

double NbodyRun::shortest_step() const {
  const auto shortest = std::ranges::min_element(state().bodies, {}, &HermiteBody::dt);
  return std::ldexp(static_cast<double>(shortest->dt), -kTicksPerUnitLog2);
}

bool NbodyRun::watches() const { return std::isfinite(settings_.most_energy_error.value_or(kMostTrouble)); }

/// Depends on the counters alone, so that a restarted run watches where an uninterrupted one does.
std::uint64_t NbodyRun::watch_number() const {
  return counters().steps / std::max(kStepsToWatch * state().bodies.size(), kLeastStepsToWatch);
}

bool NbodyRun::in_trouble() const {
  if (!settings_.most_energy_error) return !(last_watch_->trouble <= kMostTrouble);
  const auto& error = last_watch_->energy_error;
  return error && !(std::abs(*error) <= *settings_.most_energy_error);
}

}  // namespace gdr::hostlib
