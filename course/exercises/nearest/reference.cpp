// r2 = least |xj - xi|^2; infinity if there is no j-particle.
#include "reference.h"

namespace gdr::course {

void nearest(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      least = std::min(least, dot(d, d));
    }
    results.set("r2", n, least);
  }
}

}  // namespace gdr::course
