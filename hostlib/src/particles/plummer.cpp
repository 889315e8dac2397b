#include "gdr/hostlib/plummer.h"

#include <cmath>

#include "gdr/hostlib/start_model.h"
#include "sampling.h"

namespace gdr::hostlib {
namespace {

// Draws q = speed / escape speed from the distribution q^2 (1 - q^2)^(7/2), whose maximum is 0.0923 < 1/10.
double speed_fraction(Uniform& u) {
  for (;;) {
    const double q = u();
    const double g = u();
    const double w = 1.0 - q * q;
    if (g / 10.0 < q * q * w * w * w * std::sqrt(w)) return q;
  }
}

}  // namespace

Particles make_plummer(std::size_t n, std::uint64_t seed) {
  require_particles_of(StartKind::plummer, n);
  const double one_by_n = 1.0 / static_cast<double>(n);
  Uniform u(seed);
  Particles particles;
  particles.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double y = cube_root(kPlummerMassFraction * u());
    const double r = y / std::sqrt(1.0 - y * y);
    const Vec3 position = isotropic(u, r);
    const double speed = speed_fraction(u) * std::sqrt(2.0 / std::sqrt(1.0 + r * r));
    particles.push_back(static_cast<std::int64_t>(k), one_by_n, position, isotropic(u, speed));
  }
  move_to_rest(particles, one_by_n);
  scale_to(particles, 0.25, -0.5);
  return particles;
}

}  // namespace gdr::hostlib
