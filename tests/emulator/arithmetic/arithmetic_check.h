// Runs the emulator's floating point against the wide oracle and tells which classes of results were met.
#pragma once

#include <cstdint>
#include <string>

#include "gdr/emulator/arithmetic.h"
#include "operand_pairs.h"
#include "wide_oracle.h"

namespace gdr::tests {

[[nodiscard]] PairFamily family_of(isa::Op op);

/// Checks all special pairs and `count` generated ones in both destination widths; prints how often each class was met
/// and fails the running test on a wrong result, a class that was not met, or one that should be impossible.
void check_against_oracle(isa::Op op, std::uint64_t count);

}  // namespace gdr::tests
