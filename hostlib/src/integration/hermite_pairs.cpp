// What the integrator does with regularised pairs: when bodies become one, how they are felt, when they part.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/hostlib/hermite.h"
#include "pair_field.h"
#include "prediction.h"
#include "time_steps.h"

namespace gdr::hostlib {
namespace {

/// The tide of a body at its distance d, relative to the pull of the pair on itself at the apocentre R:
/// 2 m / M (R / d)^3. Two bodies become one below the first value, and part above the second. For equal masses these
/// are 4.6 and 2.2 apocentres: a body that near may soon be one of the pair.
constexpr double kTideToForm = 0.01;
constexpr double kTideToPart = 0.1;
/// Beyond this many times the largest axis of new pairs a pair parts.
constexpr double kAxisToPart = 2.0;
/// The radii of perturbers are chosen anew when the apocentre has changed by this factor.
constexpr double kSizeChange = 1.25;
/// A list of neighbours is made for this many steps of the pair's centre, at twice the present speeds.
constexpr Ticks kStepsOfList = 8;

/// The longest step up to `dt` that keeps `t` a multiple of it.
Ticks aligned_step(Ticks t, Ticks dt) {
  while (t % dt != 0) dt /= 2;
  return dt;
}

double pair_binding(double mass, const Vec3& r, const Vec3& v) { return mass / norm(r) - dot(v, v) / 2; }

}  // namespace

/// The pairs at time t, as far as bodies of the block feel them, and what these feel in addition.
std::vector<RegularisedPair> HermiteIntegrator::felt_pairs(Ticks t, const std::vector<std::size_t>& block,
                                                           std::vector<Force>& forces) const {
  std::vector<RegularisedPair> pairs = state_.pairs;
  const std::vector<HermiteBody>& bodies = state_.bodies;
  const double time = to_time(t);
  for (RegularisedPair& pair : pairs) {
    const Phase centre = at(bodies[pair.centre], time);
    const auto is_near = [&](const Phase& other) { return norm(other.x - centre.x) < outer_radius(pair); };
    bool is_moved = pair.t == t;
    const auto move = [&] {
      if (is_moved) return;
      pair = moved(pair, bodies, time);
      pair.t = t;
      is_moved = true;
    };
    for (std::size_t n = 0; n < block.size(); ++n) {
      if (block[n] == pair.centre) {
        move();
        for (const std::size_t k : pair.neighbours) {
          const Phase other = at(bodies[k], time);
          if (!is_near(other)) continue;
          const Force on_other = field_beyond_centre(pair, other.x - centre.x, other.v - centre.v);
          const double ratio = bodies[k].mass / pair.mass();
          forces[n].acc -= ratio * on_other.acc;
          forces[n].jerk -= ratio * on_other.jerk;
          forces[n].pot += ratio * on_other.pot;
        }
        continue;
      }
      const Phase other = at(bodies[block[n]], time);
      if (!is_near(other)) continue;
      move();
      const Force more = field_beyond_centre(pair, other.x - centre.x, other.v - centre.v);
      forces[n].acc += more.acc;
      forces[n].jerk += more.jerk;
      forces[n].pot += more.pot;
    }
  }
  return pairs;
}

/// Puts the two stars of every pair in place of its centre of mass.
void HermiteIntegrator::resolve_pairs(Particles& particles, double t) const {
  for (const RegularisedPair& pair : state_.pairs) {
    const RegularisedPair now = moved(pair, state_.bodies, t);
    const Phase centre = at(state_.bodies[pair.centre], t);
    const double first = pair.second_mass / pair.mass();
    const double second = pair.first_mass / pair.mass();
    particles.mass[pair.centre] = pair.first_mass;
    particles.position[pair.centre] = centre.x - first * now.r;
    particles.velocity[pair.centre] = centre.v - first * now.v;
    particles.mass[pair.ghost] = pair.second_mass;
    particles.position[pair.ghost] = centre.x + second * now.r;
    particles.velocity[pair.ghost] = centre.v + second * now.v;
  }
}

/// Makes the list anew unless it holds for the next `step` of the centre.
void HermiteIntegrator::list_neighbours(RegularisedPair& pair, Ticks step) const {
  if (pair.listed_until >= state_.time + step && pair.listed_until > state_.time) return;
  const double now = to_time(state_.time);
  const Phase centre = at(state_.bodies[pair.centre], now);
  const auto others = [&](auto&& look) {
    for (std::size_t k = 0; k < state_.bodies.size(); ++k) {
      if (k != pair.centre && state_.bodies[k].mass > 0) look(k, at(state_.bodies[k], now));
    }
  };
  double fastest = 0;
  others([&](std::size_t, const Phase& other) { fastest = std::max(fastest, norm(other.v - centre.v)); });
  const Ticks horizon = kStepsOfList * step;
  const double reach = outer_radius(pair) + 2 * fastest * to_time(horizon);
  pair.neighbours.clear();
  others([&](std::size_t k, const Phase& other) {
    if (norm(other.x - centre.x) < reach) pair.neighbours.push_back(k);
  });
  pair.listed_until = state_.time + horizon;
}

/// The largest tide of a single body on a pair, whose bodies may be part of the state as one or as two.
double HermiteIntegrator::tide_on(const RegularisedPair& pair, double apocentre) const {
  const double now = to_time(state_.time);
  const bool is_one = is_ghost_[pair.ghost];
  const Phase first = at(state_.bodies[pair.centre], now);
  const Vec3 centre = is_one ? first.x : first.x + (pair.second_mass / pair.mass()) * pair.r;
  double largest = 0;
  for (std::size_t k = 0; k < state_.bodies.size(); ++k) {
    const HermiteBody& body = state_.bodies[k];
    if (k == pair.centre || k == pair.ghost || body.mass == 0) continue;
    const double ratio = apocentre / norm(at(body, now).x - centre);
    largest = std::max(largest, 2 * body.mass / pair.mass() * ratio * ratio * ratio);
  }
  return largest;
}

/// After a block: parts pairs whose centre was in it, and forms others.
void HermiteIntegrator::rearrange_pairs(const std::vector<std::size_t>& block) {
  std::vector<std::size_t> freed;
  for (std::size_t n = state_.pairs.size(); n-- > 0;) {
    RegularisedPair& pair = state_.pairs[n];
    if (!std::ranges::binary_search(block, pair.centre)) continue;
    const double far = apocentre(pair.mass(), pair.r, pair.v, pair.binding);
    const double axis = pair.binding > 0 ? pair.mass() / (2 * pair.binding) : far;
    if (!std::isfinite(far) || axis > kAxisToPart * state_.close_axis || tide_on(pair, far) > kTideToPart) {
      freed.push_back(pair.centre);
      freed.push_back(pair.ghost);
      dissolve(n);
      continue;
    }
    if (far > kSizeChange * pair.size || pair.size > kSizeChange * far) {
      pair.size = far;
      pair.listed_until = 0;
    }
    list_neighbours(pair, state_.bodies[pair.centre].dt);
  }
  if (freed.empty()) {
    form_pairs(block);
    return;
  }
  // What has just parted has not been corrected yet.
  std::vector<std::size_t> others;
  std::ranges::copy_if(block, std::back_inserter(others),
                       [&](std::size_t k) { return std::ranges::find(freed, k) == freed.end(); });
  form_pairs(others);
}

/// Looks for pairs among the bodies of a block, which are all at one time.
void HermiteIntegrator::form_pairs(const std::vector<std::size_t>& block) {
  const std::vector<HermiteBody>& bodies = state_.bodies;
  const double axis = state_.close_axis;
  if (!(axis > 0)) return;
  const double reach = 2 * axis;  // the apocentre of a pair with e = 1
  std::vector<std::size_t> candidates;
  for (const std::size_t k : block) {
    const bool is_centre =
        std::ranges::any_of(state_.pairs, [&](const RegularisedPair& pair) { return pair.centre == k; });
    if (is_ghost_[k] || is_centre || !(bodies[k].mass > 0) || twins_of(k) != nullptr) continue;
    // A step is about eta times the time in which a body falls around another one of its mass at this distance.
    const double longest = state_.options.eta * std::sqrt(reach * reach * reach / bodies[k].mass);
    if (to_time(bodies[k].dt) <= longest) candidates.push_back(k);
  }
  std::ranges::sort(candidates, [&](std::size_t a, std::size_t b) {
    return bodies[a].x.x != bodies[b].x.x ? bodies[a].x.x < bodies[b].x.x : a < b;
  });
  std::vector<bool> is_taken(candidates.size());
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = a + 1; b < candidates.size() && !is_taken[a]; ++b) {
      const HermiteBody& one = bodies[candidates[a]];
      const HermiteBody& other = bodies[candidates[b]];
      if (!(other.x.x - one.x.x <= reach)) break;
      if (is_taken[b]) continue;
      const Vec3 r = other.x - one.x;
      const Vec3 v = other.v - one.v;
      const double mass = one.mass + other.mass;
      if (!(dot(r, r) > 0)) continue;
      const double binding = pair_binding(mass, r, v);
      const double far = apocentre(mass, r, v, binding);
      if (!std::isfinite(far) || mass / (2 * binding) >= axis) continue;
      RegularisedPair pair;
      pair.centre = candidates[a];
      pair.ghost = candidates[b];
      pair.first_mass = one.mass;
      pair.second_mass = other.mass;
      pair.r = r;
      if (tide_on(pair, far) >= kTideToForm) continue;
      form(std::min(pair.centre, pair.ghost), std::max(pair.centre, pair.ghost));
      is_taken[a] = is_taken[b] = true;
    }
  }
}

