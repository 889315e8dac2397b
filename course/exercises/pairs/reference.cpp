// pot = -sum of mj / |xj - xi| over the j-particles that are at another place than the i-particle.
#include "reference.h"

namespace gdr::course {

void pairs(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      const double r2 = dot(d, d);
      if (r2 > 0) results.add("pot", n, -data.j.at("mj")[k] / std::sqrt(r2));
    }
  }
}

}  // namespace gdr::course
