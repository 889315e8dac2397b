#include "gdr/hostlib/hermite.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "pair_field.h"
#include "prediction.h"
#include "time_steps.h"

namespace gdr::hostlib {
namespace {

constexpr double kTicksPerUnit = static_cast<double>(Ticks{1} << kTicksPerUnitLog2);
constexpr Ticks kLargestTicks = static_cast<Ticks>(kLargestTime * kTicksPerUnit);

/// Derivatives of the acceleration at the end of a step.
struct Derivatives {
  Vec3 a;
  Vec3 jerk;
  Vec3 snap;
  Vec3 crackle;
};

// Aarseth's criterion in the form of Makino & Aarseth 1992, with eta outside the root. The denominator, which shortens
// the step, uses the derivatives in `trusted`.
double aarseth_step(const Derivatives& d, const Derivatives& trusted, double eta) {
  const double above = norm(d.a) * norm(d.snap) + dot(d.jerk, d.jerk);
  const double below = norm(trusted.jerk) * norm(trusted.crackle) + dot(trusted.snap, trusted.snap);
  return eta * std::sqrt(above / below);
}

// A derivative is taken for noise only if it is below this many times its expected noise. The expected noise is a mean
// over particles; a particle on which the pulls of others cancel has up to ten times as much.
constexpr double kMostNoise = 20.0;
// It must also be below this many times the jump of the snap between two steps. Noise makes the crackle, times the
// step, about twice as large as the jump; resolved derivatives exceed the jump by far more.
constexpr double kMostJump = 4.0;

// The derivatives at the end of a step of length dt, with those set to zero that may be noise of the forces.
// `snap_jump` is the snap that this step gives at its beginning, minus the snap that the previous step gave at the same
// time.
Derivatives above_noise(Derivatives d, double dt, const ForceNoise& noise, const Vec3& snap_jump) {
  // Acceleration and jerk are about the same at both ends. Variances of the terms of snap and crackle:
  const double acc2 = 2.0 * noise.acc * noise.acc * dot(d.a, d.a) / (dt * dt);
  const double jerk2 = noise.jerk * noise.jerk * dot(d.jerk, d.jerk);
  const double snap2 = (36.0 * acc2 + 20.0 * jerk2) / (dt * dt);
  const double crackle2 = (144.0 * acc2 + 72.0 * jerk2) / (dt * dt * dt * dt);
  const double jump2 = kMostJump * kMostJump * dot(snap_jump, snap_jump);
  const auto is_noise = [&](const Vec3& derivative, double variance, double jump) {
    const double square = dot(derivative, derivative);
    return square < kMostNoise * kMostNoise * variance && square < jump;
  };
  if (is_noise(d.snap, snap2, jump2)) d.snap = {};
  if (is_noise(d.crackle, crackle2, jump2 / (dt * dt))) d.crackle = {};
  return d;
}

// The step after one of length dt that ended at t. It may be halved any number of times, but doubled only once and only
// if t is a multiple of the doubled step, so that blocks stay aligned.
Ticks next_step(Ticks t, Ticks dt, double wanted) {
  const Ticks limit = step_of(wanted);
  if (limit < dt) return limit;
  if (limit >= 2 * dt && t % (2 * dt) == 0) return 2 * dt;
  return dt;
}

/// Everything that decides where a body is predicted to be, now and later.
auto path_of(const HermiteBody& b) {
  const auto parts = [](const Vec3& a) { return std::tuple(a.x, a.y, a.z); };
  return std::tuple(b.t, b.dt, parts(b.x), parts(b.v), parts(b.a), parts(b.jerk), parts(b.snap));
}

void check_options(const HermiteOptions& o) {
  if (!(o.eta >= kLeastEta && o.eta <= kMostEta)) {
    throw Error(fmt::format("eta = {} is refused: it must be {} to {}", o.eta, kLeastEta, kMostEta));
  }
  if (!(o.eps >= 0.0 && o.eps <= kMostEps)) {
    throw Error(fmt::format("eps = {} is refused: it must be 0 to {}", o.eps, kMostEps));
  }
  if (o.regularise && o.eps > 0.0) {
    throw Error(
        fmt::format("eps = {} is refused with regularised binaries: their orbits are those without softening, so "
                    "eps must be 0",
                    o.eps));
  }
}

void check_force(const Force& f, std::int64_t id, Ticks t) {
  if (is_finite(f.acc) && is_finite(f.jerk) && std::isfinite(f.pot)) return;
  throw Error(fmt::format(
      "force on particle {} at time {} is not finite: acceleration ({}, {}, {}), jerk ({}, {}, {}), potential {}", id,
      to_time(t), f.acc.x, f.acc.y, f.acc.z, f.jerk.x, f.jerk.y, f.jerk.z, f.pot));
}

std::vector<std::size_t> all_indices(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

void check_step(const HermiteBody& b, Ticks time) {
  if (b.dt < kSmallestStep || b.dt > kLargestStep || !std::has_single_bit(static_cast<std::uint64_t>(b.dt))) {
    throw Error(fmt::format("particle {}: step of {} ticks is no power of two in {}..{}", b.id, b.dt, kSmallestStep,
                            kLargestStep));
  }
  if (b.t < 0 || b.t > time || b.t + b.dt <= time || b.t % b.dt != 0) {
    throw Error(fmt::format("particle {}: time of {} ticks with step {} does not fit the system's time of {} ticks",
                            b.id, b.t, b.dt, time));
  }
}

void check_derivatives(const HermiteBody& b) {
  if (!is_finite(b.a) || !is_finite(b.jerk) || !is_finite(b.snap) || !std::isfinite(b.pot)) {
    throw Error(fmt::format("particle {}: a derivative or the potential is not finite", b.id));
  }
}

}  // namespace

void validate(const HermiteState& state) {
  check_options(state.options);
  if (state.time < 0 || state.time > kLargestTicks) {
    throw Error(fmt::format("time of {} ticks is outside 0..{}", state.time, kLargestTicks));
  }
  const std::size_t n = state.bodies.size();
  if (n == 0) throw Error("there are no particles to integrate");
  if (state.counters.block_sizes.size() != n + 1) {
    throw Error(
        fmt::format("block_sizes has {} entries; {} particles need {}", state.counters.block_sizes.size(), n, n + 1));
  }
  const std::vector<bool> ghosts = ghosts_of(state);  // throws if an index is wrong
  Particles particles;
  particles.reserve(n);
  for (const HermiteBody& b : state.bodies) {
    if (!ghosts[static_cast<std::size_t>(&b - state.bodies.data())]) check_step(b, state.time);
    check_derivatives(b);
    particles.push_back(b.id, b.mass, b.x, b.v);
  }
  validate(particles);
  for (const RegularisedPair& pair : state.pairs) check_pair(pair, state);
}

HermiteIntegrator::HermiteIntegrator(ForceBackend& backend, const Particles& particles, const HermiteOptions& options)
    : backend_(&backend) {
  check_options(options);
  validate(particles);
  if (particles.size() == 0) throw Error("there are no particles to integrate");
  state_.options = options;
  state_.counters.block_sizes.assign(particles.size() + 1, 0);
  state_.bodies.resize(particles.size());
  for (std::size_t k = 0; k < particles.size(); ++k) {
    HermiteBody& b = state_.bodies[k];
    b.id = particles.id[k];
    b.mass = particles.mass[k];
    b.x = particles.position[k];
    b.v = particles.velocity[k];
  }
  is_ghost_.assign(particles.size(), false);
  start();
  if (!options.regularise) return;
  state_.close_axis = close_axis_of(particles, state_);
  form_pairs(all_indices(particles.size()));
}

HermiteIntegrator::HermiteIntegrator(ForceBackend& backend, HermiteState state)
    : backend_(&backend), state_(std::move(state)) {
  validate(state_);
  is_ghost_ = ghosts_of(state_);
  find_twins();
  load_backend();
  for (std::size_t k = 0; k < state_.bodies.size(); ++k) {
    if (!is_ghost_[k]) file_body(k);
  }
}

void HermiteIntegrator::start() {
  find_twins();
  load_backend();
  const std::vector<Force> forces = forces_at(0, all_indices(state_.bodies.size()));
  for (std::size_t k = 0; k < forces.size(); ++k) {
    HermiteBody& b = state_.bodies[k];
    b.a = forces[k].acc;
    b.jerk = forces[k].jerk;
    b.pot = forces[k].pot + twin_potential(k);
    // Without the potential of its twins, so that all of them take the same step.
    b.dt = step_of(first_step(forces[k], state_.options.eta));
    file_body(k);
  }
  load_backend();
}

void HermiteIntegrator::load_backend() {
  std::vector<JParticle> j;
  j.reserve(state_.bodies.size());
  for (std::size_t k = 0; k < state_.bodies.size(); ++k) j.push_back(j_particle(k));
  backend_->set_j_count(j.size());
  backend_->set_j_particles(all_indices(j.size()), j);
}

void HermiteIntegrator::find_twins() {
  const std::vector<HermiteBody>& bodies = state_.bodies;
  std::vector<std::size_t> order = all_indices(bodies.size());
  std::erase_if(order, [&](std::size_t k) { return is_ghost_[k]; });
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto of_a = path_of(bodies[a]);
    const auto of_b = path_of(bodies[b]);
    return of_a != of_b ? of_a < of_b : a < b;
  });
  twins_.clear();
  set_of_.assign(bodies.size(), kNoTwins);
  for (auto first = order.begin(); first != order.end();) {
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t k) { return path_of(bodies[k]) != path_of(bodies[*first]); });
    if (last - first > 1) {
      for (auto k = first; k != last; ++k) set_of_[*k] = twins_.size();
      twins_.emplace_back(first, last);
    }
    first = last;
  }
}

