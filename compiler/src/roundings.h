// Where a pair function rounds to short or long words, and the same function with some of those places long.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

/// Nodes of the loop body, and of NAME_finish.
using NodesOfBoth = std::array<std::vector<int>, 2>;

/// What rounds: the operations of one place of the source, a member of i, j or the parameters, or a sum.
struct Rounding {
  bool is_short = false;
  std::string operation;  // of C++
  std::string name;       // variables, joined by commas
  Place place;
  NodesOfBoth nodes;
  // Of an input or a sum, which is as wide as its member: that one.
  bool has_field = false;
  Record record = Record::i;
  unsigned field = 0;
};

/// Those that a result depends on, by their place.
[[nodiscard]] std::vector<Rounding> roundings_of(const Imported& imported);

/// Significant bits to which the machine rounds a short node: those of a short word, one less for functions that
/// docs/compiler.md promises a unit of their last bit.
[[nodiscard]] unsigned significant_bits(const Node& node);

struct Widened {
  Imported imported;
  bool whole = true;  // everything asked for is long; else the machine has no long form of it, or of what reads it
};

/// The function with the roundings `wide` in long words. What does not round, such as a minimum, gets as wide as its
/// operands; what does round keeps its width.
[[nodiscard]] Widened with_long_roundings(const Imported& imported, const std::vector<const Rounding*>& wide);

}  // namespace gdr::compiler
