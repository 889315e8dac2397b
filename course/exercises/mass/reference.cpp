// mass = sum of mj.
#include "reference.h"

namespace gdr::course {

void mass(const Data& data, Results& results) {
  for (std::size_t n = 0; n < data.ni; ++n) {
    for (const double mj : data.j.at("mj")) results.add("mass", n, mj);
  }
}

}  // namespace gdr::course
