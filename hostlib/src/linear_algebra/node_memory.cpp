#include "gdr/hostlib/node_memory.h"

#include <fmt/format.h>

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr {

std::uint64_t largest_hpl_order(double element_bytes, double nodes, double memory) {
  const double bytes = element_bytes + (element_bytes < kDoubleBytes ? kDoubleBytes : 0);
  return static_cast<std::uint64_t>(std::sqrt(memory * nodes / bytes));
}

void require_hpl_memory(std::uint64_t n, double element_bytes, double nodes, double memory) {
  const std::uint64_t largest = largest_hpl_order(element_bytes, nodes, memory);
  if (n <= largest) return;
  throw Error(fmt::format("n = {} is refused: {:.0f} node{} of {:g} GB hold{} a matrix of n = {} at most", n, nodes,
                          nodes == 1 ? "" : "s", memory / kGiga, nodes == 1 ? "s" : "", largest));
}

void require_dgemm_memory(std::uint64_t m, std::uint64_t n, std::uint64_t k, double memory) {
  const auto elements = [](std::uint64_t rows, std::uint64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  };
  const double bytes = kDoubleBytes * (elements(m, k) + elements(k, n) + elements(m, n));
  if (bytes <= memory) return;
  constexpr double kMatrices = 3;
  throw Error(fmt::format(
      "m = {}, n = {}, k = {} are refused: A, B and C take {:.6g} GB, and a node has {:g} GB, which hold three square "
      "matrices of order {:.0f} at most",
      m, n, k, bytes / kGiga, memory / kGiga, std::floor(std::sqrt(memory / (kMatrices * kDoubleBytes)))));
}

}  // namespace gdr
