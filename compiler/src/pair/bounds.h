// Between which numbers a value must be, by the way it is computed: which words of integers are right in all their
// bits, and which conversions are short.
#pragma once

#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

/// Numbers of `bits` bits, with a sign or without one.
[[nodiscard]] Bounds bounds_of_bits(unsigned bits, bool is_signed);

[[nodiscard]] bool is_within(const Bounds& inner, const Bounds& outer);

/// What the operands say of a node. An integer that may pass beyond its word has no bounds.
[[nodiscard]] Bounds computed_bounds(const Node& node, const std::vector<Node>& nodes);

/// Short integers that are made of floating-point numbers and do nothing but decide comparisons with small constants
/// may end at 2^23 - 1, which takes fewer operations: marks them, and gives them and what they become these bounds.
/// `roots`: nodes that are read from outside.
void saturate_compared(PairFunction& function, const std::vector<int>& roots);

}  // namespace gdr::compiler
