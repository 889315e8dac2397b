// The arithmetic of the chip's three units, one word at a time: the reference that every other exact engine must match
// bit for bit. The written definition is docs/machine/arithmetic.md; this is the same definition in C++.
#pragma once

#include <cstdint>

#include "gdr/isa/isa.h"
#include "gdr/isa/operations.h"
#include "gdr/isa/word.h"

namespace gdr::emulator {

using isa::LongWord;
using isa::ShortWord;
using isa::uint128;
using isa::Width;

/// Event of a floating-point operation. An operation has at most one.
enum class FpEvent : std::uint8_t {
  none,
  invalid,    // inf - inf or 0 x inf; the result is +infinity
  overflow,   // finite operands, rounded result beyond the largest finite number; the result is a signed infinity
  underflow,  // nonzero exact result whose exponent after rounding is below 1; the result is +0
};

/// Counters of floating-point events, one per kind. They never decrease.
struct FpEvents {
  std::uint64_t invalid = 0;
  std::uint64_t overflow = 0;
  std::uint64_t underflow = 0;

  friend bool operator==(const FpEvents&, const FpEvents&) = default;
  FpEvents& operator+=(FpEvent event);
  FpEvents& operator+=(const FpEvents& other);
};

/// Result of the adder or the multiplier. A short result is in the upper 36 bits of `value`; the other bits are zero.
/// The value is canonical: zero is the all-zero word, infinity has fraction 0.
struct FpResult {
  LongWord value;
  bool negative = false;  // flag: sign of the result; never set for zero
  bool zero = false;      // flag
  FpEvent event = FpEvent::none;
  friend bool operator==(const FpResult&, const FpResult&) = default;
};

// Floating point. Operands are long words; a short operand is passed as isa::widen(word), which keeps its value. A word
// with exponent field 0 is zero, whatever its sign and fraction. A word with exponent field 2047 is infinity, whatever
// its fraction.
//
// All operations round alike. The exact result is rounded to nearest even, to the 61 (long) or 25 (short) significant
// bits of the destination, as if the exponent had no bounds. Then the exponent field of the rounded number is checked:
// above 2046 is an overflow, below 1 an underflow. A result just below 2^-1022 that rounds up to 2^-1022 is therefore
// kept.

/// Returns the operand with its sign bit flipped and all other bits kept. The sign of a zero has no meaning.
[[nodiscard]] LongWord negate(LongWord a);

// Declares FpResult fadd(LongWord a, LongWord b, Width destination), FpResult fpassa(LongWord a, Width destination),
// and so on for every floating-point operation. isa/td and docs/kernels/isa.md define each operation. fmul2 returns the
// whole product, which a program computes with the pair fmulh, fmull. The second operand of fmul must be a widened
// short word: its lower 36 bits are zero.
#define GDR_OPERANDS_1 LongWord a
#define GDR_OPERANDS_2 LongWord a, LongWord b
#define GDR_DECLARE(OP, function, sources) [[nodiscard]] FpResult function(GDR_OPERANDS_##sources, Width destination);
GDR_FLOATING_POINT_OPERATIONS(GDR_DECLARE)
#undef GDR_DECLARE
#undef GDR_OPERANDS_1
#undef GDR_OPERANDS_2

/// Result of the integer ALU.
struct AluResult {
  uint128 value = 0;      // right-aligned, no bits above the width
  bool negative = false;  // flag: the top bit of the value
  bool zero = false;      // flag
  bool carry = false;     // flag: carry out of uadd, borrow of usub; false for all others
  friend bool operator==(const AluResult&, const AluResult&) = default;
};

// Integer operations. Operands have 72 (long) or 36 (short) bits, right-aligned: LongWord::bits() or ShortWord::bits.
// No operand may have bits above the width. Arithmetic is modulo 2^width; signed means two's complement.

// Declares AluResult uadd(uint128 a, uint128 b, Width width), AluResult unot(uint128 a, Width width), and so on for
// every operation of the ALU, as defined in isa/td.
#define GDR_OPERANDS_1 uint128 a
#define GDR_OPERANDS_2 uint128 a, uint128 b
#define GDR_DECLARE(OP, function, sources) [[nodiscard]] AluResult function(GDR_OPERANDS_##sources, Width width);
GDR_ALU_OPERATIONS(GDR_DECLARE)
#undef GDR_DECLARE
#undef GDR_OPERANDS_1
#undef GDR_OPERANDS_2

/// Result of any unit, as a word. A short result is in the upper half of `value`; the lower half is zero.
struct WordResult {
  LongWord value;
  bool negative = false;
  bool zero = false;
  bool carry = false;  // set only by the ALU
  FpEvent event = FpEvent::none;
  friend bool operator==(const WordResult&, const WordResult&) = default;
};

/// Executes `op` on two words. An operation with one source ignores `b`; fmull stands for the pair fmulh, fmull.
/// Operands of the ALU have `width`. Operands of the other units are long words (short ones widened), and `width` is
/// that of the destination. Throws gdr::Error for an operation that has no result of its own: nop, fmulh, bm.
[[nodiscard]] WordResult compute(isa::Op op, LongWord a, LongWord b, Width width);

}  // namespace gdr::emulator
