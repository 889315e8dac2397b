// How a grid is built up from single nodes.
#pragma once

#include <vector>

#include "gdr/interconnect/grid.h"

namespace gdr::interconnect {

/// A round joins `factor` boxes in a row along `axis`.
struct Round {
  unsigned axis = 0;
  std::uint32_t factor = 2;
};

/// Boxes grow by a prime factor of the grid's extent, along the axis where they are shortest; if several are equally
/// short, along the first of these in `axes`. On a cube this is x, y, z in turn (Sanno and Kise, section 2.3).
[[nodiscard]] std::vector<Round> rounds_for(const Grid& grid, const std::array<unsigned, 3>& axes = {0, 1, 2});

}  // namespace gdr::interconnect