/// Runs `change`; if it throws, for lack of memory or a force that is not finite, the state is the one before.
template <class Change>
void HermiteIntegrator::all_or_nothing(Change&& change) {
  HermiteState state = state_;
  std::vector<bool> ghosts = is_ghost_;
  auto levels = levels_;
  try {
    change();
  } catch (...) {
    state_ = std::move(state);
    is_ghost_ = std::move(ghosts);
    levels_ = std::move(levels);
    throw;
  }
}

void HermiteIntegrator::form(std::size_t first, std::size_t second) {
  all_or_nothing([&] {
    HermiteBody& one = state_.bodies[first];
    HermiteBody& other = state_.bodies[second];
    RegularisedPair pair;
    pair.centre = first;
    pair.ghost = second;
    pair.first_mass = one.mass;
    pair.second_mass = other.mass;
    pair.t = state_.time;
    pair.r = other.x - one.x;
    pair.v = other.v - one.v;
    pair.binding = pair_binding(pair.mass(), pair.r, pair.v);
    pair.size = apocentre(pair.mass(), pair.r, pair.v, pair.binding);
    unfile_body(first);
    unfile_body(second);
    const double share = pair.second_mass / pair.mass();
    const Ticks step = std::min(one.dt, other.dt);
    one = {one.id, pair.mass(), state_.time, step, one.x + share * pair.r, one.v + share * pair.v, {}, {}, {}, 0.0};
    other = {other.id, 0.0, state_.time, kLargestStep, one.x, one.v, {}, {}, {}, 0.0};
    is_ghost_[second] = true;
    list_neighbours(pair, step);
    state_.pairs.push_back(pair);
    backend_->set_j_particles(std::vector{second}, std::vector{j_particle(second)});
    begin_bodies({first});
    list_neighbours(state_.pairs.back(), one.dt);
  });
  ++pairs_formed_;
}

