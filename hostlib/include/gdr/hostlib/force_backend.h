// The interface between an N-body integrator and the machine that computes its forces. The machine keeps the
// j-particles in its memory and predicts them itself; the host predicts the i-particles. The calls correspond one to
// one to those of a GRAPE-6 style board: set_njp, set_j_particle, set_ti, calc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

/// A j-particle as the memory of the board keeps it. With D = t - t0, its predicted position and velocity at time t are
///   x + v D + a_by_2 D^2 + jerk_by_6 D^3 + (3/4) snap_by_18 D^4
///   v + 2 a_by_2 D + 3 jerk_by_6 D^2 + 3 snap_by_18 D^3
/// which are Taylor series up to the snap. The factors are those of the GRAPE-6 library (aby2, a1by6, a2by18).
struct JParticle {
  std::int64_t id = -1;
  double mass = 0.0;
  double t0 = 0.0;
  Vec3 x;
  Vec3 v;
  Vec3 a_by_2;      // acceleration / 2
  Vec3 jerk_by_6;   // first derivative of the acceleration / 6
  Vec3 snap_by_18;  // second derivative of the acceleration / 18
};

/// A particle on which the force is computed, at the time set by set_time().
struct IParticle {
  std::int64_t id = -1;
  Vec3 x;
  Vec3 v;
};

/// Sums over all j-particles except those with the i-particle's id, G = 1; with d = x_j - x_i, u = v_j - v_i,
/// s2 = d.d + eps2:
///   acc = sum m d s2^(-3/2), jerk = sum m (u s2^(-3/2) - 3 (d.u) d s2^(-5/2)), pot = - sum m s2^(-1/2)
struct Force {
  Vec3 acc;
  Vec3 jerk;
  double pot = 0.0;
};

/// Rounding errors of an engine's forces: root mean square over the particles of a Plummer sphere, relative to the size
/// of acceleration and jerk. 0: not known, or too small to matter.
struct ForceNoise {
  double acc = 0.0;
  double jerk = 0.0;
};

/// A force engine that sums over all pairs. Not thread-safe.
class ForceBackend {
 public:
  virtual ~ForceBackend() = default;

  /// Sets the number of j-particles: addresses 0..n-1 take part in force calls. Addresses that were not written yet
  /// count as mass 0; a smaller number forgets the particles beyond it. Throws gdr::Error if the memory is smaller.
  virtual void set_j_count(std::size_t n) = 0;

  /// Writes particles[k] to addresses[k]; both spans have the same length. Of an address that is there twice the last
  /// particle stays. Throws gdr::Error for an address >= the j count and for NaN, and then writes none.
  virtual void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) = 0;

  /// Sets the time to which evaluate() predicts the j-particles. Times may come in any order and be any distance from
  /// t0. Throws gdr::Error for a time that is not finite.
  virtual void set_time(double t) = 0;

  /// Returns the forces on `i_particles`, in their order. eps2 >= 0 is the squared softening length. A pair with s2 = 0
  /// contributes nothing. Throws gdr::Error for a negative eps2 and for NaN.
  [[nodiscard]] virtual std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) = 0;

  /// Noise that an integrator has to expect when it takes the difference of two forces.
  [[nodiscard]] virtual ForceNoise noise() const { return {}; }

 protected:
  ForceBackend() = default;
  ForceBackend(const ForceBackend&) = default;
  ForceBackend& operator=(const ForceBackend&) = default;
};

}  // namespace gdr::hostlib