/// Dissolves the sets of which a member has gone another way than the first, for which an engine must have given two
/// forces for one place, and adds them to `parted`.
void HermiteIntegrator::part_twins(const std::vector<std::size_t>& block, std::vector<std::size_t>& parted) {
  for (const std::size_t k : block) {
    const std::vector<std::size_t>* twins = twins_of(k);
    if (twins == nullptr || path_of(state_.bodies[k]) == path_of(state_.bodies[twins->front()])) continue;
    parted.push_back(set_of_[k]);
    for (const std::size_t twin : *twins) set_of_[twin] = kNoTwins;
  }
}

const std::vector<std::size_t>* HermiteIntegrator::twins_of(std::size_t index) const {
  return set_of_[index] == kNoTwins ? nullptr : &twins_[set_of_[index]];
}

/// The id by which the force engine knows a body.
std::int64_t HermiteIntegrator::force_id(std::size_t index) const {
  const std::vector<std::size_t>* twins = twins_of(index);
  return state_.bodies[twins == nullptr ? index : twins->front()].id;
}

/// The part of a body's potential that its twins cause, which the force engine leaves out: at distance 0, - sum m /
/// eps, and nothing without softening.
double HermiteIntegrator::twin_potential(std::size_t index) const {
  const std::vector<std::size_t>* twins = twins_of(index);
  double potential = -0.0;  // added to any number, it leaves the bits
  if (twins == nullptr || state_.options.eps == 0.0) return potential;
  for (const std::size_t twin : *twins) {
    if (twin != index) potential -= state_.bodies[twin].mass / state_.options.eps;
  }
  return potential;
}

