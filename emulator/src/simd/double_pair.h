// The quick algorithms: the top 64 bits of a long word are an IEEE double, so sums and products are formed as an exact
// pair of doubles and rounded once. They hold where exponents stay inside the limits below; other lanes are reported.
//
// The rounded result is head * 2^8 + n in units of its last place, head taken as the integer that its bits are: a carry
// out of the fraction runs into the exponent as it should. Adding the rest to 1.5 * 2^(E - 8), whose own last place is
// worth 2^(E - 60), rounds it to nearest even and leaves n in the sum's low bits.
#pragma once

#include "float_batch.h"

namespace gdr::emulator::simd {
namespace {
namespace quickly {

using Doubles = Host::Doubles;

// Exponent fields of a product or of the host's rounded sum that the algorithms are exact for: far enough up that no
// rest is subnormal (a product's reaches 105 bits down, and the aligner below takes 8 more), far enough down that no
// helper overflows (the one for short results stands 28 bits above the result) and that the distance of two exponents
// is told apart from the same less 2^11.
constexpr std::uint64_t kLowest = 130;
constexpr std::uint64_t kHighest = 2000;

// Exponents this far apart still keep every sum inside 53 bits: 42 + 8 low bits + a carry or two.
constexpr std::uint64_t kFarthest = 42;

inline Bits bits_of(Doubles a) { return reinterpret_cast<Bits>(a); }
inline Doubles doubles_of(Bits a) { return reinterpret_cast<Doubles>(a); }

/// 1.5 * 2^(E + distance) with the sign of `head`, E the exponent of `head`.
template <int distance>
inline Bits aligner(Bits head) {
  const std::uint64_t up = (static_cast<std::uint64_t>(distance) << 52) + (std::uint64_t{1} << 51);
  return (head & Host::all(kSign | kExponentMask)) + Host::all(up);
}

/// The low 8 bits of a long word as a number, exactly.
inline Doubles low_of(Bits high, Bits low) {
  const Bits unit = (high & Host::all(kSign | kExponentMask)) - Host::all(std::uint64_t{8} << 52);
  return doubles_of(unit | low) - doubles_of(unit);
}

inline Planes long_from(Bits head, Doubles rest, Mask& uncovered) {
  const Bits magic = aligner<-8>(head);
  const Bits n = bits_of(rest + doubles_of(magic)) - magic;
  Bits carry;
  if constexpr (Host::kRoundsTowardZero) {
    carry = n >> 8;  // the rest points away from zero
  } else {
    // The rest may point to zero; where head is a power of two besides, the last place is worth half as much.
    carry = Host::template shift_right_signed<8>(n);
    const Mask power = Host::equal(head & Host::all(kHighFraction), Bits{});
    uncovered = Host::either(uncovered, Host::both(power, Host::differ(rest, Doubles{})));
  }
  return {head + carry, n & Host::all(kLowPlane)};
}

/// `odd` is the exact result, its lowest bit sticky.
inline Planes short_from_odd(Bits odd) {
  const Doubles magic = doubles_of(aligner<28>(odd));
  return {bits_of((doubles_of(odd) + magic) - magic), Bits{}};
}

inline Planes short_from(Bits head, Doubles rest) {
  const Mask inexact = Host::differ(rest, Doubles{});
  Bits odd = head;
  if constexpr (!Host::kRoundsTowardZero) {
    // Where the rest points to zero, the double below has the bits of the truncated result.
    const Mask back = Host::both(inexact, Host::sign(bits_of(rest) ^ head));
    odd = Host::select(back, head - Host::all(1), head);
  }
  return short_from_odd(Host::select(inexact, odd | Host::all(1), odd));
}

inline Planes rounded(Bits head, Doubles rest, Width destination, Mask& uncovered) {
  return destination == Width::long_word ? long_from(head, rest, uncovered) : short_from(head, rest);
}

template <class Shape>
inline Planes sum(Planes a, Planes b, Width destination, Mask& uncovered) {
  const Doubles x = doubles_of(a.high);
  const Doubles y = doubles_of(b.high);
  if constexpr (Shape::a_short && Shape::b_short && Host::kRoundsTowardZero) {
    if (destination == Width::short_word) {
      // Of the two neighbours of an inexact sum the one nearer zero, made odd; an exact zero is +0.
      const Bits down = bits_of(Host::add_downward(x, y));
      const Bits up = bits_of(Host::add_upward(x, y));
      const Bits nearer = Host::select(Host::less(up, down), up, down);
      const Mask inexact = Host::differ(doubles_of(down), doubles_of(up));
      const Bits odd = Host::select(inexact, nearer | Host::all(1), nearer);
      uncovered = outside(odd, kLowest, kHighest);
      return short_from_odd(odd);
    }
  }
  // The error of a rounded sum is a double [Knuth, The Art of Computer Programming 2, section 4.2.2].
  const Doubles s = x + y;
  uncovered = outside(bits_of(s), kLowest, kHighest);
  const Doubles y_part = s - x;
  const Doubles error = (x - (s - y_part)) + (y - y_part);
  Doubles rest = error;
  if constexpr (!Shape::a_short && !Shape::b_short) {
    rest = error + (low_of(a.high, a.low) + low_of(b.high, b.low));
  } else if constexpr (!Shape::a_short) {
    rest = error + low_of(a.high, a.low);
  } else if constexpr (!Shape::b_short) {
    rest = error + low_of(b.high, b.low);
  }
  if constexpr (!Shape::a_short || !Shape::b_short) {
    const Bits distance = ((a.high - b.high) << 1) + Host::all(kFarthest << 53);
    uncovered = Host::either(uncovered, Host::less(Host::all(2 * kFarthest << 53), distance));
  }
  Doubles head;
  if constexpr (Host::kRoundsTowardZero) {
    head = Host::add_toward_zero(s, rest);
  } else {
    head = s + rest;
  }
  return rounded(bits_of(head), rest - (head - s), destination, uncovered);
}

/// What a port takes of a significand: its top 50 bits.
template <bool is_short>
inline Doubles at_port(Bits high) {
  return doubles_of(is_short ? high : high & Host::all(~std::uint64_t{7}));
}

template <class Shape>
inline Planes product(Planes a, Planes b, Width destination, Mask& uncovered) {
  const Doubles x = at_port<Shape::a_short>(a.high);
  const Doubles y = at_port<Shape::b_short>(b.high);
  if constexpr (Shape::a_short && Shape::b_short) {
    const Bits exact = bits_of(x * y);
    uncovered = outside(exact, kLowest, kHighest);
    if (destination == Width::short_word) return short_from_odd(exact);
    return {exact, Bits{}};
  } else {
    Doubles head;
    if constexpr (Host::kRoundsTowardZero) {
      head = Host::multiply_toward_zero(x, y);
    } else {
      head = x * y;
    }
    uncovered = outside(bits_of(head), kLowest, kHighest);
    return rounded(bits_of(head), Host::fused_multiply_subtract(x, y, head), destination, uncovered);
  }
}

}  // namespace quickly
}  // namespace
}  // namespace gdr::emulator::simd
