#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gdr/hostlib/diagnostics.h"

namespace gdr::hostlib {
namespace {

constexpr std::size_t kShortestSteps = 64;  // particles from which the closest pair is looked for

/// The two-body problem's formulae, G = 1.
ClosePair pair_of(const Particles& p, std::size_t one, std::size_t other) {
  const Vec3 d = p.position[other] - p.position[one];
  const Vec3 u = p.velocity[other] - p.velocity[one];
  const double mass = p.mass[one] + p.mass[other];
  ClosePair pair{p.id[one], p.id[other], std::sqrt(dot(d, d)), std::nullopt, 0.0};
  const double energy = dot(u, u) / 2 - mass / pair.distance;  // of a unit of reduced mass
  if (!(mass > 0 && pair.distance > 0 && energy < 0)) return pair;
  const Vec3 h = cross(d, u);
  pair.semi_major_axis = -mass / (2 * energy);
  pair.eccentricity = std::sqrt(std::max(0.0, 1 - dot(h, h) / (mass * *pair.semi_major_axis)));
  return pair;
}

}  // namespace

std::optional<ClosePair> closest_pair(const HermiteState& state, const Particles& particles) {
  if (particles.size() < 2) return std::nullopt;
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t looked_at = std::min(kShortestSteps, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(looked_at), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const Ticks dt_a = state.bodies[a].dt;
                      const Ticks dt_b = state.bodies[b].dt;
                      return dt_a != dt_b ? dt_a < dt_b : a < b;
                    });
  double least = std::numeric_limits<double>::infinity();
  std::size_t one = 0;
  std::size_t other = 1;
  for (std::size_t k = 0; k < looked_at; ++k) {
    for (std::size_t j = 0; j < particles.size(); ++j) {
      const Vec3 d = particles.position[j] - particles.position[order[k]];
      if (j == order[k] || !(dot(d, d) < least)) continue;
      least = dot(d, d);
      one = std::min(j, order[k]);
      other = std::max(j, order[k]);
    }
  }
  for (const RegularisedPair& pair : state.pairs) {  // its centre of mass may have long steps
    const Vec3 d = particles.position[pair.ghost] - particles.position[pair.centre];
    if (!(dot(d, d) < least)) continue;
    least = dot(d, d);
    one = pair.centre;
    other = pair.ghost;
  }
  return pair_of(particles, one, other);
}

std::string describe(const ClosePair& pair) {
  const std::string orbit = pair.semi_major_axis
                                ? fmt::format(": a = {:.3g}, e = {:.3f}", *pair.semi_major_axis, pair.eccentricity)
                                : std::string(", unbound");
  return fmt::format("particles {} and {}, {:.3g} apart{}", pair.first, pair.second, pair.distance, orbit);
}

}  // namespace gdr::hostlib
