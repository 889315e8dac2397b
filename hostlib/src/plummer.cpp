#include "gdr/hostlib/plummer.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

// Uniform numbers in (0, 1] with a defined bit pattern; std::uniform_real_distribution leaves it to the library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : generator_(seed) {}
  double operator()() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::mt19937_64 generator_;
};

// Cube root of f in (0, 1]: from y = 1 >= root Newton's iterates fall until rounding stops them.
double cube_root(double f) {
  double y = 1.0;
  for (;;) {
    const double next = (2.0 * y + f / (y * y)) / 3.0;
    if (!(next < y)) return y;
    y = next;
  }
}

Vec3 isotropic(Uniform& u, double length) {
  for (;;) {
    Vec3 a;
    a.x = 2.0 * u() - 1.0;
    a.y = 2.0 * u() - 1.0;
    a.z = 2.0 * u() - 1.0;
    const double s = dot(a, a);
    if (s > 0.0 && s <= 1.0) return a * (length / std::sqrt(s));
  }
}

// Speed over escape speed, distributed as q^2 (1 - q^2)^(7/2), whose maximum is 0.0923 < 1/10.
double speed_fraction(Uniform& u) {
  for (;;) {
    const double q = u();
    const double g = u();
    const double w = 1.0 - q * q;
    if (g / 10.0 < q * q * w * w * w * std::sqrt(w)) return q;
  }
}

void move_to_rest(Particles& p, double one_by_n) {
  Vec3 x;
  Vec3 v;
  for (std::size_t k = 0; k < p.size(); ++k) {
    x += p.position[k];
    v += p.velocity[k];
  }
  x *= one_by_n;
  v *= one_by_n;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p.position[k] -= x;
    p.velocity[k] -= v;
  }
}

void scale_to_henon_units(Particles& p) {
  const double velocity_scale = std::sqrt(0.25 / kinetic_energy(p));
  const double length_scale = -potential_energy(p, 0.0) / 0.5;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p.position[k] *= length_scale;
    p.velocity[k] *= velocity_scale;
  }
}

}  // namespace

Particles make_plummer(std::size_t n, std::uint64_t seed) {
  if (n < 2) throw Error(fmt::format("make_plummer: n = {} is below 2, the least that has a potential energy", n));
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
  scale_to_henon_units(particles);
  return particles;
}

}  // namespace gdr::hostlib
