#include "reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdr::kernels::testing {

using hostlib::IParticle;
using hostlib::JParticle;
using hostlib::Vec3;

double tutorial(double xi, std::span<const double> xj, std::span<const double> mj) {
  double sum = 0.0;
  for (std::size_t j = 0; j < xj.size(); ++j) sum += mj[j] * (xj[j] - xi);
  return sum;
}

Counted count(std::int64_t tagi, std::span<const std::int64_t> tagj) {
  Counted counted;
  for (const std::int64_t tag : tagj) {
    ++counted.number;
    if (tag != tagi) ++counted.others;
    counted.tags += tag;
  }
  return counted;
}

double nearest(const Vec3& xi, std::span<const Vec3> xj) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Vec3& x : xj) smallest = std::min(smallest, dot(x - xi, x - xi));
  return smallest;
}

Gravity gravity(const Vec3& xi, double eps2, std::span<const PointMass> particles) {
  Gravity sum;
  for (const PointMass& particle : particles) {
    const Vec3 d = particle.x - xi;
    const double r2 = dot(d, d) + eps2;
    if (r2 == 0.0) continue;
    const double m_by_r3 = particle.mass / (r2 * std::sqrt(r2));
    sum.acc += m_by_r3 * d;
    sum.acc_scale += m_by_r3 * norm(d);
    sum.pot -= particle.mass / std::sqrt(r2);
  }
  return sum;
}

VanDerWaals vdw(const Vec3& xi, double eps2, double s2, std::span<const Well> wells) {
  VanDerWaals sum;
  for (const Well& well : wells) {
    const Vec3 d = well.x - xi;
    const double r2 = dot(d, d) + eps2;
    if (r2 == 0.0) continue;
    const double attraction = std::pow(s2 / r2, 3);
    const double repulsion = attraction * attraction;
    sum.force += (24.0 * well.depth * (attraction - 2.0 * repulsion) / r2) * d;
    sum.pot += 4.0 * well.depth * (repulsion - attraction);
    sum.force_scale += 24.0 * well.depth * (attraction + 2.0 * repulsion) / r2 * norm(d);
    sum.pot_scale += 4.0 * well.depth * (repulsion + attraction);
  }
  return sum;
}

GravityJerk gravity_jerk(const IParticle& i, double t, double eps2, std::span<const JParticle> particles,
                         const GravityJerkTerms& terms) {
  GravityJerk sum;
  for (const JParticle& j : particles) {
    if (terms.self_exclusion && j.id == i.id) continue;
    const double dt = t - j.t0;
    Vec3 x = j.x + dt * j.v;
    Vec3 v = j.v;
    if (terms.acceleration) {
      x += (dt * dt) * j.a_by_2;
      v += (2.0 * dt) * j.a_by_2;
    }
    if (terms.derivative) {
      x += (dt * dt * dt) * j.jerk_by_6;
      v += (3.0 * dt * dt) * j.jerk_by_6;
    }
    if (terms.snap) {
      x += (0.75 * dt * dt * dt * dt) * j.snap_by_18;
      v += (3.0 * dt * dt * dt) * j.snap_by_18;
    }
    const Vec3 d = x - i.x;
    const Vec3 u = v - i.v;
    const double r2 = dot(d, d) + (terms.softening ? eps2 : 0.0);
    if (r2 == 0.0) continue;
    const double m_by_r3 = j.mass / (r2 * std::sqrt(r2));
    sum.force.acc += m_by_r3 * d;
    sum.force.jerk += m_by_r3 * u;
    if (terms.jerk_along_d) sum.force.jerk -= (m_by_r3 * 3.0 * dot(d, u) / r2) * d;
    sum.force.pot -= j.mass / std::sqrt(r2);
    sum.acc_scale += m_by_r3 * norm(d);
    const double products = std::abs(d.x * u.x) + std::abs(d.y * u.y) + std::abs(d.z * u.z);
    sum.jerk_scale += m_by_r3 * (norm(u) + 3.0 * norm(d) * products / r2);
  }
  return sum;
}

}  // namespace gdr::kernels::testing
