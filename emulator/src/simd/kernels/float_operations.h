// The floating-point operations on batches; the functions have the names that Semantics calls. A quick batch reports
// the lanes that it does not cover. Those lanes are computed again with a ZeroBatch, a RobustBatch and an ExactBatch.
#pragma once

#include "double_pair.h"
#include "float_batch.h"
#include "quick_forms.h"

namespace gdr::emulator::simd {
namespace {

template <bool first_short, bool second_short>
struct Shape {
  static constexpr bool a_short = first_short;
  static constexpr bool b_short = second_short;
};

/// An operand or a result: planes of long words. The lower bits of a short word are zero.
template <class Shape>
struct QuickBatch {
  Bits high;
  Bits low;
  Mask uncovered;  // of a result: lanes that are wrong
};

/// An operand, or a result that is valid in the lanes where zeros among the operands determine it.
struct ZeroBatch {
  Bits high;
  Bits low;
  Mask covered;  // of a result
};

struct RobustBatch {
  Bits high;
  Bits low;
  Mask uncovered;  // of a result
};

struct ExactBatch {
  Bits high;
  Bits low;
  Events events;  // of a result
};

// ---- quick ---------------------------------------------------------------------------------------------------------

template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fadd(QuickBatch<Shape> a, QuickBatch<Shape> b, Width destination) {
  Mask uncovered;
  Planes sum = quickly::sum<Shape>({a.high, a.low}, {b.high, b.low}, destination, uncovered);
  return {sum.high, sum.low, uncovered};
}
template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fsub(QuickBatch<Shape> a, QuickBatch<Shape> b, Width destination) {
  b.high ^= kSign;
  return fadd(a, b, destination);
}

/// A word whose exponent is neither 0 nor all ones passes unchanged unless it is rounded to a short word.
template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fpassa(QuickBatch<Shape> a, Width destination) {
  if (!Shape::a_short && destination == Width::short_word) {
    a.high = quickly::cut({a.high, a.low}, a.uncovered).high;
  } else {
    a.uncovered = outside(a.high, 1, widths::kLargest);
  }
  return a;
}
template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> choose(Mask second, QuickBatch<Shape> a, QuickBatch<Shape> b,
                                                       Width destination) {
  a.high = select(second, b.high, a.high);
  a.low = select(second, b.low, a.low);
  if (!(Shape::a_short && Shape::b_short) && destination == Width::short_word) {
    a.high = quickly::cut({a.high, a.low}, a.uncovered).high;
  } else {
    a.uncovered = outside(a.high, 1, widths::kLargest);
  }
  return a;
}
template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fmax(QuickBatch<Shape> a, QuickBatch<Shape> b, Width destination) {
  return choose(exactly::less({a.high, a.low}, {b.high, b.low}), a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fmin(QuickBatch<Shape> a, QuickBatch<Shape> b, Width destination) {
  return choose(exactly::less({b.high, b.low}, {a.high, a.low}), a, b, destination);
}

template <class Shape>
[[gnu::always_inline]] inline QuickBatch<Shape> fmul(QuickBatch<Shape> a, QuickBatch<Shape> b, Width destination) {
  Mask uncovered;
  Planes product = quickly::product<Shape>({a.high, a.low}, {b.high, b.low}, destination, uncovered);
  return {product.high, product.low, uncovered};
}

// ---- zeros ---------------------------------------------------------------------------------------------------------

inline Mask is_zero(Bits high) { return (high << 1) < Bits(widths::bit(widths::kDouble)); }
inline Mask is_infinite(Bits high) { return Bits((widths::kInfinite << widths::kDouble) - 1) < (high << 1); }

/// If one operand is zero, the result is the other one, unless it would have to be rounded to a short word. Opposite
/// operands give zero.
inline ZeroBatch fadd(ZeroBatch a, ZeroBatch b, Width destination) {
  const Mask a_zero = is_zero(a.high);
  const Mask b_zero = is_zero(b.high);
  const Mask opposite = ((a.high ^ b.high) == Bits(kSign)) & (a.low == b.low);
  const Mask none = (a_zero & b_zero) | opposite;
  const Bits high = select(a_zero, b.high, a.high);
  const Bits low = select(a_zero, b.low, a.low);
  const bool may_pass = destination == Width::long_word;
  const Mask covered = (may_pass ? a_zero | b_zero | opposite : none) & ~is_infinite(high);
  return {select(none, Bits{}, high), select(none, Bits{}, low), covered};
}
inline ZeroBatch fsub(ZeroBatch a, ZeroBatch b, Width destination) {
  b.high ^= kSign;
  return fadd(a, b, destination);
}
inline ZeroBatch fpassa(ZeroBatch a, Width) { return {Bits{}, Bits{}, is_zero(a.high)}; }
inline ZeroBatch choose(Mask second, const ZeroBatch& a, const ZeroBatch& b) {
  return {Bits{}, Bits{}, is_zero(select(second, b.high, a.high))};
}
inline ZeroBatch fmax(ZeroBatch a, ZeroBatch b, Width) {
  return choose(exactly::less({a.high, a.low}, {b.high, b.low}), a, b);
}
inline ZeroBatch fmin(ZeroBatch a, ZeroBatch b, Width) {
  return choose(exactly::less({b.high, b.low}, {a.high, a.low}), a, b);
}
inline ZeroBatch fmul(ZeroBatch a, ZeroBatch b, Width) {
  const Mask zero = is_zero(a.high) | is_zero(b.high);
  return {Bits{}, Bits{}, zero & ~(is_infinite(a.high) | is_infinite(b.high))};
}

// ---- robust --------------------------------------------------------------------------------------------------------

inline RobustBatch fadd(RobustBatch a, RobustBatch b, Width destination) {
  Mask uncovered;
  const Planes sum = robustly::sum<Shape<false, false>>({a.high, a.low}, {b.high, b.low}, destination, uncovered);
  return {sum.high, sum.low, uncovered};
}
inline RobustBatch fsub(RobustBatch a, RobustBatch b, Width destination) {
  b.high ^= kSign;
  return fadd(a, b, destination);
}
inline RobustBatch fmul(RobustBatch a, RobustBatch b, Width destination) {
  Mask uncovered;
  const Planes product =
      robustly::product<Shape<false, false>>({a.high, a.low}, {b.high, b.low}, destination, uncovered);
  return {product.high, product.low, uncovered};
}
// For operations that pass a word on, the quick form leaves only ties and the ends of the range, so these lanes are all
// uncovered.
inline RobustBatch fpassa(RobustBatch a, Width) { return {a.high, a.low, everywhere()}; }
inline RobustBatch fmax(RobustBatch a, RobustBatch, Width destination) { return fpassa(a, destination); }
inline RobustBatch fmin(RobustBatch a, RobustBatch, Width destination) { return fpassa(a, destination); }

// ---- exact ---------------------------------------------------------------------------------------------------------

inline ExactBatch fadd(ExactBatch a, ExactBatch b, Width destination) {
  Events events{};
  Planes sum = exactly::sum({a.high, a.low}, {b.high, b.low}, destination, events);
  return {sum.high, sum.low, events};
}
inline ExactBatch fsub(ExactBatch a, ExactBatch b, Width destination) {
  b.high ^= kSign;
  return fadd(a, b, destination);
}
inline ExactBatch fpassa(ExactBatch a, Width destination) {
  Events events{};
  Planes word = exactly::pass({a.high, a.low}, destination, events);
  return {word.high, word.low, events};
}
inline ExactBatch choose(Mask second, ExactBatch a, ExactBatch b, Width destination) {
  a.high = select(second, b.high, a.high);
  a.low = select(second, b.low, a.low);
  return fpassa(a, destination);
}
inline ExactBatch fmax(ExactBatch a, ExactBatch b, Width destination) {
  return choose(exactly::less({a.high, a.low}, {b.high, b.low}), a, b, destination);
}
inline ExactBatch fmin(ExactBatch a, ExactBatch b, Width destination) {
  return choose(exactly::less({b.high, b.low}, {a.high, a.low}), a, b, destination);
}
inline ExactBatch fmul(ExactBatch a, ExactBatch b, Width destination) {
  Events events{};
  Planes product = exactly::product({a.high, a.low}, {b.high, b.low}, destination, events);
  return {product.high, product.low, events};
}

}  // namespace
}  // namespace gdr::emulator::simd
