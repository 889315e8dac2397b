#include "pair_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "prediction.h"

namespace gdr::hostlib {
namespace {

/// w(d) and its derivatives: the polynomial of fifth degree whose first two derivatives vanish at both radii.
struct PairWeight {
  double w = 0.0;
  double by_d = 0.0;
  double by_d_d = 0.0;
};

PairWeight pair_weight_at(double d, double size) {
  const double inner = kInnerRadius * size;
  const double width = (kOuterRadius - kInnerRadius) * size;
  const double u = (d - inner) / width;
  if (!(u > 0)) return {1, 0, 0};
  if (u >= 1) return {};
  const double v = u * (1 - u);
  return {1 - u * u * u * (10 - u * (15 - 6 * u)), -30 * v * v / width, -60 * v * (1 - 2 * u) / (width * width)};
}

/// The field of a mass at `s` from a body that sees it move with `q`.
struct PairField {
  Vec3 acc;
  Vec3 jerk;
  double pot = 0.0;
  double pot_rate = 0.0;

  void add(double mass, const Vec3& s, const Vec3& q) {
    const double s2 = dot(s, s);
    const double of_pot = mass / std::sqrt(s2);
    const double of_acc = of_pot / s2;
    const double closing = dot(s, q);
    acc += of_acc * s;
    jerk += of_acc * q - (3 * closing / s2) * of_acc * s;
    pot -= of_pot;
    pot_rate += of_acc * closing;
  }
};

/// Infinite if the pair is not bound.
double period_of(double mass, double binding) {
  if (!(binding > 0)) return std::numeric_limits<double>::infinity();
  const double axis = mass / (2 * binding);
  return 2 * std::numbers::pi * axis * std::sqrt(axis / mass);
}

struct PartOfStep {
  double begin = 0.0;
  double end = 0.0;
  Perturbers perturbers;
};

/// The time from `begin` to `end` in parts, of which those with perturbers have at most kOrbitsOfPart orbits. There
/// are some kMostParts at most, after which long ones stay.
std::vector<PartOfStep> parts_of_step(const RegularisedPair& pair, const std::vector<HermiteBody>& bodies, double begin,
                                      double end, double period) {
  constexpr std::size_t kMostParts = 256;
  std::vector<PartOfStep> parts;
  std::vector<std::pair<double, double>> left{{begin, end}};  // the next one last
  while (!left.empty()) {
    const auto [from, to] = left.back();
    left.pop_back();
    Perturbers perturbers(pair, bodies, from, to);
    const double middle = from + (to - from) / 2;
    const bool is_halved = !perturbers.none() && (to - from) / period > kOrbitsOfPart && from < middle && middle < to &&
                           parts.size() + left.size() < kMostParts;
    if (is_halved) {
      left.emplace_back(middle, to);
      left.emplace_back(from, middle);
    } else {
      parts.push_back({from, to, std::move(perturbers)});
    }
  }
  return parts;
}

}  // namespace

Force field_beyond_centre(const RegularisedPair& pair, const Vec3& d, const Vec3& u) {
  const double distance = norm(d);
  if (!(distance < outer_radius(pair)) || distance == 0) return {};
  const PairWeight weight = pair_weight_at(distance, pair.size);
  const double first = -pair.second_mass / pair.mass();
  const double second = pair.first_mass / pair.mass();
  PairField field;
  field.add(pair.first_mass, first * pair.r - d, first * pair.v - u);
  field.add(pair.second_mass, second * pair.r - d, second * pair.v - u);
  field.add(-pair.mass(), -1.0 * d, -1.0 * u);
  Force force{weight.w * field.acc, weight.w * field.jerk, weight.w * field.pot};
  if (weight.by_d == 0 && weight.by_d_d == 0) return force;
  const Vec3 out = (1 / distance) * d;
  const double rate = dot(out, u);
  const Vec3 turn = (1 / distance) * (u - rate * out);
  force.acc -= (weight.by_d * field.pot) * out;
  force.jerk += (weight.by_d * rate) * field.acc;
  force.jerk -= (weight.by_d_d * rate * field.pot + weight.by_d * field.pot_rate) * out;
  force.jerk -= (weight.by_d * field.pot) * turn;
  return force;
}

Perturbers::Perturbers(const RegularisedPair& pair, const std::vector<HermiteBody>& bodies, double begin, double end)
    : pair_(pair), centre_(bodies[pair.centre]), begin_(begin) {
  const auto reach = [&](const HermiteBody& body, double t) {
    const Phase of_body = at(body, t);
    const Phase of_centre = at(centre_, t);
    // How near it may be between the two times: the way of half of the time, at twice the present speed.
    return norm(of_body.x - of_centre.x) - norm(of_body.v - of_centre.v) * (end - begin);
  };
  for (const std::size_t k : pair.neighbours) {
    if (std::min(reach(bodies[k], begin), reach(bodies[k], end)) < outer_radius(pair))
      perturbers_.push_back(&bodies[k]);
  }
}

Vec3 Perturbers::acceleration(const Vec3& r, double time) const {
  const double t = begin_ + time;
  const Vec3 centre = at(centre_, t).x;
  const double first = -pair_.second_mass / pair_.mass();
  const double second = pair_.first_mass / pair_.mass();
  Vec3 sum;
  for (const HermiteBody* body : perturbers_) {
    const Vec3 d = at(*body, t).x - centre;
    const double weight = pair_weight_at(norm(d), pair_.size).w;
    if (weight == 0) continue;
    const auto pull = [&](const Vec3& s) { return (weight * body->mass / (dot(s, s) * norm(s))) * s; };
    sum += pull(d - second * r) - pull(d - first * r);
  }
  return sum;
}

RegularisedPair moved(const RegularisedPair& pair, const std::vector<HermiteBody>& bodies, double until) {
  RegularisedPair now = pair;
  const double begin = to_time(pair.t);
  if (until - begin == 0) return now;
  const double period = period_of(pair.mass(), pair.binding);
  const std::vector<PartOfStep> parts = parts_of_step(pair, bodies, begin, until, period);
  double orbits = 0;
  for (const PartOfStep& part : parts) orbits += part.perturbers.none() ? 0 : (part.end - part.begin) / period;
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("the pair of particles {} and {}, from t = {} to {}: {}", bodies[pair.centre].id,
                            bodies[pair.ghost].id, begin, until, why));
  };
  if (orbits > kMostOrbits) {
    refuse(
        fmt::format("it has {:.3g} orbits of {:.3g} in this step, and others disturb {:.3g} of them; up to {} are "
                    "followed",
                    (until - begin) / period, period, orbits, kMostOrbits));
  }
  try {
    for (const PartOfStep& part : parts) {
      const RelativeMotion motion = advanced({0, now.r, now.v, now.binding}, pair.mass(), part.end - part.begin,
                                             part.perturbers.none() ? nullptr : &part.perturbers);
      now.r = motion.r;
      now.v = motion.v;
      now.binding = motion.binding;
    }
  } catch (const Error& error) {
    refuse(error.what());
  }
  return now;
}

