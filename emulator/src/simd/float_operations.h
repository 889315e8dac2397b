// The floating-point operations on batches, by the names that Semantics calls them: the quick algorithm where the host
// has one, the exact one for the lanes that it leaves over.
#pragma once

#include "double_pair.h"
#include "float_batch.h"

namespace gdr::emulator::simd {
namespace {

enum class Slow { sum, product, pass };

/// Lanes that the quick algorithm does not cover; events can only come from them.
template <Slow operation>
[[gnu::noinline]] void redo(const Planes& a, const Planes& b, Planes& result, Mask lanes, Width destination,
                            const EventSite& site, unsigned lane) {
  Events events{};
  Planes exact;
  if constexpr (operation == Slow::sum) {
    exact = exactly::sum(a, b, destination, events);
  } else if constexpr (operation == Slow::product) {
    exact = exactly::product(a, b, destination, events);
  } else {
    exact = exactly::pass(a, destination, events);
  }
  events.invalid = Host::both(events.invalid, lanes);
  events.overflow = Host::both(events.overflow, lanes);
  events.underflow = Host::both(events.underflow, lanes);
  count(site, lane, events);
  result.high = Host::select(lanes, exact.high, result.high);
  result.low = Host::select(lanes, exact.low, result.low);
}

/// x - x: the quick algorithm's zero is right, though its exponent is outside.
inline Mask cancels(const Planes& a, const Planes& b) {
  const Mask opposite = Host::both(Host::equal(a.high ^ Host::all(kSign), b.high), Host::equal(a.low, b.low));
  return Host::except(opposite, outside(a.high, quickly::kLowest, quickly::kHighest));
}

template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> sum(FloatBatch<Shape> first, FloatBatch<Shape> second,
                                                    Width destination) {
  const Planes a{first.high, first.low};
  const Planes b{second.high, second.low};
  Planes result;
  if constexpr (Host::kFusedDoubles) {
    Mask uncovered;
    result = quickly::sum<Shape>(a, b, destination, uncovered);
    if (Host::any(uncovered)) [[unlikely]] {
      uncovered = Host::except(uncovered, cancels(a, b));
      if (Host::any(uncovered)) redo<Slow::sum>(a, b, result, uncovered, destination, *first.site, first.lane);
    }
  } else {
    Events events{};
    result = exactly::sum(a, b, destination, events);
    count(*first.site, first.lane, events);
  }
  return {result.high, result.low, first.site, first.lane};
}

template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> product(FloatBatch<Shape> first, FloatBatch<Shape> second,
                                                        Width destination) {
  const Planes a{first.high, first.low};
  const Planes b{second.high, second.low};
  Planes result;
  if constexpr (Host::kFusedDoubles) {
    Mask uncovered;
    result = quickly::product<Shape>(a, b, destination, uncovered);
    if (Host::any(uncovered)) [[unlikely]] {
      redo<Slow::product>(a, b, result, uncovered, destination, *first.site, first.lane);
    }
  } else {
    Events events{};
    result = exactly::product(a, b, destination, events);
    count(*first.site, first.lane, events);
  }
  return {result.high, result.low, first.site, first.lane};
}

/// A word whose exponent is neither 0 nor all ones passes unchanged unless it is cut.
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> pass(FloatBatch<Shape> word, bool is_short, Width destination) {
  const Planes a{word.high, word.low};
  Planes result = a;
  const bool cut = !is_short && destination == Width::short_word;
  const Mask uncovered = cut ? Host::equal(a.high, a.high) : outside(a.high, 1, 2046);
  if (Host::any(uncovered)) {
    redo<Slow::pass>(a, a, result, uncovered, destination, *word.site, word.lane);
  }
  return {result.high, result.low, word.site, word.lane};
}

template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> choose(Mask second, FloatBatch<Shape> a, FloatBatch<Shape> b,
                                                       Width destination) {
  a.high = Host::select(second, b.high, a.high);
  a.low = Host::select(second, b.low, a.low);
  return pass(a, Shape::a_short && Shape::b_short, destination);
}

template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fadd(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  return sum(a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fsub(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  b.high ^= Host::all(kSign);
  return sum(a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fpassa(FloatBatch<Shape> a, Width destination) {
  return pass(a, Shape::a_short, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fmax(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  return choose(exactly::less({a.high, a.low}, {b.high, b.low}), a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fmin(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  return choose(exactly::less({b.high, b.low}, {a.high, a.low}), a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fmul(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  return product(a, b, destination);
}
template <class Shape>
[[gnu::always_inline]] inline FloatBatch<Shape> fmul2(FloatBatch<Shape> a, FloatBatch<Shape> b, Width destination) {
  return product(a, b, destination);
}

}  // namespace
}  // namespace gdr::emulator::simd
