// pot = -sum of mj / sqrt(|xj - xi|^2 + eps2).
#include "reference.h"

namespace gdr::course {

void potential(const Data& data, Results& results) {
  const double eps2 = data.parameters.at("eps2");
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      results.add("pot", n, -data.j.at("mj")[k] / std::sqrt(dot(d, d) + eps2));
    }
  }
}

}  // namespace gdr::course