JParticle HermiteIntegrator::j_particle(std::size_t index) const {
  const HermiteBody& b = state_.bodies[index];
  return {force_id(index),
          b.mass,
          to_time(b.t),
          b.x,
          b.v,
          0.5 * b.a,
          {b.jerk.x / 6.0, b.jerk.y / 6.0, b.jerk.z / 6.0},
          {b.snap.x / 18.0, b.snap.y / 18.0, b.snap.z / 18.0}};
}

void HermiteIntegrator::step() {
  const Ticks t = next_ticks();
  if (t > kLargestTicks) throw Error(fmt::format("the next step leads past the largest time {}", kLargestTime));
  const std::vector<std::size_t> block = take_block(t);
  // If something fails, memory for example, the state is the one before the step.
  HermiteCounters& counters = state_.counters;
  const std::array before{counters.interactions, counters.smallest_steps, counters.noise_limited_steps};
  std::vector<HermiteBody> earlier;  // the block's bodies before the step
  std::vector<std::size_t> parted;   // sets of twins
  try {
    for (const std::size_t index : block) earlier.push_back(state_.bodies[index]);
    parted.reserve(twins_.size());
    std::vector<Force> forces = forces_at(t, block);
    std::vector<RegularisedPair> pairs = felt_pairs(t, block, forces);
    for (std::size_t k = 0; k < block.size(); ++k) {
      HermiteBody& b = state_.bodies[block[k]];
      correct(b, t, forces[k]);
      b.pot += twin_potential(block[k]);
    }
    part_twins(block, parted);
    std::vector<JParticle> changed;
    changed.reserve(block.size());
    for (const std::size_t index : block) changed.push_back(j_particle(index));
    make_room_for(block);
    backend_->set_j_particles(block, changed);
    state_.pairs = std::move(pairs);
  } catch (...) {
    counters.interactions = before[0];
    counters.smallest_steps = before[1];
    counters.noise_limited_steps = before[2];
    for (std::size_t k = 0; k < earlier.size(); ++k) state_.bodies[block[k]] = earlier[k];
    for (const std::size_t set : parted) {
      for (const std::size_t twin : twins_[set]) set_of_[twin] = set;
    }
    for (const std::size_t index : block) file_body(index);  // where they were, so there is room
    throw;
  }
  for (const std::size_t index : block) file_body(index);
  state_.time = t;
  count_block(block.size());
  if (!state_.options.regularise) return;
  const base::Stopping as_a_whole([] { return true; });  // the step is taken, so its pairs must follow
  rearrange_pairs(block);
}

