// The arithmetic of the chip's three units, one word at a time: the reference that every faster engine must match bit
// for bit. The written definition is docs/arithmetic.md; this is the same definition in C++.
#pragma once

#include <cstdint>

#include "gdr/isa/word.h"

namespace gdr::emulator {

using isa::LongWord;
using isa::ShortWord;
using isa::uint128;
using isa::Width;

/// What a floating-point operation had to give up. At most one per operation.
enum class FpEvent : std::uint8_t {
  none,
  invalid,    // inf - inf or 0 x inf; the result is +infinity
  overflow,   // finite operands, rounded result beyond the largest finite number; the result is a signed infinity
  underflow,  // nonzero exact result whose exponent after rounding is below 1; the result is +0
};

/// Counters of events, one per kind; they only grow.
struct FpEvents {
  std::uint64_t invalid = 0;
  std::uint64_t overflow = 0;
  std::uint64_t underflow = 0;

  friend bool operator==(const FpEvents&, const FpEvents&) = default;
  FpEvents& operator+=(FpEvent event);
  FpEvents& operator+=(const FpEvents& other);
};

/// Result of the adder or the multiplier. A short result stands in the upper 36 bits of `value`, the rest zero. The
/// value is canonical: zero is the all-zero word, infinity has fraction 0.
struct FpResult {
  LongWord value;
  bool negative = false;  // flag: sign of the result; never set for zero
  bool zero = false;      // flag
  FpEvent event = FpEvent::none;
  friend bool operator==(const FpResult&, const FpResult&) = default;
};

// Floating point. Operands are long words; a short operand is passed as isa::widen(word), which keeps its value. An
// exponent field of 0 means zero and one of 2047 infinity, whatever the fraction (zero: whatever the sign too).
//
// Rounding, the same for all: the exact result is rounded to nearest even to the destination's 61 (long) or 25 (short)
// significant bits as if the exponent had no bounds; then the exponent field of the rounded number is looked at. Above
// 2046 it is an overflow, below 1 an underflow. A result just under 2^-1022 that rounds up to it is therefore kept.

/// The operand with its sign flipped, all other bits kept. The sign of a zero means nothing.
[[nodiscard]] LongWord negate(LongWord a);

/// a + b. inf + (-inf) is invalid; x + (-x) is +0.
[[nodiscard]] FpResult fadd(LongWord a, LongWord b, Width destination);
/// a - b, that is fadd(a, negate(b)).
[[nodiscard]] FpResult fsub(LongWord a, LongWord b, Width destination);
/// a, made canonical and rounded to the destination.
[[nodiscard]] FpResult fpassa(LongWord a, Width destination);
/// The larger of the two values, rounded to the destination; of equal values the first.
[[nodiscard]] FpResult fmax(LongWord a, LongWord b, Width destination);
/// The smaller of the two values, rounded to the destination; of equal values the first.
[[nodiscard]] FpResult fmin(LongWord a, LongWord b, Width destination);

/// One pass of the multiplier: a's significand cut to its top 50 bits, times the short word b; the exact product is
/// rounded once. 0 x inf is invalid. b must be a widened short word: its lower 36 bits zero.
[[nodiscard]] FpResult fmul(LongWord a, LongWord b, Width destination);
/// The pair fmulh, fmull: both significands cut to their top 50 bits, the exact 100-bit product rounded once. Zero,
/// infinity and events are decided once, on the whole product.
[[nodiscard]] FpResult fmul2(LongWord a, LongWord b, Width destination);

/// Result of the integer ALU.
struct AluResult {
  uint128 value = 0;      // right-aligned, no bits above the width
  bool negative = false;  // flag: the top bit of the value
  bool zero = false;      // flag
  bool carry = false;     // flag: carry out of uadd, borrow of usub; false for all others
  friend bool operator==(const AluResult&, const AluResult&) = default;
};

// Integers of 72 (long) or 36 (short) bits, right-aligned: LongWord::bits() or ShortWord::bits. No operand may have
// bits above the width. Arithmetic is modulo 2^width; signed means two's complement.

[[nodiscard]] AluResult uadd(uint128 a, uint128 b, Width width);
[[nodiscard]] AluResult usub(uint128 a, uint128 b, Width width);
[[nodiscard]] AluResult uand(uint128 a, uint128 b, Width width);
[[nodiscard]] AluResult uor(uint128 a, uint128 b, Width width);
[[nodiscard]] AluResult uxor(uint128 a, uint128 b, Width width);
[[nodiscard]] AluResult unot(uint128 a, Width width);
/// a shifted left by b bits, b read as unsigned; 0 if b is the width or more.
[[nodiscard]] AluResult ulsl(uint128 a, uint128 b, Width width);
/// a shifted right by b bits, zeros from the left; 0 if b is the width or more.
[[nodiscard]] AluResult ulsr(uint128 a, uint128 b, Width width);
/// a shifted right by b bits, copies of the sign from the left; all sign if b is the width or more.
[[nodiscard]] AluResult uasr(uint128 a, uint128 b, Width width);
/// The bits of a, unchanged.
[[nodiscard]] AluResult upassa(uint128 a, Width width);
/// The larger of the two as signed numbers.
[[nodiscard]] AluResult umax(uint128 a, uint128 b, Width width);
/// The smaller of the two as signed numbers.
[[nodiscard]] AluResult umin(uint128 a, uint128 b, Width width);
/// The number of zero bits above the highest one; the width for 0.
[[nodiscard]] AluResult ulzc(uint128 a, Width width);

}  // namespace gdr::emulator
