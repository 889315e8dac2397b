// Floating-point operations on many pairs: scalar functions, vector engine and MPFR must agree on every one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"
#include "operand_pairs.h"
#include "wide_oracle.h"

namespace gdr::tests {

/// OperandPairs, and of 16 pairs four that data of a run may hold: a special word (zeros and infinities with any sign
/// and fraction, both ends of the range) beside a drawn one, either way round, and an operand beside itself and its
/// opposite, as where a particle meets itself.
class MixedPairs {
 public:
  MixedPairs(PairFamily family, std::uint64_t seed);
  [[nodiscard]] OperandPair next();

 private:
  PairFamily family_;
  OperandPairs drawn_;
  std::vector<OperandPair> special_;
  std::size_t count_ = 0;
};

/// How the words of a pair stand in the registers: the engine has a form of its own for each combination.
struct OperandWidths {
  isa::Width a = isa::Width::long_word;
  isa::Width b = isa::Width::long_word;
};
/// All that the operation allows.
[[nodiscard]] std::vector<OperandWidths> operand_widths(isa::Op op);

/// One operation with a long and a short destination, on a block of the vector engine.
class OperationChip {
 public:
  static constexpr std::size_t kPairsOfPe = 16;
  static constexpr std::size_t kPairs = emulator::kPesPerBlock * kPairsOfPe;

  OperationChip(isa::Op op, emulator::HostIsa isa, OperandWidths widths);

  struct Results {
    std::vector<isa::LongWord> of_long;  // results in the order of the pairs
    std::vector<isa::LongWord> of_short;
  };
  /// Of kPairs pairs.
  [[nodiscard]] Results run(std::span<const OperandPair> pairs);
  [[nodiscard]] emulator::FpEvents events() const { return chip_->events(0); }
  [[nodiscard]] emulator::FpLanes lanes() const { return chip_->fp_lanes(0); }
  [[nodiscard]] emulator::HostIsa isa() const { return isa_; }

 private:
  emulator::HostIsa isa_;
  OperandWidths widths_;
  std::unique_ptr<emulator::Chip> chip_;
};

/// All special pairs, then mixed ones, `count` or a few more in all, as operands of `widths`, which cut short ones, in
/// both destination widths, on each of `isas`. Fails the running test at the first difference in a result, in a flag or
/// event of the scalar function, or in the engine's count of events. Prints and records the share of results that took
/// integers in the engine.
void compare_engines(isa::Op op, OperandWidths widths, std::span<const emulator::HostIsa> isas, std::uint64_t count,
                     std::uint64_t seed);

}  // namespace gdr::tests
