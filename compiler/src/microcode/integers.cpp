// Integers: conversions, products and quotients by the floating-point units, which are exact to 61 bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "builder.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

constexpr double kUpperUnit = 0x1p18;   // an integer's 36 bits are taken in halves
constexpr double kMostHalved = 0x1p40;  // the upper half must be below 2^23
constexpr const char* kWholeUpperBits = "429800000";
// 2^36 times kWholeLong, for the upper 36 of an integer's 72 bits.
constexpr double kWholeLongUpper = 0x1.8p96;
constexpr const char* kWholeLongUpperBits = "45f800000000000000";
// Within these a number and 1.5 times 2^24, or 2^60, have a sum with the same exponent.
constexpr Bounds kShortWhole{-0x1p23, 0x1p23 - 1};
constexpr Bounds kLongWhole{-0x1p59, 0x1p59 - 1024};

}  // namespace

bool Builder::is_short_whole(const Bounds& bounds) { return is_within(bounds, kShortWhole); }

Operand Builder::sign_extended(const Operand& n, unsigned bits) {
  const Width width = this->width(n);
  const Operand count = integer((width == kLong ? 72 : 36) - static_cast<int>(bits), width);
  return operation(Op::UASR, {operation(Op::ULSL, {n, count}, width), count}, width);
}

Operand Builder::zero_extended(const Operand& n, unsigned bits) {
  const Width width = this->width(n);
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return operation(Op::UAND, {n, this->bits(fmt::format("{:0{}x}", mask, width == kLong ? 18 : 9), width)}, width);
}

Operand Builder::leading_zeros(const Operand& n, unsigned bits) {
  const Width width = this->width(n);
  const int above = (width == kLong ? 72 : 36) - static_cast<int>(bits);
  return operation(Op::USUB, {operation(Op::ULZC, {n}, width), integer(above, width)}, width);
}

Operand Builder::from_integer(const Operand& n, Width width, const Bounds& bounds) {
  if (n.kind == Operand::Kind::literal && bounds.low == bounds.high) return settled(number(bounds.low), width);
  if (this->width(n) == kLong) {
    if (is_within(bounds, kLongWhole))
      return sub(operation(Op::UADD, {n, bits(kWholeLongBits, kLong)}, kLong), number(kWholeLong), width);
    const Operand upper = operation(Op::UASR, {n, integer(36, kLong)}, kLong);
    const Operand lower = operation(Op::UAND, {n, bits("000000000fffffffff", kLong)}, kLong);
    const Operand high = operation(Op::UADD, {upper, bits(kWholeLongUpperBits, kLong)}, kLong);
    const Operand low =
        sub(operation(Op::UADD, {lower, bits(kWholeLongBits, kLong)}, kLong), number(kWholeLong), kLong);
    return add(sub(high, number(kWholeLongUpper), kLong), low, width);
  }
  if (is_short_whole(bounds))
    return sub(operation(Op::UADD, {n, bits(kWholeBits, kShort)}, kShort), number(kWhole), kShort);
  // 36 bits are more than the fraction of a short word: the upper and the lower 18 by themselves, rounded once.
  const Operand upper = operation(Op::UASR, {n, integer(18, kShort)}, kShort);
  const Operand lower = operation(Op::UAND, {n, bits("00003ffff", kShort)}, kShort);
  const Operand high = operation(Op::UADD, {upper, bits(kWholeUpperBits, kShort)}, kShort);
  const Operand low = operation(Op::UADD, {lower, bits(kWholeBits, kShort)}, kShort);
  return add(sub(high, number(kUpperUnit * kWhole + kWhole), kLong), low, width);
}

/// The nearest whole number of `x` as an integer, and in `near`, as a number, what is left when the upper half is taken
/// away, and its nearest whole number.
Operand Builder::nearest_integer(const Operand& x, Width width, Nearest* near) {
  if (width == kLong) {
    const Operand sum = add(x, number(kWholeLong), kLong);
    if (near != nullptr) *near = {x, sub(sum, number(kWholeLong), kLong)};
    return operation(Op::USUB, {sum, bits(kWholeLongBits, kLong)}, kLong);
  }
  const Width of_x = this->width(x);
  const Operand upper = add(mul(x, number(1 / kUpperUnit), of_x), number(kWhole), kShort);
  const Operand high = sub(upper, number(kWhole), kShort);
  const Operand left = sub(x, mul(high, number(kUpperUnit), kShort), of_x);
  const Operand lower = add(left, number(kWhole), kShort);
  if (near != nullptr) *near = {left, sub(lower, number(kWhole), kShort)};
  return operation(Op::UADD,
                   {operation(Op::ULSL, {upper, integer(18, kShort)}, kShort),
                    operation(Op::USUB, {lower, bits(kWholeBits, kShort)}, kShort)},
                   kShort);
}

