// The closed forms of Urino 2020, tables 3, 4, 5 and 8.
#include <fmt/format.h>

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {
namespace {

[[noreturn]] void refuse(std::string_view table) {
  throw Error(fmt::format("Urino 2020, table {} has no such algorithm in this layout", table));
}

}  // namespace

double summa_memory_words(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n) {
  const double block = n * n / nodes;
  const double cube_block = n * n / std::pow(nodes, 2.0 / 3);
  if (layout == SummaLayout::cube) {
    if (algorithm == SummaAlgorithm::ca1) return 6 * cube_block;
    if (algorithm == SummaAlgorithm::ca3) return 6 * cube_block + 2 * block;
    refuse("4");
  }
  switch (algorithm) {
    case SummaAlgorithm::ca0:
    case SummaAlgorithm::ca1:
      return 5 * block;
    case SummaAlgorithm::ca2:
      return (3 + 2 * std::sqrt(nodes)) * block;
    case SummaAlgorithm::ca3:
      return (5 + 2 / std::sqrt(nodes)) * block;
    case SummaAlgorithm::ca4:
      return 7 * block;
  }
  refuse("4");
}

double summa_memory_words_for_many_nodes(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n) {
  if (layout == SummaLayout::cube) return 6 * n * n / std::pow(nodes, 2.0 / 3);
  if (algorithm == SummaAlgorithm::ca2) return 2 * n * n / std::sqrt(nodes);
  if (algorithm == SummaAlgorithm::ca3) return 5 * n * n / nodes;
  return summa_memory_words(algorithm, layout, nodes, n);
}

SummaTheory summa_theory(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n,
                         double node_bytes_per_second, bool two_dimensional_hub) {
  const double root = std::sqrt(nodes);
  SummaTheory theory;
  double bandwidth = node_bytes_per_second / nodes;
  if (two_dimensional_hub) {
    if (algorithm != SummaAlgorithm::ca4 || layout != SummaLayout::square) refuse("8");
    theory = {root, n * n / (nodes * root), 0};
    bandwidth = node_bytes_per_second / (2 * root);
  } else if (layout == SummaLayout::cube) {
    if (algorithm == SummaAlgorithm::ca1) {
      theory = {3, n * n / std::pow(nodes, 2.0 / 3), 0};
    } else if (algorithm == SummaAlgorithm::ca3) {
      theory = {6, n * n / std::pow(nodes, 5.0 / 3), 0};
    } else {
      refuse("3");
    }
  } else {
    switch (algorithm) {
      case SummaAlgorithm::ca0:
        refuse("3");
      case SummaAlgorithm::ca1:
        theory = {2 * root, n * n / nodes, 0};
        break;
      case SummaAlgorithm::ca2:
        theory = {1, n * n / nodes, 0};
        break;
      case SummaAlgorithm::ca3:
        theory = {4 * root, n * n / (nodes * nodes), 0};
        break;
      case SummaAlgorithm::ca4:
        theory = {2 * root, n * n / (nodes * nodes), 0};
        break;
    }
  }
  theory.seconds = theory.messages * theory.words * kDoubleBytes / bandwidth;
  return theory;
}

}  // namespace gdr::interconnect
