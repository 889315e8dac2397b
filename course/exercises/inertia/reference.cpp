// inertia = sum of mj |xj - xi|^2.
#include "reference.h"

namespace gdr::course {

void inertia(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      results.add("inertia", n, data.j.at("mj")[k] * dot(d, d));
    }
  }
}

}  // namespace gdr::course
