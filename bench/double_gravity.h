// What the exact engine's gravity is measured against: the same interaction by hand in AVX-512 doubles, as N-body codes
// for the host have it. Forces as in kernels/gravity_jerk.vsm; 1/r from rsqrt14 and two Newton steps.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace gdr::bench {

using Vectors = std::array<std::vector<double>, 3>;  // x, y, z

/// j-particles as the kernel's record has them. Their number is a multiple of 8.
struct DoubleSources {
  std::vector<double> mass;
  std::vector<double> time;
  Vectors x, v, a_by_2, jerk_by_6, snap_by_18;
};

/// The same at the time of the forces; the caller gives it the sources' size.
struct DoublePredicted {
  Vectors x, v;
};

/// i-particles and their forces. Their number is a multiple of 16; r^2 must never be 0.
struct DoubleTargets {
  Vectors x, v;
  std::vector<double> eps2;
  Vectors acc, jerk;
  std::vector<double> pot;
};

/// Floating-point operations of an interaction here, a fused one counting two; rsqrt14 and the predictor, which runs
/// once for each j-particle, are not counted.
inline constexpr double kDoubleFlops = 50;

/// True if this host can run what follows.
[[nodiscard]] bool has_double_gravity();

/// Predicts the j-particles to `time` and computes the forces of all of them on all i-particles.
void double_gravity(const DoubleSources& sources, double time, DoublePredicted& predicted, DoubleTargets& targets);

/// Fused multiply-adds and nothing else, as many at a time as the core can have under way. Returns their floating-point
/// operations.
double fma_peak_work(std::size_t rounds);

}  // namespace gdr::bench
