// The second of the three algorithms. The top 64 bits of a long word are an IEEE double, so sums and products are
// computed as an exact pair of doubles and rounded once, whether they are near a tie or not. This holds where exponents
// are inside the limits below; other lanes are reported as uncovered.
//
// The rounded result is head * 2^8 + n in units of its last place, where head is taken as the integer with its bits: a
// carry out of the fraction then correctly increments the exponent. Adding the rest to 1.5 * 2^(E - 8), whose last
// place has the value 2^(E - 60), rounds the rest to nearest even and leaves n in the low bits of the sum.
#pragma once

#include "float_batch.h"

namespace gdr::emulator::simd {
namespace {
namespace robustly {

// With exponents at most this far apart, 42, every sum still fits into 53 bits: 42 + 8 low bits + a carry or two. In
// quick_forms.h, long_sum() tests for the same distance.
constexpr std::uint64_t kFarthest = widths::kDouble - widths::kLow - 3;

/// 1.5 * 2^(E + distance) with the sign of `head`, E the exponent of `head`.
template <int distance>
inline Bits aligner(Bits head) {
  const std::uint64_t up =
      (static_cast<std::uint64_t>(distance) << widths::kFraction) + widths::bit(widths::kFraction - 1);
  return (head & Bits(kSign | kExponentMask)) + Bits(up);
}

/// The low 8 bits of a long word as a number, exactly.
inline Doubles low_of(Bits high, Bits low) {
  const Bits unit = (high & Bits(kSign | kExponentMask)) - Bits(std::uint64_t{widths::kLow} << widths::kFraction);
  return Host::doubles(unit | low) - Host::doubles(unit);
}

template <class H = Host>
inline Planes long_from(Bits head, Doubles rest, Mask& uncovered) {
  const Bits magic = aligner<-widths::kLow>(head);
  const Bits n = Host::bits(rest + Host::doubles(magic));  // n plus the bits of the magic number, whose low bits are 0
  if constexpr (H::kDirectedRounding) {
    return {H::increment(head, n, kLowPlane + 1), n & kLowPlane};  // the rest has the sign of head
  } else {
    // The rest may have the other sign. If head is also a power of two, the last place has half the value.
    const Mask power = (head & kHighFraction) == Bits{};
    uncovered = uncovered | (power & Host::differ(rest, Doubles{}));
    return {head + ((n >> widths::kLow) - (magic >> widths::kLow)), n & kLowPlane};
  }
}

/// `odd` is the exact result; its lowest bit is sticky.
inline Planes short_from_odd(Bits odd) {
  const Doubles magic = Host::doubles(aligner<widths::kBelowShort>(odd));
  return {Host::bits((Host::doubles(odd) + magic) - magic), Bits{}};
}

inline Planes short_from(Bits head, Doubles rest) {
  const Mask inexact = Host::differ(rest, Doubles{});
  Bits odd = head;
  if constexpr (!Host::kDirectedRounding) {
    // Where the rest has the other sign, the next double towards zero has the bits of the truncated result.
    const Mask back = inexact & Host::sign(Host::bits(rest) ^ head);
    odd = select(back, head - Bits(1), head);
  }
  return short_from_odd(select(inexact, odd | Bits(1), odd));
}

inline Planes rounded(Bits head, Doubles rest, Width destination, Mask& uncovered) {
  return destination == Width::long_word ? long_from(head, rest, uncovered) : short_from(head, rest);
}

// A host without directed rounding has no functions for it. The template parameter `H`, which is always the host, keeps
// the compiler from looking for them.

template <class Shape, class H = Host>
inline Planes sum(Planes a, Planes b, Width destination, Mask& uncovered) {
  const Doubles x = Host::doubles(a.high);
  const Doubles y = Host::doubles(b.high);
  if constexpr (Shape::a_short && Shape::b_short && H::kDirectedRounding) {
    if (destination == Width::short_word) {
      // An inexact sum becomes its neighbour nearer to zero, with the lowest bit set; an exact zero is +0.
      const Bits down = Host::bits(H::add_downward(x, y));
      const Bits up = Host::bits(H::add_upward(x, y));
      const Bits nearer = select(up < down, up, down);
      const Mask inexact = Host::differ(Host::doubles(down), Host::doubles(up));
      const Bits odd = select(inexact, nearer | Bits(1), nearer);
      uncovered = outside(odd, kLowest, kHighest);
      return short_from_odd(odd);
    }
  }
  // The error of a rounded sum is a double [Knuth, The Art of Computer Programming 2, section 4.2.2].
  const Doubles s = x + y;
  uncovered = outside(Host::bits(s), kLowest, kHighest);
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
    uncovered =
        uncovered | exceeds((a.high - b.high) << 1, -(kFarthest << widths::kDouble), 2 * kFarthest << widths::kDouble);
  }
  Doubles head;
  if constexpr (H::kDirectedRounding) {
    head = H::add_toward_zero(s, rest);
  } else {
    head = s + rest;
  }
  return rounded(Host::bits(head), rest - (head - s), destination, uncovered);
}

/// The part of a significand that a multiplier port takes: its top 50 bits. A word with exponent 0 is zero.
template <bool is_short>
inline Doubles at_port(Bits high) {
  if constexpr (!Host::kFlushesSubnormals) high = select((high & kExponentMask) == Bits{}, Bits{}, high);
  return Host::doubles(is_short ? high : high & Bits(~widths::ones(widths::kDouble - widths::kPort)));
}

/// x y - head, exactly, where x and y are the values at the ports and head is their rounded product.
template <class H = Host>
inline Doubles product_rest(Doubles x, Doubles y, Doubles head) {
  if constexpr (H::kFusedDoubles) {
    return H::fused_multiply_subtract(x, y, head);
  } else {
    // The products of halves of 25 bits are exact doubles. If they are added from the largest on, every sum is exact,
    // too [Dekker, A Floating-Point Technique for Extending the Available Precision, 1971, section 5].
    const Bits upper(~widths::ones(widths::kBelowShort));
    const Doubles x1 = H::doubles(H::bits(x) & upper);
    const Doubles y1 = H::doubles(H::bits(y) & upper);
    const Doubles x0 = x - x1;
    const Doubles y0 = y - y1;
    return (((x1 * y1 - head) + x1 * y0) + x0 * y1) + x0 * y0;
  }
}

template <class Shape, class H = Host>
inline Planes product(Planes a, Planes b, Width destination, Mask& uncovered) {
  const Doubles x = at_port<Shape::a_short>(a.high);
  const Doubles y = at_port<Shape::b_short>(b.high);
  if constexpr (Shape::a_short && Shape::b_short) {
    const Bits exact = Host::bits(x * y);
    uncovered = outside(exact, kLowest, kHighest);
    if (destination == Width::short_word) return short_from_odd(exact);
    return {exact, Bits{}};
  } else {
    Doubles head;
    if constexpr (H::kDirectedRounding) {
      head = H::multiply_toward_zero(x, y);
    } else {
      head = x * y;
    }
    uncovered = outside(Host::bits(head), kLowest, kHighest);
    if constexpr (!H::kFusedDoubles) {  // the halves of the factors must be normal numbers, too
      uncovered = uncovered | outside(Host::bits(x), kLowest, kHighest) | outside(Host::bits(y), kLowest, kHighest);
    }
    return rounded(Host::bits(head), product_rest(x, y, head), destination, uncovered);
  }
}

}  // namespace robustly
}  // namespace
}  // namespace gdr::emulator::simd
