// With d = xj - xi, u = vj - vi and r^2 = |d|^2 + eps2: acc = sum of mj d / r^3,
// jerk = sum of mj (u - q d) / r^3, q = 3 d.u / r^2.
#include "reference.h"

namespace gdr::course {

void jerk(const Data& data, Results& results) {
  const double eps2 = data.parameters.at("eps2");
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      const Vector u = vector_of(data.j, "vj", k) - vector_of(data.i, "vi", n);
      const double r2 = dot(d, d) + eps2;
      const double m_r3 = data.j.at("mj")[k] / (r2 * std::sqrt(r2));
      const double q = 3 * dot(d, u) / r2;
      const double q_magnitude = 3 * dot(abs(d), abs(u)) / r2;
      results.add("acc", n, m_r3 * d);
      results.add("jerk", n, m_r3 * (u - q * d), m_r3 * (abs(u) - -q_magnitude * abs(d)));
    }
  }
}

}  // namespace gdr::course
