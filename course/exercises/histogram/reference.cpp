// bin[t] = sum of mj over the j-particles with tagj = t.
#include "reference.h"

namespace gdr::course {

void histogram(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (std::size_t k = 0; k < data.nj; ++k) {
      const int tag = static_cast<int>(data.j.at("tagj")[k]);
      results.add("bin[" + std::to_string(tag) + "]", n, data.j.at("mj")[k]);
    }
  }
}

}  // namespace gdr::course