Operand Builder::to_integer(const Operand& argument, Width width, const Bounds& bounds, bool saturates) {
  const bool positive = bounds.low >= 0;
  Operand x = argument;
  if (x.kind == Operand::Kind::literal || x.negated) x = settled(x, this->width(x));
  Operand magnitude = positive ? x : absolute(x);
  Operand whole;
  Nearest near;
  if (width == kShort && saturates) {
    magnitude = operation(Op::FMIN, {magnitude, number(kShortWhole.high)}, this->width(magnitude));
  }
  if (width == kShort && (saturates || is_short_whole(bounds))) {
    const Operand shifted = add(magnitude, number(kWhole), kShort);
    near = {magnitude, sub(shifted, number(kWhole), kShort)};
    whole = operation(Op::USUB, {shifted, bits(kWholeBits, kShort)}, kShort);
  } else {
    whole = nearest_integer(magnitude, width, &near);
  }
  const Truth beyond = compare(Op::FSUB, near.value, near.whole, kShort, Condition::negative);
  const Operand less = operation(Op::USUB, {whole, integer(1, width)}, width);
  const Operand towards_zero = merge(whole, less, beyond, true);
  if (positive) return towards_zero;
  const Truth negative = flag_of(x, Condition::negative);
  const Operand opposite = operation(Op::USUB, {integer(0, width), towards_zero}, width);
  return merge(towards_zero, opposite, negative, true);
}

/// Modulo the word's width. What `bounds` say of the product of both decides how.
Operand Builder::integer_product(const Operand& a, const Bounds& of_a, const Operand& b, const Bounds& of_b,
                                 const Bounds& bounds) {
  const Width width = this->width(a);
  const bool a_small = is_short_whole(of_a);
  const bool b_small = is_short_whole(of_b);
  const auto most = [](const Bounds& of) { return std::max(std::fabs(of.low), std::fabs(of.high)); };
  const bool exact = a_small && b_small && most(of_a) * most(of_b) <= kMostHalved;
  if (width == kShort && (exact || is_within(bounds, bounds_of_bits(36, true)))) {
    const Operand x = from_integer(a, a_small ? kShort : kLong, of_a);
    const Operand y = from_integer(b, b_small ? kShort : kLong, of_b);
    return nearest_integer(product(x, y, kLong), kShort, nullptr);
  }
  const auto part = [&](const Operand& of, const Bounds& known, bool upper) {  // 16 bits, the upper ones with the sign
    const double high = std::floor(known.low / 0x1p16);
    if (known.low == known.high) return number(upper ? high : known.low - 0x1p16 * high);
    const Operand n = upper ? operation(Op::UASR, {of, integer(16, width)}, width)
                            : operation(Op::UAND, {of, integer(0xffff, width)}, width);
    return from_integer(n, kShort, {-0x1p16, 0x1p16});
  };
  const Operand upper = part(b, of_b, true);
  const Operand lower = part(b, of_b, false);
  if (width == kLong) {
    const Operand x = from_integer(a, kLong, of_a);
    const Operand high = nearest_integer(mul(x, upper, kLong), kLong, nullptr);
    const Operand low = nearest_integer(mul(x, lower, kLong), kLong, nullptr);
    return operation(Op::UADD, {operation(Op::ULSL, {high, integer(16, kLong)}, kLong), low}, kLong);
  }
  const Operand a_upper = part(a, of_a, true);
  const Operand a_lower = part(a, of_a, false);
  const Operand cross = add(mul(a_upper, lower, kLong), mul(a_lower, upper, kLong), kLong);
  const Operand high = nearest_integer(cross, kShort, nullptr);
  const Operand low = nearest_integer(mul(a_lower, lower, kLong), kShort, nullptr);
  return operation(Op::UADD, {operation(Op::ULSL, {high, integer(16, kShort)}, kShort), low}, kShort);
}

/// a / b towards zero, or what is left, with the sign of a. Between (|a| + 1/2) / |b| and a whole number there is
/// 1/2 / |b| at least, so that the quotient less 1/2 is rounded to the right one if its error is less than that.
Operand Builder::integer_quotient(const Operand& a, const Bounds& of_a, const Operand& b, const Bounds& of_b,
                                  bool remainder) {
  const Width width = this->width(a);
  const Operand x = from_integer(a, is_short_whole(of_a) ? kShort : kLong, of_a);
  const Operand y = from_integer(b, is_short_whole(of_b) ? kShort : kLong, of_b);
  const Operand dividend = of_a.low >= 0 ? x : absolute(x);
  const Operand divisor = of_b.low >= 0 ? y : absolute(y);
  const Operand inverse = of_b.low == of_b.high ? number(1 / std::fabs(of_b.low)) : plain_reciprocal_long(divisor);
  const Operand quotient = sub(product(add(dividend, number(0.5), kLong), inverse, kLong), number(0.5), kLong);
  Operand outcome = quotient;
  if (remainder) outcome = sub(dividend, product(nearest(quotient, kLong, {0, 0x1p50}), divisor, kLong), kLong);
  const auto with_sign = [&](const Operand& value, const Operand& of) {
    const Operand sign = operation(Op::UAND, {settled(of, kLong), bits("800000000000000000", kLong)}, kLong);
    return operation(Op::UXOR, {value, sign}, kLong);
  };
  if (of_a.low < 0) outcome = with_sign(outcome, x);
  if (of_b.low < 0 && !remainder) outcome = with_sign(outcome, y);
  return nearest_integer(outcome, width, nullptr);
}

}  // namespace gdr::compiler