void HermiteIntegrator::dissolve(std::size_t n) {
  all_or_nothing([&] {
    const RegularisedPair pair = state_.pairs[n];
    GDR_ASSERT(pair.t == state_.time, "a pair parts at its own time");
    state_.pairs.erase(state_.pairs.begin() + static_cast<std::ptrdiff_t>(n));
    is_ghost_[pair.ghost] = false;
    unfile_body(pair.centre);
    HermiteBody& one = state_.bodies[pair.centre];
    HermiteBody& other = state_.bodies[pair.ghost];
    const HermiteBody centre = one;
    const double first = pair.second_mass / pair.mass();
    const double second = pair.first_mass / pair.mass();
    one = {
        one.id, pair.first_mass, state_.time, one.dt, centre.x - first * pair.r, centre.v - first * pair.v, {}, {}, {},
        0.0};
    other = {other.id,
             pair.second_mass,
             state_.time,
             one.dt,
             centre.x + second * pair.r,
             centre.v + second * pair.v,
             {},
             {},
             {},
             0.0};
    // Neither is a neighbour of another pair unless the centre was.
    for (RegularisedPair& rest : state_.pairs) {
      const auto at_centre = std::ranges::lower_bound(rest.neighbours, pair.centre);
      if (at_centre == rest.neighbours.end() || *at_centre != pair.centre) continue;
      const auto at_ghost = std::ranges::lower_bound(rest.neighbours, pair.ghost);
      if (at_ghost == rest.neighbours.end() || *at_ghost != pair.ghost) rest.neighbours.insert(at_ghost, pair.ghost);
    }
    begin_bodies({pair.centre, pair.ghost});
  });
  ++pairs_dissolved_;
}

/// Forces and first steps of bodies that are new at the present time.
void HermiteIntegrator::begin_bodies(const std::vector<std::size_t>& indices) {
  const auto send = [&] {
    std::vector<JParticle> particles;
    for (const std::size_t k : indices) particles.push_back(j_particle(k));
    backend_->set_j_particles(indices, particles);
  };
  send();
  std::vector<Force> forces = forces_at(state_.time, indices);
  state_.pairs = felt_pairs(state_.time, indices, forces);
  for (std::size_t n = 0; n < indices.size(); ++n) {
    HermiteBody& body = state_.bodies[indices[n]];
    body.a = forces[n].acc;
    body.jerk = forces[n].jerk;
    body.pot = forces[n].pot;
    body.dt = aligned_step(state_.time, step_of(first_step(forces[n], state_.options.eta)));
  }
  make_room_for(indices);
  send();
  for (const std::size_t k : indices) file_body(k);
}

void HermiteIntegrator::unfile_body(std::size_t index) { std::erase(levels_[level_of(state_.bodies[index])], index); }

}  // namespace gdr::hostlib