double apocentre(double mass, const Vec3& r, const Vec3& v, double binding) {
  if (!(binding > 0)) return std::numeric_limits<double>::infinity();
  const double axis = mass / (2 * binding);
  const Vec3 h = cross(r, v);
  return axis * (1 + std::sqrt(std::max(0.0, 1 - dot(h, h) / (mass * axis))));
}

std::vector<bool> ghosts_of(const HermiteState& state) {
  const std::size_t n = state.bodies.size();
  std::vector<bool> ghosts(n);
  std::vector<bool> taken(n);
  for (const RegularisedPair& pair : state.pairs) {
    if (!(pair.centre < pair.ghost && pair.ghost < n) || taken[pair.centre] || taken[pair.ghost]) {
      throw Error(fmt::format("a pair of bodies {} and {} of {} is refused: it must be two bodies of no other pair",
                              pair.centre, pair.ghost, n));
    }
    taken[pair.centre] = taken[pair.ghost] = true;
    ghosts[pair.ghost] = true;
  }
  return ghosts;
}

void check_pair(const RegularisedPair& pair, const HermiteState& state) {
  const HermiteBody& centre = state.bodies[pair.centre];
  const auto require = [&](bool holds, std::string_view what) {
    if (!holds)
      throw Error(fmt::format("the pair of particles {} and {}: {}", centre.id, state.bodies[pair.ghost].id, what));
  };
  require(state.options.regularise, "the options do not regularise pairs");
  require(pair.first_mass > 0 && pair.second_mass > 0 && std::isfinite(pair.mass()), "its masses are not above 0");
  require(centre.mass == pair.mass() && state.bodies[pair.ghost].mass == 0, "its bodies do not have its mass");
  require(is_finite(pair.r) && is_finite(pair.v) && std::isfinite(pair.binding) && dot(pair.r, pair.r) > 0,
          "its orbit is not finite");
  require(pair.size > 0 && std::isfinite(pair.size), "its size is not above 0");
  require(pair.t >= centre.t && pair.t <= state.time && pair.listed_until > state.time, "its times do not fit");
  const auto& list = pair.neighbours;
  require(std::ranges::is_sorted(list, std::less_equal<>()) && (list.empty() || list.back() < state.bodies.size()) &&
              !std::ranges::binary_search(list, pair.centre),
          "its neighbours are not ascending bodies");
}

namespace {

/// The radius at which a running sum of the masses first reaches half of it. lagrangian_radii() may name the particle
/// before, since it leaves the roundings of the sum out; here they stay, so that runs keep their bits.
double half_mass_radius_by_running_sum(const Particles& particles) {
  const Vec3 centre = centre_of_mass(particles);
  std::vector<std::pair<double, double>> shells;  // distance, mass
  for (std::size_t i = 0; i < particles.size(); ++i) {
    shells.emplace_back(norm(particles.position[i] - centre), particles.mass[i]);
  }
  std::ranges::sort(shells);
  double mass = 0;
  for (const auto& shell : shells) mass += shell.second;
  double enclosed = 0;
  for (const auto& [distance, of_shell] : shells) {
    if ((enclosed += of_shell) >= 0.5 * mass) return distance;
  }
  return shells.back().first;
}

}  // namespace

double close_axis_of(const Particles& particles, const HermiteState& state) {
  constexpr std::size_t kFew = 4;
  const std::size_t n = particles.size();
  if (n <= kFew) return std::numeric_limits<double>::infinity();
  double twice = 0;
  for (const HermiteBody& body : state.bodies) twice += body.mass * body.pot;
  const double mass = total_mass(particles);
  const double virial = twice < 0 ? mass * mass / -twice : 0;
  return std::max(virial, half_mass_radius_by_running_sum(particles)) / static_cast<double>(n);
}

}  // namespace gdr::hostlib
