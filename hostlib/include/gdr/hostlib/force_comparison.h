// Forces on all particles of a system: from a board, and from the host in double for comparison.
#pragma once

#include <vector>

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

/// Sums with one entry for each particle; `jerk` is empty if the kernel does not compute it.
struct ForceSums {
  std::vector<Vec3> acc;
  std::vector<Vec3> jerk;
  std::vector<double> pot;
};

/// Loads `program` (gravity, or gravity_jerk and its variants) and evaluates all pairs at time 0.
[[nodiscard]] ForceSums board_forces(Device& device, isa::Program program, const Particles& particles, double eps);
/// On this many threads of the host, or all of its threads if `threads` is 0.
[[nodiscard]] ForceSums host_forces(const Particles& particles, double eps, unsigned threads);

/// sqrt(mean((|a - b| / |b|)^2)); 0 for empty lists.
[[nodiscard]] double rms_error(const std::vector<Vec3>& a, const std::vector<Vec3>& b);
[[nodiscard]] double rms_error(const std::vector<double>& a, const std::vector<double>& b);
/// |sum m a| / sum |m a|, which is 0 for exact forces.
[[nodiscard]] double momentum_error(const Particles& particles, const std::vector<Vec3>& acc);

}  // namespace gdr::hostlib