void HermiteIntegrator::evolve(double t_end, const BlockObserver& on_block) {
  if (!(t_end >= time() && t_end <= kLargestTime)) {
    throw Error(fmt::format("t_end = {} is outside {}..{}", t_end, time(), kLargestTime));
  }
  while (next_block_time() <= t_end) {
    step();
    if (on_block) on_block(*this);
  }
}

double HermiteIntegrator::time() const { return to_time(state_.time); }

double HermiteIntegrator::next_block_time() const { return to_time(next_ticks()); }

Particles HermiteIntegrator::particles_at(double t) const {
  if (!(t >= time() && t <= next_block_time())) {
    throw Error(fmt::format("particles_at: time {} is outside {}..{}", t, time(), next_block_time()));
  }
  Particles particles;
  particles.reserve(state_.bodies.size());
  for (const HermiteBody& b : state_.bodies) {
    const Phase now = at(b, t);
    particles.push_back(b.id, b.mass, now.x, now.v);
  }
  resolve_pairs(particles, t);
  return particles;
}

std::size_t HermiteIntegrator::predicted_at(double t) const {
  std::size_t predicted = 0;
  for (std::size_t k = 0; k < state_.bodies.size(); ++k) {
    if (!is_ghost_[k] && to_time(state_.bodies[k].t) != t) ++predicted;
  }
  return predicted;
}

double HermiteIntegrator::backend_potential_energy() const {
  double twice = 0.0;
  for (const HermiteBody& b : state_.bodies) twice += b.mass * b.pot;
  return 0.5 * twice;
}

std::size_t HermiteIntegrator::level_of(const HermiteBody& body) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(body.dt)));
}

void HermiteIntegrator::file_body(std::size_t index) { levels_[level_of(state_.bodies[index])].push_back(index); }

void HermiteIntegrator::make_room_for(const std::vector<std::size_t>& block) {
  std::array<std::size_t, kLevels> more{};
  for (const std::size_t index : block) ++more[level_of(state_.bodies[index])];
  for (std::size_t k = 0; k < kLevels; ++k) {
    const std::size_t needed = levels_[k].size() + more[k];
    if (needed > levels_[k].capacity()) levels_[k].reserve(std::max(needed, 2 * levels_[k].capacity()));
  }
}

