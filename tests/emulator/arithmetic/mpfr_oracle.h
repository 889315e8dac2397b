// A quick independent check of floating-point results: GNU MPFR, which rounds sums and products correctly to any number
// of bits. Shares no code with the emulator or the wide oracle, and is tens of times as fast as that one.
#pragma once

#include <mpfr.h>

#include "wide_oracle.h"

namespace gdr::tests {

struct MpfrAnswer {
  isa::LongWord value;
  bool negative = false;
  bool zero = false;
  WideEvent event = WideEvent::none;
};

class MpfrOracle {
 public:
  /// Results have `precision` significant bits: 61 for a long destination, 25 for a short one.
  explicit MpfrOracle(int precision);
  ~MpfrOracle();
  MpfrOracle(const MpfrOracle&) = delete;
  MpfrOracle& operator=(const MpfrOracle&) = delete;

  /// Of the same operands as wide_answer(); throws std::logic_error for an operation without a row, too.
  [[nodiscard]] MpfrAnswer answer(isa::Op op, isa::LongWord a, isa::LongWord b);

 private:
  mpfr_t a_;
  mpfr_t b_;
  mpfr_t result_;
};

}  // namespace gdr::tests
