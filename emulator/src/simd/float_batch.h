// Floating point of as many PEs as a host vector holds. Two algorithms with one result: in integers, for every operand
// (`exactly`), and in pairs of doubles, for those whose exponents stay well inside the range (`quickly`); lanes that
// the quick one does not cover are done again by the other. docs/engine.md has the reasoning.
#pragma once

#include "micro_op.h"

namespace gdr::emulator::simd {
namespace {

using Bits = Host::Bits;
using Mask = Host::Mask;

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kExponentMask = std::uint64_t{2047} << 52;
constexpr std::uint64_t kHighFraction = (std::uint64_t{1} << 52) - 1;  // of the high plane
constexpr std::uint64_t kLowPlane = 255;
constexpr std::uint64_t kHiddenOne = std::uint64_t{1} << 60;
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

/// Exponent field below `lowest` or above `highest`.
inline Mask outside(Bits high, std::uint64_t lowest, std::uint64_t highest) {
  // Shifted left by one, so that the sign falls out.
  return Host::less(Host::all(((highest - lowest + 1) << 53) - 1), (high << 1) - Host::all(lowest << 53));
}

// ---- in integers ---------------------------------------------------------------------------------------------------

namespace exactly {

struct Unpacked {
  Bits sign;         // bit 63; clear for zero
  Bits exponent;     // field; 0 for zero
  Bits significand;  // 61 bits, or 0
  Mask zero;
  Mask infinite;
};

inline Unpacked unpacked(Planes word) {
  const Bits exponent = (word.high >> 52) & Host::all(2047);
  const Mask zero = Host::equal(exponent, Bits{});
  const Mask infinite = Host::equal(exponent, Host::all(2047));
  const Bits fraction = ((word.high & Host::all(kHighFraction)) << 8) | word.low;
  const Bits significand = Host::select(infinite, Bits{}, fraction) | Host::all(kHiddenOne);
  return {Host::select(zero, Bits{}, word.high & Host::all(kSign)), exponent, Host::select(zero, Bits{}, significand),
          zero, infinite};
}

inline Mask magnitude_less(const Unpacked& a, const Unpacked& b) {
  return Host::either(Host::less(a.exponent, b.exponent),
                      Host::both(Host::equal(a.exponent, b.exponent), Host::less(a.significand, b.significand)));
}

inline Planes packed(Bits sign, Bits exponent, Bits significand) {
  return {sign | (exponent << 52) | ((significand & Host::all(kFraction)) >> 8), significand & Host::all(kLowPlane)};
}

inline Planes infinity(Bits sign) { return {sign | Host::all(kExponentMask), Bits{}}; }

/// Rounds a significand of 64 bits, lowest bit sticky, whose leading one is worth 2^(exponent - bias) where it stands
/// at bit 63. Zero stays zero.
inline Planes rounded(Bits sign, Bits exponent, Bits significand, Width destination, Events& events) {
  const int precision = destination == Width::long_word ? 61 : 25;
  const int dropped = 64 - precision;
  const Mask zero = Host::equal(significand, Bits{});
  const Bits leading = Host::leading_zeros(significand);
  significand = Host::shift_left(significand, leading);
  exponent -= leading;

  const Bits rest = significand & Host::all((std::uint64_t{1} << dropped) - 1);
  significand >>= dropped;
  const Mask up = Host::less(Host::all(std::uint64_t{1} << (dropped - 1)), rest + (significand & Host::all(1)));
  significand += Host::select(up, Host::all(1), Bits{});
  const Bits carry = significand >> precision;
  exponent += carry;
  significand = Host::shift_right(significand, carry) << (61 - precision);

  events.underflow = Host::except(Host::less_signed(exponent, Host::all(1)), zero);
  events.overflow = Host::except(Host::less_signed(Host::all(2046), exponent), zero);
  Planes result = packed(sign, exponent, significand);
  const Planes infinite = infinity(sign);
  result.high = Host::select(events.overflow, infinite.high, result.high);
  result.low = Host::select(events.overflow, infinite.low, result.low);
  const Mask nothing = Host::either(zero, events.underflow);
  return {Host::select(nothing, Bits{}, result.high), Host::select(nothing, Bits{}, result.low)};
}

/// Infinite operands decide alone; so do invalid ones, whose result is +infinity.
inline Planes with_infinities(Planes finite, Mask infinite, Bits sign, Mask invalid, Events& events) {
  const Planes result = infinity(Host::select(invalid, Bits{}, sign));
  const Mask special = Host::either(infinite, invalid);
  events.invalid = invalid;
  events.overflow = Host::except(events.overflow, special);
  events.underflow = Host::except(events.underflow, special);
  return {Host::select(special, result.high, finite.high), Host::select(special, result.low, finite.low)};
}

inline Planes sum(Planes first, Planes second, Width destination, Events& events) {
  const Unpacked a = unpacked(first);
  const Unpacked b = unpacked(second);
  const Mask swap = magnitude_less(a, b);
  const Bits sign = Host::select(swap, b.sign, a.sign);
  const Bits exponent = Host::select(swap, b.exponent, a.exponent);
  const Bits distance = exponent - Host::select(swap, a.exponent, b.exponent);
  // A difference needs three bits below the larger significand (guard, round, sticky), a sum two and room for a carry.
  const Mask differ = Host::sign(a.sign ^ b.sign);
  const Bits guards = Host::select(differ, Host::all(3), Host::all(2));
  const Bits large = Host::shift_left(Host::select(swap, b.significand, a.significand), guards);
  const Bits small = Host::shift_left(Host::select(swap, a.significand, b.significand), guards);
  const Bits aligned = Host::shift_right(small, distance);
  const Mask whole = Host::equal(Host::shift_left(aligned, distance), small);
  const Bits sticky = Host::select(whole, aligned, aligned | Host::all(1));
  const Bits magnitude = Host::select(differ, large - sticky, large + sticky);
  const Planes finite = rounded(sign, exponent + Host::all(3) - guards, magnitude, destination, events);

  const Mask invalid = Host::both(Host::both(a.infinite, b.infinite), differ);
  const Mask infinite = Host::either(a.infinite, b.infinite);
  return with_infinities(finite, infinite, Host::select(a.infinite, a.sign, b.sign), invalid, events);
}

/// Both significands cut to their top 50 bits; a short one has but 25.
inline Planes product(Planes first, Planes second, Width destination, Events& events) {
  const Unpacked a = unpacked(first);
  const Unpacked b = unpacked(second);
  const Bits sign = a.sign ^ b.sign;
  // Limbs of 25 bits: the host multiplies 32 x 32.
  const Bits limb = Host::all((std::uint64_t{1} << 25) - 1);
  const Bits a1 = a.significand >> 36;
  const Bits a0 = (a.significand >> 11) & limb;
  const Bits b1 = b.significand >> 36;
  const Bits b0 = (b.significand >> 11) & limb;
  const Bits middle = Host::multiply_lower_halves(a1, b0) + Host::multiply_lower_halves(a0, b1);
  const Bits below = Host::multiply_lower_halves(a0, b0) + ((middle & limb) << 25);
  const Bits above = Host::multiply_lower_halves(a1, b1) + (middle >> 25) + (below >> 50);
  // The product has 99 or 100 bits; the top 64 of 100 are kept, the rest is sticky.
  const Mask whole = Host::equal(below & Host::all((std::uint64_t{1} << 36) - 1), Bits{});
  const Bits kept = (above << 14) | ((below >> 36) & Host::all((std::uint64_t{1} << 14) - 1));
  const Bits significand = Host::select(whole, kept, kept | Host::all(1));
  const Bits exponent = a.exponent + b.exponent - Host::all(1022);
  const Planes finite = rounded(sign, exponent, significand, destination, events);

  const Mask infinite = Host::either(a.infinite, b.infinite);
  const Mask invalid = Host::both(infinite, Host::either(a.zero, b.zero));
  return with_infinities(finite, infinite, sign, invalid, events);
}

inline Planes pass(Planes word, Width destination, Events& events) {
  const Unpacked a = unpacked(word);
  const Planes finite = rounded(a.sign, a.exponent, a.significand << 3, destination, events);
  return with_infinities(finite, a.infinite, a.sign, Mask{}, events);
}

inline Mask less(Planes first, Planes second) {
  const Unpacked a = unpacked(first);
  const Unpacked b = unpacked(second);
  const Mask a_negative = Host::sign(a.sign);
  const Mask smaller = Host::except(magnitude_less(a, b), a_negative);
  const Mask larger = Host::both(magnitude_less(b, a), a_negative);
  const Mask differ = Host::sign(a.sign ^ b.sign);
  return Host::either(Host::both(differ, a_negative), Host::except(Host::either(smaller, larger), differ));
}

}  // namespace exactly

}  // namespace
}  // namespace gdr::emulator::simd
