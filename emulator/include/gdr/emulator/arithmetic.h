// The arithmetic of the chip's three units, one word at a time: the reference that every faster engine must match bit
// for bit. The written definition is docs/arithmetic.md; this is the same definition in C++.
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

// FpResult fadd(LongWord a, LongWord b, Width destination), FpResult fpassa(LongWord a, Width destination), and so on
// for every floating-point operation; what each does stands in its record (isa/td, docs/isa.md). fmul2 is the pair
// fmulh, fmull: the whole product. The second operand of fmul must be a widened short word: its lower 36 bits zero.
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

// Integers of 72 (long) or 36 (short) bits, right-aligned: LongWord::bits() or ShortWord::bits. No operand may have
// bits above the width. Arithmetic is modulo 2^width; signed means two's complement.

// AluResult uadd(uint128 a, uint128 b, Width width), AluResult unot(uint128 a, Width width), and so on for every
// operation of the ALU, as its record says.
#define GDR_OPERANDS_1 uint128 a
#define GDR_OPERANDS_2 uint128 a, uint128 b
#define GDR_DECLARE(OP, function, sources) [[nodiscard]] AluResult function(GDR_OPERANDS_##sources, Width width);
GDR_ALU_OPERATIONS(GDR_DECLARE)
#undef GDR_DECLARE
#undef GDR_OPERANDS_1
#undef GDR_OPERANDS_2

/// Result of any unit on words; a short one stands in the upper half of `value`, the rest zero.
struct WordResult {
  LongWord value;
  bool negative = false;
  bool zero = false;
  bool carry = false;  // of the ALU alone
  FpEvent event = FpEvent::none;
  friend bool operator==(const WordResult&, const WordResult&) = default;
};

/// What the unit of `op` makes of two words; an operation of one source ignores b, fmull is the pair fmulh, fmull.
/// Operands of `width` for the ALU; for the others long words, short ones widened, and `width` is the destination's.
/// Throws gdr::Error for an operation that has no result of its own: nop, fmulh, bm.
[[nodiscard]] WordResult compute(isa::Op op, LongWord a, LongWord b, Width width);

}  // namespace gdr::emulator
