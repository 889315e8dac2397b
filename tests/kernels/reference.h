// Reference implementations of the kernels in plain C++ and host double.
#pragma once

#include <cstdint>
#include <span>

#include "gdr/hostlib/force_backend.h"
#include "gdr/hostlib/vec3.h"

namespace gdr::kernels::testing {

/// tutorial.vsm: sum over j of m_j (x_j - x_i). Both spans have the same length.
[[nodiscard]] double tutorial(double xi, std::span<const double> xj, std::span<const double> mj);

/// Results of count.vsm.
struct Counted {
  std::int64_t number = 0;
  std::int64_t others = 0;
  std::int64_t tags = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
};
[[nodiscard]] Counted count(std::int64_t tagi, std::span<const std::int64_t> tagj);

/// nearest.vsm: the smallest squared distance; infinity if there are no j-particles.
[[nodiscard]] double nearest(const hostlib::Vec3& xi, std::span<const hostlib::Vec3> xj);

struct PointMass {
  hostlib::Vec3 x;
  double mass = 0.0;
};

/// Results of gravity.vsm. `acc_scale` is the sum of the absolute values of all pulls; rounding errors are measured
/// relative to it.
struct Gravity {
  hostlib::Vec3 acc;
  double pot = 0.0;
  double acc_scale = 0.0;
};
[[nodiscard]] Gravity gravity(const hostlib::Vec3& xi, double eps2, std::span<const PointMass> particles);

struct Well {
  hostlib::Vec3 x;
  double depth = 0.0;
};

/// Results of vdw.vsm. The scales are the sums of the absolute values of all terms; rounding errors are measured
/// relative to them.
struct VanDerWaals {
  hostlib::Vec3 force;
  double pot = 0.0;
  double force_scale = 0.0;
  double pot_scale = 0.0;
};
[[nodiscard]] VanDerWaals vdw(const hostlib::Vec3& xi, double eps2, double s2, std::span<const Well> wells);

/// Terms of gravity with jerk; a test may leave each one out.
struct GravityJerkTerms {
  bool snap = true;            // a2by18 in both predictors
  bool derivative = true;      // a1by6 in both
  bool acceleration = true;    // aby2 in both
  bool jerk_along_d = true;    // 3 m (d.u) d / r^5
  bool self_exclusion = true;  // excludes the particle itself, by index
  bool softening = true;       // eps2
};

/// Results of gravity_jerk.vsm, gravity_jerk_2009.vsm and gravity_jerk_long.vsm, with j-particles predicted to time t.
struct GravityJerk {
  hostlib::Force force;
  double acc_scale = 0.0;   // sum of m d / r^3
  double jerk_scale = 0.0;  // sum of m/r^3 (|u| + 3 |d| (|dx ux| + |dy uy| + |dz uz|) / r^2)
};
[[nodiscard]] GravityJerk gravity_jerk(const hostlib::IParticle& i, double t, double eps2,
                                       std::span<const hostlib::JParticle> particles,
                                       const GravityJerkTerms& terms = {});

}  // namespace gdr::kernels::testing
