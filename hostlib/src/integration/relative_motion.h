// The motion of two bodies about each other by the logarithmic Hamiltonian's leapfrog (Mikkola & Tanikawa 1999; Preto &
// Tremaine 1999) with extrapolation (Gragg 1965; Bulirsch & Stoer 1966). Without perturbers the leapfrog goes along the
// exact conic for steps of any length and errs in time alone, so collisions need no shorter steps. Only + - * / and the
// square root are used, so the same motion has the same bits on every host.
#pragma once

#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

/// At a time that counts from the beginning of an advance. G = 1, a unit of reduced mass.
struct RelativeMotion {
  double time = 0.0;
  Vec3 r;
  Vec3 v;
  double binding = 0.0;  // M / |r| - v^2 / 2
};

/// The acceleration of r by other bodies.
class Perturbation {
 public:
  virtual ~Perturbation() = default;
  [[nodiscard]] virtual Vec3 acceleration(const Vec3& r, double time) const = 0;

 protected:
  Perturbation() = default;
  Perturbation(const Perturbation&) = default;
  Perturbation& operator=(const Perturbation&) = default;
};

/// The motion at `time` >= motion.time of a pair of mass `mass`. `perturbation` may be null: whole periods are then
/// left out. Throws gdr::Error if the motion cannot be followed: places that are not finite, or so many small steps
/// that a caller would wait for ever (2^26 evaluations of the forces).
[[nodiscard]] RelativeMotion advanced(const RelativeMotion& motion, double mass, double time,
                                      const Perturbation* perturbation);

}  // namespace gdr::hostlib
