// Time of a blocked LU factorisation on one node, of HPL and of HPL-MxP.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "gdr/base/error.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr {

struct FactorisationSize {
  std::uint64_t n = 0;
  std::uint64_t nb = 0;
  double element_bytes = 0;
  double memory = 0;  // of the node, in bytes
};

/// Seconds of panels, updates and row swaps. `swap` returns the seconds of a panel's row swaps, from the panel's rows,
/// its columns, and the columns to its right. Throws gdr::Error for n or nb of 0, and for a matrix that the memory does
/// not hold.
template <class Swap>
HplStages factorisation_stages(const HplNode& node, const FactorisationSize& size, const Swap& swap) {
  if (size.n < 1) throw Error(fmt::format("n = {} is refused: it must be at least 1", size.n));
  if (size.nb < 1) throw Error(fmt::format("nb = {} is refused: it must be at least 1", size.nb));
  require_hpl_memory(size.n, size.element_bytes, 1, size.memory);
  const auto n = static_cast<double>(size.n);
  const auto nb = static_cast<double>(size.nb);
  HplStages stages;
  NodeSeconds computed;
  for (double first = 0; first < n; first += nb) {
    const double columns = std::min(nb, n - first);
    const double rest = n - first - columns;
    const NodeSeconds panel = node.panel(n - first, columns);
    stages.panel += panel.total();
    computed += panel;
    if (rest == 0) break;
    NodeSeconds update = node.solve(columns, rest);
    update += node.product(rest, rest, columns);
    stages.update += update.total();
    computed += update;
    stages.swap += swap(n - first, columns, rest);
  }
  stages.board = computed.board;
  stages.clocks = computed.clocks;
  return stages;
}

}  // namespace gdr
