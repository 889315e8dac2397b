// Problems whose outcome is known, integrated on the emulated board; docs/nbody/grape6.md tells what they gave.
#pragma once

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/particles.h"

namespace gdr::hostlib::testing {

/// A system on a board of its own.
class BoardSystem {
 public:
  BoardSystem(const Particles& start, const HermiteOptions& options, const std::string& kernel = "gravity_jerk")
      : eps_(options.eps),
        force_(device_, kernel_program(kernel)),
        integrator_(force_, start, options),
        energy_(energy(start, options.eps).total()) {}

  Particles at(double t) {
    integrator_.evolve(t);
    return integrator_.particles_at(t);
  }
  /// (E - E0) / |E0|, in the host's doubles.
  [[nodiscard]] double energy_error(const Particles& now) const {
    return (energy(now, eps_).total() - energy_) / std::fabs(energy_);
  }
  [[nodiscard]] const HermiteCounters& counters() const { return integrator_.counters(); }

 private:
  double eps_;
  Device device_;
  BoardForce force_;
  HermiteIntegrator integrator_;
  double energy_;
};

inline double half_mass_radius_about_centre(const Particles& particles) {
  const double half = 0.5;
  return lagrangian_radii(particles, {&half, 1}, centre_of_mass(particles)).front();
}

/// A line of the table, on standard output.
inline void tell(const char* problem, const char* what, double value) {
  std::printf("%-40s %-24s %.3g\n", problem, what, value);
  std::fflush(stdout);
}

/// A homogeneous sphere with R = M = 1, at rest.
inline Particles sphere_at_rest(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  const auto uniform = [&] { return 2.0 * static_cast<double>(generator() >> 11) * 0x1p-53 - 1.0; };
  Particles start;
  while (start.size() < n) {
    const Vec3 x{uniform(), uniform(), uniform()};
    if (dot(x, x) > 1.0) continue;
    start.push_back(static_cast<std::int64_t>(start.size()), 1.0 / static_cast<double>(n), x, {});
  }
  return start;
}

}  // namespace gdr::hostlib::testing
