#include "force_calls.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

bool has_nan(const Vec3& vector) { return std::isnan(vector.x) || std::isnan(vector.y) || std::isnan(vector.z); }

bool has_nan(std::initializer_list<const Vec3*> vectors) {
  for (const Vec3* const vector : vectors) {
    if (has_nan(*vector)) return true;
  }
  return false;
}

}  // namespace

void require_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles,
                         std::size_t j_count) {
  if (addresses.size() != particles.size()) {
    throw Error(fmt::format("set_j_particles: {} addresses for {} particles", addresses.size(), particles.size()));
  }
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    if (addresses[k] >= j_count) {
      throw Error(fmt::format("set_j_particles: address {} is not below the j count {}", addresses[k], j_count));
    }
    const JParticle& particle = particles[k];
    if (std::isnan(particle.mass) || std::isnan(particle.t0) ||
        has_nan({&particle.x, &particle.v, &particle.a_by_2, &particle.jerk_by_6, &particle.snap_by_18})) {
      throw Error(fmt::format("set_j_particles: the particle of id {} for address {} has a number that is NaN",
                              particle.id, addresses[k]));
    }
  }
}

void require_time(double t) {
  if (!std::isfinite(t)) throw Error(fmt::format("set_time: {} is refused: a time is finite", t));
}

void require_i_particles(std::span<const IParticle> particles, double eps2) {
  if (!(eps2 >= 0)) throw Error(fmt::format("evaluate: eps2 = {} is refused: it must be at least 0", eps2));
  for (const IParticle& particle : particles) {
    if (has_nan({&particle.x, &particle.v})) {
      throw Error(fmt::format("evaluate: the particle of id {} has a number that is NaN", particle.id));
    }
  }
}

}  // namespace gdr::hostlib
