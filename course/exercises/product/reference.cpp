// sum = sum of mj (xj - xi), to the last bits.
#include "reference.h"

namespace gdr::course {

void product(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      results.add("sum", n, data.j.at("mj")[k] * (data.j.at("xj")[k] - data.i.at("xi")[n]));
    }
  }
}

}  // namespace gdr::course
