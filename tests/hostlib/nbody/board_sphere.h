// A Plummer sphere integrated on the emulated board, as `gdr nbody` does it.
#pragma once

#include <cmath>
#include <string>

#include "gdr/assembler/assembler.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/plummer.h"

namespace gdr::hostlib::testing {

struct SphereRun {
  double energy_error = 0;  // relative, signed
  double half_mass_before = 0;
  double half_mass_after = 0;
  std::string hash;
};

inline isa::Program gravity_jerk() {
  const assembler::AssembleResult result = assembler::assemble_file(std::string(GDR_KERNELS_DIR) + "/gravity_jerk.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

inline double half_mass_radius(const Particles& particles) {
  const double half = 0.5;
  return lagrangian_radii(particles, {&half, 1}, centre_of_mass(particles)).front();
}

/// `eps` 0.01 and eta 0.1, the values of the published runs.
inline SphereRun integrate_sphere(std::size_t n, std::uint64_t seed, double t_end, const DeviceOptions& options) {
  constexpr double kEps = 0.01;
  Device device(options);
  BoardForce backend(device, gravity_jerk());
  const Particles before = make_plummer(n, seed);
  HermiteIntegrator integrator(backend, before, {0.1, kEps});
  integrator.evolve(t_end);
  const Particles after = integrator.particles_at(t_end);
  const double start = energy(before, kEps).total();
  return {(energy(after, kEps).total() - start) / std::abs(start), half_mass_radius(before), half_mass_radius(after),
          state_hash(after)};
}

}  // namespace gdr::hostlib::testing
