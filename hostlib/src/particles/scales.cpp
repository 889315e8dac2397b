#include "gdr/hostlib/scales.h"

#include <cmath>
#include <numbers>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

constexpr std::size_t kLeastToRelax = 20;  // particles; ln(0.11 N) is no longer small

}  // namespace

Scales scales_of(const Particles& particles, const Energy& energy) {
  Scales scales;
  scales.mass = total_mass(particles);
  if (!(scales.mass > 0)) return scales;
  const double half[1] = {0.5};
  const double r_h = lagrangian_radii(particles, half, centre_of_mass(particles)).front();
  scales.half_mass_radius = r_h;
  const auto n = static_cast<double>(particles.size());
  if (particles.size() >= kLeastToRelax) {
    scales.relaxation_time = 0.138 * n * std::sqrt(r_h * r_h * r_h / scales.mass) / std::log(0.11 * n);
  }
  if (energy.potential == 0) return scales;
  const double r_v = scales.mass * scales.mass / (2 * std::fabs(energy.potential));
  scales.virial_radius = r_v;
  scales.virial_ratio = energy.virial_ratio();
  scales.crossing_time = 2 * std::numbers::sqrt2 * std::sqrt(r_v * r_v * r_v / scales.mass);
  return scales;
}

double scale_to_henon(Particles& particles) {
  const double mass = total_mass(particles);
  const double potential = potential_energy(particles, 0.0);
  if (!(mass > 0 && potential < 0)) {
    throw Error("particles without mass or potential energy have no scale of Henon's");
  }
  const double r_v = mass * mass / (2 * -potential);
  const Vec3 centre = centre_of_mass(particles);
  const Vec3 mean = momentum(particles) * (1.0 / mass);
  const double speed = std::sqrt(r_v / mass);
  for (std::size_t k = 0; k < particles.size(); ++k) {
    particles.mass[k] /= mass;
    particles.position[k] = (particles.position[k] - centre) * (1.0 / r_v);
    particles.velocity[k] = (particles.velocity[k] - mean) * speed;
  }
  return std::sqrt(mass / r_v) / r_v;
}

}  // namespace gdr::hostlib
