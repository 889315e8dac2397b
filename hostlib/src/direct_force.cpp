#include "gdr/hostlib/direct_force.h"

#include <fmt/format.h>

#include <cmath>

#include "gdr/base/error.h"

namespace gdr::hostlib {

void DirectForce::set_j_count(std::size_t n) {
  memory_.resize(n);
  fresh_ = false;
}

void DirectForce::set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) {
  if (addresses.size() != particles.size()) {
    throw Error(fmt::format("set_j_particles: {} addresses for {} particles", addresses.size(), particles.size()));
  }
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    if (addresses[k] >= memory_.size()) {
      throw Error(fmt::format("set_j_particles: address {} is not below the j count {}", addresses[k], memory_.size()));
    }
    memory_[addresses[k]] = particles[k];
  }
  fresh_ = false;
}

void DirectForce::set_time(double t) {
  time_ = t;
  fresh_ = false;
}

void DirectForce::predict() {
  predicted_.clear();
  predicted_.reserve(memory_.size());
  for (const JParticle& p : memory_) {
    const double dt = time_ - p.t0;
    const Vec3 x = p.x + dt * (p.v + dt * (p.a_by_2 + dt * (p.jerk_by_6 + (0.75 * dt) * p.snap_by_18)));
    const Vec3 v = p.v + dt * (2.0 * p.a_by_2 + dt * (3.0 * p.jerk_by_6 + (3.0 * dt) * p.snap_by_18));
    predicted_.push_back({p.id, p.mass, x, v});
  }
  fresh_ = true;
}

std::vector<Force> DirectForce::evaluate(std::span<const IParticle> i_particles, double eps2) {
  if (!fresh_) predict();
  std::vector<Force> forces;
  forces.reserve(i_particles.size());
  for (const IParticle& i : i_particles) {
    Force f;
    for (const Source& j : predicted_) {
      if (j.id == i.id) continue;
      const Vec3 d = j.x - i.x;
      const Vec3 u = j.v - i.v;
      const double s2 = dot(d, d) + eps2;
      if (s2 == 0.0) continue;
      const double by_s2 = 1.0 / s2;
      const double m_by_s = j.mass * std::sqrt(by_s2);
      const double m_by_s3 = m_by_s * by_s2;
      f.acc += m_by_s3 * d;
      f.jerk += m_by_s3 * (u - (3.0 * dot(d, u) * by_s2) * d);
      f.pot -= m_by_s;
    }
    forces.push_back(f);
  }
  return forces;
}

}  // namespace gdr::hostlib
