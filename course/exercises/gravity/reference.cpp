// With d = xj - xi and r^2 = |d|^2 + eps2: acc = sum of mj d / r^3, pot = -sum of mj / r.
#include "reference.h"

namespace gdr::course {

void gravity(const Data& data, Results& results) {
  const double eps2 = data.parameters.at("eps2");
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      const double r2 = dot(d, d) + eps2;
      const double m_r = data.j.at("mj")[k] / std::sqrt(r2);
      results.add("pot", n, -m_r);
      results.add("acc", n, m_r / r2 * d);
    }
  }
}

}  // namespace gdr::course
