// The operations of a section as they are made, line by line.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "micro_op.h"

namespace gdr::emulator::simd {

/// Collects operations, and gives the lines their temporary words: even and odd lines have a bank each, so that the
/// words which the line before still holds back stay where they are.
class OpWriter {
 public:
  /// From here on operations belong to this line. Its bank is empty.
  void begin_line(std::size_t line, unsigned elements) {
    line_ = static_cast<std::uint16_t>(line);
    elements_ = static_cast<std::uint8_t>(elements);
    bank_ = place::kBanks + static_cast<std::uint32_t>(line % 2) * kBankWords;
    used_ = 0;
  }

  /// An operation of the current line without its kernel.
  [[nodiscard]] MicroOp blank() const {
    MicroOp op;
    op.elements = elements_;
    op.line = line_;
    return op;
  }
  void add(const MicroOp& op) { ops_.push_back(op); }
  /// Adds an operation of the current line, which the caller completes before the next one.
  MicroOp& push(Kernel kernel) {
    ops_.push_back(blank());
    ops_.back().run = kernel;
    return ops_.back();
  }

  /// Takes words of the line's bank, aligned for host vectors.
  std::uint32_t reserve(std::uint32_t words) {
    const std::uint32_t at = bank_ + used_;
    used_ += (words + kVectorWords - 1) / kVectorWords * kVectorWords;
    GDR_ASSERT(used_ <= kBankWords, "a line's temporary words fit in its bank");
    return at;
  }
  [[nodiscard]] std::uint32_t bank() const { return bank_; }
  [[nodiscard]] std::uint32_t used() const { return used_; }

  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  /// Hands over what was added so far; the next operations begin a list of their own.
  [[nodiscard]] std::vector<MicroOp> take() { return std::exchange(ops_, {}); }

 private:
  std::vector<MicroOp> ops_;
  std::uint16_t line_ = 0;
  std::uint8_t elements_ = 1;
  std::uint32_t bank_ = place::kBanks;
  std::uint32_t used_ = 0;
};

}  // namespace gdr::emulator::simd