Ticks HermiteIntegrator::next_ticks() const {
  for (std::size_t k = 0; k < kLevels; ++k) {
    const Ticks dt = Ticks{1} << k;
    if (!levels_[k].empty()) return (state_.time / dt + 1) * dt;
  }
  GDR_ASSERT(false, "every body is filed under its step");
  return 0;
}

std::vector<std::size_t> HermiteIntegrator::take_block(Ticks t) {
  std::vector<std::size_t> block;
  std::size_t members = 0;
  for (std::size_t k = 0; k < kLevels && t % (Ticks{1} << k) == 0; ++k) members += levels_[k].size();
  block.reserve(members);
  for (std::size_t k = 0; k < kLevels && t % (Ticks{1} << k) == 0; ++k) {
    block.insert(block.end(), levels_[k].begin(), levels_[k].end());
    levels_[k].clear();
  }
  std::sort(block.begin(), block.end());  // so that the order of a block depends only on its members
  return block;
}

std::vector<Force> HermiteIntegrator::forces_at(Ticks t, const std::vector<std::size_t>& block) {
  std::vector<IParticle> targets;
  targets.reserve(block.size());
  for (const std::size_t k : block) {
    const HermiteBody& b = state_.bodies[k];
    const Phase now = at(b, to_time(t));
    targets.push_back({force_id(k), now.x, now.v});
  }
  backend_->set_time(to_time(t));
  std::vector<Force> forces = backend_->evaluate(targets, state_.options.eps * state_.options.eps);
  GDR_ASSERT(forces.size() == block.size(), "a backend returns one force per i-particle");
  for (std::size_t k = 0; k < block.size(); ++k) check_force(forces[k], state_.bodies[block[k]].id, t);
  state_.counters.interactions += std::uint64_t{block.size()} * state_.bodies.size();
  return forces;
}

void HermiteIntegrator::correct(HermiteBody& b, Ticks t, const Force& f) {
  GDR_ASSERT(b.t + b.dt == t, "a body is stepped at the end of its own step");
  const double dt = to_time(b.dt);
  // Hermite interpolation of the force between b.t and t: derivatives at b.t (Makino & Aarseth 1992).
  const Vec3 da = b.a - f.acc;
  const Vec3 snap = (-6.0 * da - dt * (4.0 * b.jerk + 2.0 * f.jerk)) * (1.0 / (dt * dt));
  const Vec3 crackle = (12.0 * da + (6.0 * dt) * (b.jerk + f.jerk)) * (1.0 / (dt * dt * dt));
  b.x += dt * (b.v + (dt / 2.0) * (b.a + (dt / 3.0) * (b.jerk + (dt / 4.0) * (snap + (dt / 5.0) * crackle))));
  b.v += dt * (b.a + (dt / 2.0) * (b.jerk + (dt / 3.0) * (snap + (dt / 4.0) * crackle)));
  const Vec3 snap_jump = snap - b.snap;
  b.a = f.acc;
  b.jerk = f.jerk;
  b.pot = f.pot;
  b.snap = snap + dt * crackle;
  b.t = t;
  const Derivatives derivatives{b.a, b.jerk, b.snap, crackle};
  const double eta = state_.options.eta;
  const Derivatives trusted = above_noise(derivatives, dt, backend_->noise(), snap_jump);
  const double wanted = aarseth_step(derivatives, trusted, eta);
  if (wanted < to_time(kSmallestStep)) ++state_.counters.smallest_steps;
  const Ticks next = next_step(t, b.dt, wanted);
  if (next > next_step(t, b.dt, aarseth_step(derivatives, derivatives, eta))) ++state_.counters.noise_limited_steps;
  b.dt = next;
}

void HermiteIntegrator::count_block(std::size_t size) {
  state_.counters.steps += size;
  ++state_.counters.block_steps;
  ++state_.counters.block_sizes[size];
}

}  // namespace gdr::hostlib
