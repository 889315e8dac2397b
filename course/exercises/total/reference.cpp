// total = sum of qi over the 128 i-particles of a run, for each of them.
#include "reference.h"

namespace gdr::course {

void total(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    const std::size_t first = n - n % 128;
    for (std::size_t k = first; k < first + 128; ++k) results.add("total", n, data.i.at("qi")[k]);
  }
}

}  // namespace gdr::course
