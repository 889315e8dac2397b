// The first of the three algorithms: sums and products are rounded in the fewest instructions that are exact for nearly
// all data. Lanes near a tie or near the ends of the range, zeros and infinities are reported as uncovered.
//
// A short result is rounded from a double that is the exact result or close to it. Adding and then subtracting 1.5 *
// 2^(E + 28), where E is the exponent of the double, rounds it to 25 bits, ties to even, because the last place of the
// sum has the value of the last of the 25 bits. A long result is rounded as in double_pair.h.
#pragma once

#include "double_pair.h"

namespace gdr::emulator::simd {
namespace {
namespace quickly {

using robustly::at_port;

constexpr std::uint64_t kShortRest = widths::ones(widths::kBelowShort);  // bits of a double below the 25 bits
constexpr double kTwoTo28 = widths::power_of_two(widths::kBelowShort);

/// 2^E with the sign of the number, where E is its exponent; zero for zero.
inline Doubles power_of(Doubles a) { return Host::doubles(Host::bits(a) & Bits(kSign | kExponentMask)); }

/// The sum of `a` and the low plane of `word`, rounded once. The unit of the low plane is 2^-60 times the word's power
/// of two, so its 8 bits are a number below 2^-52, which is scaled by this power without loss. A word with exponent 0
/// adds nothing.
inline Doubles plus_low(Doubles a, Planes word) {
  const Doubles unit(widths::power_of_two(-widths::kLow));  // its last place has the value 2^-60
  const Doubles fraction = Host::doubles(Host::bits(unit) | word.low) - unit;
  return Host::multiply_add(power_of(Host::doubles(word.high)), fraction, a);
}

inline Planes short_word(Doubles value) { return {Host::bits(value), Bits{}}; }

/// Short result of an exact double.
inline Doubles short_from_exact(Doubles exact) {
  const Doubles power = power_of(exact);
  const Doubles aligner(1.5 * kTwoTo28);
  return Host::subtract_product(Host::multiply_add(power, aligner, exact), power, aligner);
}

/// Short result of an exact double of at most 52 bits, such as a product of short words. Its significand m is an even
/// integer below 2^53. The product (2^28 + 1) m is rounded to a multiple of 2^28. This rounds m to such a multiple, and
/// at a tie to an even one, since adding the even m does not change the parity. A product of 2^81 or more is rounded to
/// a multiple of 2^29; m is then so close to 2^53 that it becomes 2^53 in either case.
inline Doubles short_from_product(Doubles exact) {
  return Host::subtract_product(exact * Doubles(kTwoTo28 + 1), exact, Doubles(kTwoTo28));
}

/// Short result of a double that is less than `distance` units in its last place away from the exact result, or, if
/// `distance` is 0, is the exact result rounded once. A lane is uncovered if a midpoint between two short words is as
/// close, because the exact result may be on the other side of the midpoint.
template <std::uint64_t distance>
inline Doubles short_from_near(Doubles near, Mask& uncovered) {
  static_assert((distance & (distance - 1)) == 0, "the bits of twice the distance are left out of one test");
  const std::uint64_t within = distance == 0 ? 0 : 2 * distance - 1;
  const Bits up = Host::bits(near) + Bits((kShortRest + 1) / 2 + distance);
  const Doubles rounded = Host::doubles(up & Bits(~kShortRest));
  uncovered = no_bit_of(up, kShortRest & ~within) | near_the_ends(rounded);
  return rounded;
}

/// Two short words whose exponents are at most 28 apart have an exact sum. Otherwise the smaller one is too small to
/// bring the sum near a tie, so that rounding twice does no harm.
///
/// For long words there are three roundings: of the sum of the high planes, unless they cancel [Sterbenz,
/// Floating-Point Computation, 1974, theorem 4.3.1], of the sum of the low planes, and of the sum of both. Together
/// they are less than two units in the last place. Low planes below 2^-1022, which the host may treat as zero, do not
/// affect results that are large enough.
template <class Shape>
inline Planes short_sum(Planes a, Planes b, Mask& uncovered) {
  Doubles sum = Host::doubles(a.high) + Host::doubles(b.high);
  if constexpr (Shape::a_short && Shape::b_short) {
    sum = short_from_exact(sum);
    uncovered = not_normal(sum);
    return short_word(sum);
  } else {
    if constexpr (Shape::b_short) {
      sum = plus_low(sum, a);
    } else if constexpr (Shape::a_short) {
      sum = plus_low(sum, b);
    } else {
      sum += plus_low(plus_low(Doubles(0.0), a), b);
    }
    return short_word(short_from_near<4>(sum, uncovered));
  }
}

/// The error of the sum of the high planes is computed from the operands ordered by magnitude [Dekker, A Floating-Point
/// Technique for Extending the Available Precision, 1971]. Together with the low planes this is the pair that
/// double_pair.h rounds.
template <class Shape, class H = Host>
inline Planes long_sum(Planes a, Planes b, Mask& uncovered) {
  const Doubles x = Host::doubles(a.high);
  const Doubles y = Host::doubles(b.high);
  const Doubles larger = H::larger_in_magnitude(x, y);
  const Doubles smaller = H::smaller_in_magnitude(x, y);
  const Doubles sum = x + y;
  Doubles rest = smaller - (sum - larger);
  if constexpr (!Shape::a_short) rest = plus_low(rest, a);
  if constexpr (!Shape::b_short) rest = plus_low(rest, b);
  const Doubles head = H::add_toward_zero(sum, rest);
  Planes result = robustly::long_from(Host::bits(head), rest - (head - sum), uncovered);
  // Nothing is lost if the smaller operand, even when divided by 2^12, still changes the larger one: then their
  // exponents are at most robustly::kFarthest apart. Operands below kLowest vanish when scaled by 2^-129, so they
  // change nothing and count as uncovered.
  constexpr int kDown = widths::kLow + 4;  // 12
  static_assert(robustly::kFarthest == widths::kDouble + 1 - kDown);
  const Doubles scaled = larger * Doubles(kToLowest);
  uncovered = H::equal_or_unordered(H::multiply_add(smaller, Doubles(kToLowest * widths::power_of_two(-kDown)), scaled),
                                    scaled) |
              H::not_normal(Host::doubles(result.high));
  return result;
}

template <class Shape>
inline Planes sum(Planes a, Planes b, Width destination, Mask& uncovered) {
  if (destination == Width::short_word) return short_sum<Shape>(a, b, uncovered);
  if constexpr (Host::kDirectedRounding) {
    return long_sum<Shape>(a, b, uncovered);
  } else {
    return robustly::sum<Shape>(a, b, destination, uncovered);
  }
}

template <class Shape>
inline Planes product(Planes a, Planes b, Width destination, Mask& uncovered) {
  const Doubles x = at_port<Shape::a_short>(a.high);
  const Doubles y = at_port<Shape::b_short>(b.high);
  if constexpr (Shape::a_short && Shape::b_short) {
    const Doubles exact = x * y;
    const Doubles result = destination == Width::short_word ? short_from_product(exact) : exact;
    uncovered = not_normal(result);
    return short_word(result);
  } else {
    if (destination == Width::short_word) return short_word(short_from_near<0>(x * y, uncovered));
    return robustly::product<Shape>(a, b, destination, uncovered);
  }
}

inline Planes cut(Planes word, Mask& uncovered) {
  return short_word(short_from_near<0>(plus_low(Host::doubles(word.high), word), uncovered));
}

}  // namespace quickly
}  // namespace
}  // namespace gdr::emulator::simd
