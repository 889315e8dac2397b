// Sums beyond the chip: what the ring and the host make of the results of chips and boards, compared with an oracle.
#pragma once

#include <cstdint>
#include <optional>

#include "gdr/emulator/board.h"
#include "gdr/selftest/comparison.h"

namespace gdr::selftest {

/// A kernel with one result, and boards to run it on, all determined by a seed. The data are wild: infinities of both
/// signs, huge and tiny numbers, integers near 2^63.
struct SumsInput {
  isa::Program program;  // of each j-record x: r = op(r, x); r is an i-particle before the first one
  unsigned chips = 1;    // of a board: 1, 2, 4 or 8
  unsigned boards = 1;   // 1 or 2
  emulator::Combination combination = emulator::Combination::host;
  std::uint64_t seed = 1;
};
/// The kernels of consecutive seeds have all operations of the tree's nodes, each with all conversions that it can
/// have.
[[nodiscard]] SumsInput random_sums(std::uint64_t seed);

/// Runs the input on the reference engine. Compares results, numbers of events, and places of the first events beyond
/// the PEs with those of an oracle, which takes the words of the single chips.
[[nodiscard]] std::optional<Difference> check_sums(const SumsInput& input);

}  // namespace gdr::selftest
