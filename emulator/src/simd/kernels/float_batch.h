// Floating point for as many PEs as a host vector has lanes. Three algorithms give the same result; each is used for
// the lanes that the one before does not cover: a few instructions for nearly all data (`quickly`), exact pairs of
// doubles for operands whose exponents are well inside the range (`robustly`), and integers for every operand
// (`exactly`). docs/machine/engine.md explains them.
#pragma once

#include "line/micro_op.h"
#include "word/widths.h"

namespace gdr::emulator::simd {
namespace {

using Bits = Host::Bits;
using Doubles = Host::Doubles;
using Mask = Host::Mask;

constexpr std::uint64_t kSign = widths::bit(widths::kHigh - 1);
constexpr std::uint64_t kExponentMask = widths::kInfinite << widths::kFraction;
constexpr std::uint64_t kHighFraction = widths::ones(widths::kFraction);  // of the high plane
constexpr std::uint64_t kLowPlane = widths::ones(widths::kLow);
constexpr std::uint64_t kHiddenOne = widths::bit(widths::kLong - 1);
constexpr std::uint64_t kFraction = kHiddenOne - 1;

struct Planes {
  Bits high;
  Bits low;
};

struct Events {
  Mask invalid;
  Mask overflow;
  Mask underflow;
};

/// All lanes.
inline Mask everywhere() { return Bits{} == Bits{}; }

/// a - b > c, all unsigned. Both sides are offset by 2^63, which is part of the constants, so that the comparison is a
/// signed one: that is one instruction on every host.
inline Mask exceeds(Bits a, std::uint64_t b, std::uint64_t c) {
  return Host::less_signed(Bits(c ^ kSign), a - Bits(b ^ kSign));
}

/// Exponent field below `lowest` or above `highest`.
inline Mask outside(Bits high, std::uint64_t lowest, std::uint64_t highest) {
  // Shifted left by one, so that the sign falls out.
  return exceeds(high << 1, lowest << widths::kDouble, ((highest - lowest + 1) << widths::kDouble) - 1);
}

// Exponent fields of a product or of the host's rounded sum for which the algorithms in doubles are exact. They are
// high enough that no rest is subnormal (that of a product is up to 105 bits lower, and the aligner of double_pair.h
// needs 8 more). They are low enough that no intermediate overflows (the one for short results is 28 bits above the
// result, and the limit is tested on the sum of the high planes, before the low planes can raise its exponent by one),
// and that a difference of two exponents cannot be confused with the same difference less 2^11. Without spare_low and
// with spare_high = 2 all this holds, with 1 it does not; more costs no instruction, only exponents that data lack.
constexpr std::uint64_t kLowest = 2 * widths::kDouble + widths::kLow + kWidths.spare_low;
constexpr std::uint64_t kHighest = widths::kInfinite - widths::kBelowShort - kWidths.spare_high;
/// Brings a number with the exponent field kLowest to the smallest normal one.
constexpr double kToLowest = widths::power_of_two(1 - static_cast<int>(kLowest));

/// Lanes that are zero or infinite or have an exponent below kLowest; on some hosts also above kHighest.
template <class H = Host>
inline Mask near_the_ends(Doubles a) {
  if constexpr (H::kClassifies) {
    return H::not_normal(a * Doubles(kToLowest));
  } else {
    return outside(H::bits(a), kLowest, kHighest);
  }
}

/// Lanes that are zero, infinite or below 2^-1022; on some hosts all lanes near the ends of the range.
template <class H = Host>
inline Mask not_normal(Doubles a) {
  if constexpr (H::kClassifies) {
    return H::not_normal(a);
  } else {
    return near_the_ends(a);
  }
}

template <class H = Host>
inline Mask no_bit_of(Bits a, std::uint64_t mask) {
  if constexpr (H::kClassifies) {
    return H::no_bit_of(a, mask);
  } else {
    return (a & Bits(mask)) == Bits{};
  }
}

// ---- in integers ---------------------------------------------------------------------------------------------------

namespace exactly {

struct Unpacked {
  Bits sign;         // the top bit; clear for zero
  Bits exponent;     // field; 0 for zero
  Bits significand;  // that of a long word, or 0
  Mask zero;
  Mask infinite;
};

inline Unpacked unpacked(Planes word) {
  const Bits exponent = (word.high >> widths::kFraction) & Bits(widths::kInfinite);
  const Mask zero = exponent == Bits{};
  const Mask infinite = exponent == Bits(widths::kInfinite);
  const Bits fraction = ((word.high & kHighFraction) << widths::kLow) | word.low;
  const Bits significand = select(infinite, Bits{}, fraction) | kHiddenOne;
  return {select(zero, Bits{}, word.high & kSign), exponent, select(zero, Bits{}, significand), zero, infinite};
}

inline Mask magnitude_less(const Unpacked& a, const Unpacked& b) {
  return (a.exponent < b.exponent) | ((a.exponent == b.exponent) & (a.significand < b.significand));
}

inline Planes packed(Bits sign, Bits exponent, Bits significand) {
  return {sign | (exponent << widths::kFraction) | ((significand & kFraction) >> widths::kLow),
          significand & kLowPlane};
}

inline Planes infinity(Bits sign) { return {sign | kExponentMask, Bits{}}; }

/// Rounds a significand of 64 bits, whose lowest bit is sticky. The top bit has the value 2^(exponent - bias). Zero
/// stays zero.
inline Planes rounded(Bits sign, Bits exponent, Bits significand, Width destination, Events& events) {
  const int precision = destination == Width::long_word ? widths::kLong : widths::kShort;
  const int dropped = widths::kHigh - precision;
  const Mask zero = significand == Bits{};
  const Bits leading = Host::leading_zeros(significand);
  significand = Host::shift_left(significand, leading);
  exponent -= leading;

  const Bits rest = significand & Bits(widths::ones(dropped));
  significand >>= dropped;
  const Mask up = Bits(widths::bit(dropped - 1)) < rest + (significand & Bits(1));
  significand += select(up, Bits(1), Bits{});
  const Bits carry = significand >> precision;
  exponent += carry;
  significand = Host::shift_right(significand, carry) << (widths::kLong - precision);

  events.underflow = Host::less_signed(exponent, Bits(1)) & ~zero;
  events.overflow = Host::less_signed(Bits(widths::kLargest), exponent) & ~zero;
  Planes result = packed(sign, exponent, significand);
  Planes infinite = infinity(sign);
  result.high = select(events.overflow, infinite.high, result.high);
  result.low = select(events.overflow, infinite.low, result.low);
  const Mask nothing = zero | events.underflow;
  return {select(nothing, Bits{}, result.high), select(nothing, Bits{}, result.low)};
}

/// Replaces the result where an operand is infinite; an invalid operation gives +infinity.
inline Planes with_infinities(Planes finite, Mask infinite, Bits sign, Mask invalid, Events& events) {
  Planes result = infinity(select(invalid, Bits{}, sign));
  const Mask special = infinite | invalid;
  events.invalid = invalid;
  events.overflow = events.overflow & ~special;
  events.underflow = events.underflow & ~special;
  return {select(special, result.high, finite.high), select(special, result.low, finite.low)};
}

/// Bits of a plane above a significand: 3.
constexpr int kGuards = widths::kHigh - widths::kLong;

inline Planes sum(Planes first, Planes second, Width destination, Events& events) {
  Unpacked a = unpacked(first);
  Unpacked b = unpacked(second);
  const Mask swap = magnitude_less(a, b);
  const Bits sign = select(swap, b.sign, a.sign);
  const Bits exponent = select(swap, b.exponent, a.exponent);
  const Bits distance = exponent - select(swap, a.exponent, b.exponent);
  // A difference needs three bits below the larger significand (guard, round, sticky), a sum two and one for a carry.
  const Mask differ = Host::sign(a.sign ^ b.sign);
  const Bits guards = select(differ, Bits(kGuards), Bits(kGuards - 1));
  const Bits large = Host::shift_left(select(swap, b.significand, a.significand), guards);
  const Bits small = Host::shift_left(select(swap, a.significand, b.significand), guards);
  const Bits aligned = Host::shift_right(small, distance);
  const Mask whole = Host::shift_left(aligned, distance) == small;
  const Bits sticky = select(whole, aligned, aligned | Bits(1));
  const Bits magnitude = select(differ, large - sticky, large + sticky);
  Planes finite = rounded(sign, exponent + Bits(kGuards) - guards, magnitude, destination, events);

  const Mask invalid = (a.infinite & b.infinite) & differ;
  const Mask infinite = a.infinite | b.infinite;
  return with_infinities(finite, infinite, select(a.infinite, a.sign, b.sign), invalid, events);
}

/// Both significands are cut to their top 50 bits; that of a short word has only 25.
inline Planes product(Planes first, Planes second, Width destination, Events& events) {
  Unpacked a = unpacked(first);
  Unpacked b = unpacked(second);
  const Bits sign = a.sign ^ b.sign;
  // Limbs of 25 bits: the host multiplies 32 x 32.
  constexpr int kLimb = widths::kShort;
  constexpr int kUnused = 2 * widths::kPort - widths::kHigh;  // 36: what the product has more than a host word
  const Bits limb = Bits(widths::ones(kLimb));
  const Bits a1 = a.significand >> (widths::kLong - kLimb);
  const Bits a0 = (a.significand >> (widths::kLong - 2 * kLimb)) & limb;
  const Bits b1 = b.significand >> (widths::kLong - kLimb);
  const Bits b0 = (b.significand >> (widths::kLong - 2 * kLimb)) & limb;
  const Bits middle = Host::multiply_lower_halves(a1, b0) + Host::multiply_lower_halves(a0, b1);
  const Bits below = Host::multiply_lower_halves(a0, b0) + ((middle & limb) << kLimb);
  const Bits above = Host::multiply_lower_halves(a1, b1) + (middle >> kLimb) + (below >> (2 * kLimb));
  // The product has 99 or 100 bits; the top 64 of 100 are kept, the rest is sticky.
  constexpr int kOfBelow = widths::kHigh - widths::kPort;  // 14
  const Mask whole = (below & Bits(widths::ones(kUnused))) == Bits{};
  const Bits kept = (above << kOfBelow) | ((below >> kUnused) & Bits(widths::ones(kOfBelow)));
  const Bits significand = select(whole, kept, kept | Bits(1));
  const Bits exponent = a.exponent + b.exponent - Bits(widths::kBias - 1);
  Planes finite = rounded(sign, exponent, significand, destination, events);

  const Mask infinite = a.infinite | b.infinite;
  const Mask invalid = infinite & (a.zero | b.zero);
  return with_infinities(finite, infinite, sign, invalid, events);
}

inline Planes pass(Planes word, Width destination, Events& events) {
  Unpacked a = unpacked(word);
  Planes finite = rounded(a.sign, a.exponent, a.significand << kGuards, destination, events);
  return with_infinities(finite, a.infinite, a.sign, Mask{}, events);
}

inline Mask less(Planes first, Planes second) {
  Unpacked a = unpacked(first);
  Unpacked b = unpacked(second);
  const Mask a_negative = Host::sign(a.sign);
  const Mask smaller = magnitude_less(a, b) & ~a_negative;
  const Mask larger = magnitude_less(b, a) & a_negative;
  const Mask differ = Host::sign(a.sign ^ b.sign);
  return (differ & a_negative) | ((smaller | larger) & ~differ);
}

}  // namespace exactly

}  // namespace
}  // namespace gdr::emulator::simd
