// The integer ALU on batches; the functions have the names that Semantics calls. A long integer is in two planes like a
// long word. A short one is left-justified, so that carries and signs are those of host words.
#pragma once

#include "float_batch.h"

namespace gdr::emulator::simd {
namespace {

struct IntegerBatch {
  Bits high;
  Bits low;  // zero in a short word
  Mask carry;
};

inline Bits one_in(Mask mask) { return select(mask, Bits(1), Bits{}); }
/// What is below a short word in the high plane: 28 bits.
constexpr int kBelowInteger = widths::kBelowShort;
inline Bits cut(Bits high) { return high & Bits(~widths::ones(kBelowInteger)); }

inline Bits shift_right_signed(Bits a, Bits count) {
  const Bits sign = Bits{} - (a >> (widths::kHigh - 1));
  return Host::shift_right(a ^ sign, count) ^ sign;
}

/// The shift count in a long word, or 255 if it is larger.
inline Bits long_count(const IntegerBatch& b) { return select(b.high == Bits{}, b.low, Bits(kLowPlane)); }

inline Mask less(const IntegerBatch& a, const IntegerBatch& b) {
  return Host::less_signed(a.high, b.high) | ((a.high == b.high) & (a.low < b.low));
}

inline IntegerBatch select(Mask second, const IntegerBatch& a, const IntegerBatch& b) {
  return {select(second, b.high, a.high), select(second, b.low, a.low), Mask{}};
}

inline IntegerBatch uadd(IntegerBatch a, IntegerBatch b, Width width) {
  const Bits low = a.low + b.low;
  const Bits partial = a.high + b.high;
  if (width == Width::short_word) return {partial, Bits{}, partial < a.high};
  const Bits high = partial + (low >> widths::kLow);
  return {high, low & kLowPlane, (partial < a.high) | (high < partial)};
}
inline IntegerBatch usub(IntegerBatch a, IntegerBatch b, Width width) {
  const Bits low = a.low - b.low;
  const Bits partial = a.high - b.high;
  const Mask borrow = a.high < b.high;
  if (width == Width::short_word) return {partial, Bits{}, borrow};
  const Bits from_low = low >> (widths::kHigh - 1);
  return {partial - from_low, low & kLowPlane, (borrow | (partial < from_low))};
}
inline IntegerBatch uand(IntegerBatch a, IntegerBatch b, Width) { return {a.high & b.high, a.low & b.low, Mask{}}; }
inline IntegerBatch uor(IntegerBatch a, IntegerBatch b, Width) { return {a.high | b.high, a.low | b.low, Mask{}}; }
inline IntegerBatch uxor(IntegerBatch a, IntegerBatch b, Width) { return {a.high ^ b.high, a.low ^ b.low, Mask{}}; }
inline IntegerBatch unot(IntegerBatch a, Width width) {
  if (width == Width::short_word) return {cut(~a.high), Bits{}, Mask{}};
  return {~a.high, a.low ^ kLowPlane, Mask{}};
}
// Counts of 64 and more shift everything out, so one of two terms with counts n and -n always vanishes.
inline IntegerBatch ulsl(IntegerBatch a, IntegerBatch b, Width width) {
  if (width == Width::short_word) return {Host::shift_left(a.high, b.high >> kBelowInteger), Bits{}, Mask{}};
  const Bits n = long_count(b);
  const Bits from_low =
      Host::shift_left(a.low, n - Bits(widths::kLow)) | Host::shift_right(a.low, Bits(widths::kLow) - n);
  return {Host::shift_left(a.high, n) | from_low, Host::shift_left(a.low, n) & kLowPlane, Mask{}};
}
inline IntegerBatch ulsr(IntegerBatch a, IntegerBatch b, Width width) {
  if (width == Width::short_word) return {cut(Host::shift_right(a.high, b.high >> kBelowInteger)), Bits{}, Mask{}};
  const Bits n = long_count(b);
  const Bits from_high =
      Host::shift_left(a.high, Bits(widths::kLow) - n) | Host::shift_right(a.high, n - Bits(widths::kLow));
  return {Host::shift_right(a.high, n), (Host::shift_right(a.low, n) | from_high) & kLowPlane, Mask{}};
}
inline IntegerBatch uasr(IntegerBatch a, IntegerBatch b, Width width) {
  if (width == Width::short_word) return {cut(shift_right_signed(a.high, b.high >> kBelowInteger)), Bits{}, Mask{}};
  const Bits n = long_count(b);
  const Mask within = n < Bits(widths::kLow);
  const Bits near = Host::shift_right(a.low, n) | Host::shift_left(a.high, Bits(widths::kLow) - n);
  const Bits far = shift_right_signed(a.high, n - Bits(widths::kLow));
  return {shift_right_signed(a.high, n), select(within, near, far) & kLowPlane, Mask{}};
}
inline IntegerBatch upassa(IntegerBatch a, Width) { return {a.high, a.low, Mask{}}; }
inline IntegerBatch umax(IntegerBatch a, IntegerBatch b, Width) { return select(less(a, b), a, b); }
inline IntegerBatch umin(IntegerBatch a, IntegerBatch b, Width) { return select(less(a, b), b, a); }
inline IntegerBatch ulzc(IntegerBatch a, Width width) {
  const Bits leading = Host::leading_zeros(a.high);
  if (width == Width::short_word) {
    const Bits most = Bits(widths::kHigh - kBelowInteger);
    return {select(leading < most, leading, most) << kBelowInteger, Bits{}, Mask{}};
  }
  const Bits in_low = Host::leading_zeros(a.low) + Bits(widths::kLow);  // a plane has 64 bits, 56 of which are unused
  return {Bits{}, select(a.high == Bits{}, in_low, leading), Mask{}};
}

}  // namespace
}  // namespace gdr::emulator::simd
