// Forces on all particles of a system: from a board, and from the host in double for comparison.
#pragma once

#include <optional>
#include <vector>

#include "gdr/base/json.h"
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

/// Errors of a board's forces, compared with those of the host.
struct ForceErrors {
  double acc = 0;
  std::optional<double> jerk;  // if the kernel computes it
  double pot = 0;
  double momentum = 0;
  double host_seconds = 0;  // wall clock of the forces of the host
};
/// Evaluates the forces on the board, and on this many threads of the host.
[[nodiscard]] ForceErrors force_errors(Device& device, isa::Program program, const Particles& particles, double eps,
                                       unsigned threads);
/// Sets the stages of a board's forces and their errors; without errors, they are null.
void add_force(base::Json& json, const emulator::StageSeconds& stages, const std::optional<ForceErrors>& errors);

}  // namespace gdr::hostlib
