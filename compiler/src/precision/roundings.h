// Finds where a pair function rounds to short or long words, and makes the same function with some of those roundings
// long.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

/// Nodes of the loop body, and of NAME_finish.
using NodesOfBoth = std::array<std::vector<int>, 2>;

/// Something that rounds: the operations at one source position, a member of i, j or the parameters, or a sum.
struct Rounding {
  bool is_short = false;
  std::string operation;  // in terms of C++
  std::string name;       // variables, joined by commas
  Place place;
  NodesOfBoth nodes;
  // For an input or a sum: the member that determines its width.
  bool has_field = false;
  Record record = Record::i;
  unsigned field = 0;
};

/// The roundings that a result depends on, ordered by source position.
[[nodiscard]] std::vector<Rounding> roundings_of(const Imported& imported);

/// Significant bits to which the machine rounds a short node: those of a short word, and one less for functions for
/// which docs/kernels/compiler.md promises an error of one unit in the last bit.
[[nodiscard]] unsigned significant_bits(const Node& node);

/// The function with the roundings `wide` in long words. Operations that do not round, such as a minimum, get the width
/// of their operands; other operations that round keep their width.
[[nodiscard]] Imported with_long_roundings(const Imported& imported, const std::vector<const Rounding*>& wide);

}  // namespace gdr::compiler
