// The integer ALU on single bits, as one would do it with pencil and paper. Shares no code with the emulator.
#pragma once

#include "gdr/isa/isa.h"

namespace gdr::tests {

struct IntegerAnswer {
  isa::uint128 value = 0;  // right-aligned
  bool carry = false;
};

/// Of right-aligned integers; an operation of one source ignores b. Throws std::logic_error for an operation that the
/// oracle has no row for.
[[nodiscard]] IntegerAnswer integer_answer(isa::Op op, isa::uint128 a, isa::uint128 b, isa::Width width);

}  // namespace gdr::tests
