// The value of a floating-point word, and the rounding that is common to all floating-point results.
#pragma once

#include "gdr/emulator/arithmetic.h"

namespace gdr::emulator {

inline constexpr int kFractionBits = 60;                    // of a long word
inline constexpr int kSignificandBits = kFractionBits + 1;  // with the hidden one
inline constexpr int kShortSignificandBits = 25;            // with the hidden one
inline constexpr int kDoubleSignificandBits = 53;           // IEEE 754 binary64, with the hidden one
inline constexpr int kExponentBias = 1023;
inline constexpr int kInfinityExponent = 2047;  // exponent field, all ones

/// An operand: significand x 2^exponent. Infinity has the significand 2^60 and an exponent above every finite one; zero
/// has significand 0, no sign, and an exponent below every other. So magnitudes order by exponent, then significand.
struct FloatValue {
  bool negative = false;
  bool infinite = false;
  int exponent = 0;               // of the significand's lowest bit
  std::uint64_t significand = 0;  // 61 bits with the leading one, or 0
};

/// A nonzero exact result, or 0 if the significand is 0. Bit 0 may be a sticky bit that represents any nonzero rest
/// below it. It must then lie at least two bits below the last bit of the rounded result.
struct ExactValue {
  bool negative = false;
  int exponent = 0;  // of the significand's lowest bit
  uint128 significand = 0;
};

[[nodiscard]] FloatValue value_of(LongWord word);

/// Rounds to `precision` significant bits (at most 61), then checks the exponent of the rounded number. With a
/// precision of 53 bits the upper 64 bits of the result are an IEEE double.
[[nodiscard]] FpResult rounded(const ExactValue& exact, int precision);

/// Infinity of this sign as the exact result of infinite operands, without an event.
[[nodiscard]] FpResult infinity(bool negative);

[[nodiscard]] constexpr int precision_of(Width width) {
  return width == Width::long_word ? kSignificandBits : kShortSignificandBits;
}

}  // namespace gdr::emulator
