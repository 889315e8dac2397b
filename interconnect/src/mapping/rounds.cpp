#include "rounds.h"

namespace gdr::interconnect {

namespace {

std::uint32_t smallest_factor(std::uint32_t n) {
  for (std::uint32_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) return factor;
  }
  return n;
}

}  // namespace

std::vector<Round> rounds_for(const Grid& grid, const std::array<unsigned, 3>& axes) {
  std::vector<Round> rounds;
  GridPosition left = grid.extents();
  GridPosition box{1, 1, 1};
  while (left != GridPosition{1, 1, 1}) {
    unsigned shortest = 3;
    for (const unsigned axis : axes) {
      if (left[axis] > 1 && (shortest == 3 || box[axis] < box[shortest])) shortest = axis;
    }
    const std::uint32_t factor = smallest_factor(left[shortest]);
    rounds.push_back({shortest, factor});
    left[shortest] /= factor;
    box[shortest] *= factor;
  }
  return rounds;
}

}  // namespace gdr::interconnect
