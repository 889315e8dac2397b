// number = how many j-particles have |xj - xi|^2 < h2. Positions are multiples of 1/16, so that the squares are exact
// in short words, too; h2 is no multiple of 1/256, so that no pair is at the edge.
#include "reference.h"

namespace gdr::course {

void neighbours(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    double number = 0;
    for (std::size_t k = 0; k < data.nj; ++k) {
      const Vector d = vector_of(data.j, "xj", k) - vector_of(data.i, "xi", n);
      if (dot(d, d) < data.i.at("h2")[n]) number += 1;
    }
    results.set("number", n, number);
  }
}

}  // namespace gdr::course
