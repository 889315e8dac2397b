#include "sampling.h"

#include <cmath>

namespace gdr::hostlib {

// Newton's iterates start from y = 1 >= root and decrease until rounding stops them.
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

void scale_to(Particles& p, double kinetic, double potential) {
  const double now = kinetic_energy(p);
  const double velocity_scale = now > 0.0 ? std::sqrt(kinetic / now) : 1.0;
  const double length_scale = potential_energy(p, 0.0) / potential;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p.position[k] *= length_scale;
    p.velocity[k] *= velocity_scale;
  }
}

}  // namespace gdr::hostlib
