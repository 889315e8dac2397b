// Exponentials, logarithms and circular functions in long words, as in kernels/macros/math.vsm.
#include <vector>

#include "builder.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

// ln 2 in two parts, the first of which times a whole number below 2^11 is exact.
constexpr double kLn2 = 0.6931471805599436;
constexpr const char* kLn2Rest = "3cde6af278ece600fd";
// Beyond these exponents of e, or of 2, everything is infinity or 0.
constexpr double kBeyondE = 760;
constexpr double kBeyond2 = 1100;

}  // namespace

/// Horner's scheme in long words, for a short `x` with one line a product; the first coefficient is that of the highest
/// power. The last products, from coefficient `from` on, are by `wide`, which is `x` as a long word.
Operand Builder::horner(const Operand& x, const std::vector<double>& coefficients, const Operand& wide,
                        std::size_t from) {
  Operand sum = number(coefficients.front());
  for (std::size_t n = 1; n < coefficients.size(); ++n) {
    const bool by_wide = wide.index >= 0 && n >= from;
    sum = add(product(sum, by_wide ? wide : x, kLong), number(coefficients[n]), kLong);
  }
  return sum;
}

/// `yes` where a < b, otherwise `no`.
Operand Builder::chosen(const Operand& a, const Operand& b, const Operand& yes, const Operand& no, Width compared) {
  const Width wider = width(yes) == kLong || width(no) == kLong ? kLong : kShort;
  const Truth less = compare(Op::FSUB, a, b, compared, Condition::negative);
  return merge(copy(no, wider), settled(yes, wider), less, false);
}

/// e^rest 2^n, with rest = h + l and h short, so that products by h take one line: e^h (1 + l) 2^n. `n` is a whole
/// number plus kWhole.
Operand Builder::exp_of_rest(const Operand& rest, const Operand& n) {
  const Operand h = settled(rest, kShort);
  const Operand l = sub(rest, h, kShort);
  const Operand p = horner(h, {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                               1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1});
  const Operand m = add(p, mul(p, l, kLong), kLong);
  return with_exponent(m, operation(Op::ULSL, {n, integer(24, kShort)}, kShort));
}

Operand Builder::exp_long(const Operand& argument) {
  const Operand least = operation(Op::FMAX, {argument, number(-kBeyondE)}, kLong);
  const Operand x = operation(Op::FMIN, {least, number(kBeyondE)}, kLong);
  const Operand n = add(mul(x, number(1.44269502162933349609375), kShort), number(kWhole), kShort);
  const Operand count = sub(n, number(kWhole), kShort);
  const Operand near = sub(x, mul(number(kLn2), count, kLong), kLong);
  return exp_of_rest(sub(near, mul(bits(kLn2Rest, kLong), count, kLong), kLong), n);
}

Operand Builder::exp2_long(const Operand& argument) {
  const Operand least = operation(Op::FMAX, {argument, number(-kBeyond2)}, kLong);
  const Operand x = operation(Op::FMIN, {least, number(kBeyond2)}, kLong);
  const Operand n = add(x, number(kWhole), kShort);
  const Operand left = sub(x, sub(n, number(kWhole), kShort), kLong);
  return exp_of_rest(product(left, number(0.6931471805599453), kLong), n);
}

/// ln(m), where x = 2^n m, m in sqrt(1/2)..sqrt(2): 2 s (1 + u P(u)) with s = (m - 1) / (m + 1), u = s^2.
Operand Builder::log_of_long(const Operand& argument, Operand& n) {
  const Operand x = settled(argument, kLong);
  const Operand above = operation(Op::USUB, {x, bits("3fe6a09e667f3bcd00", kLong)}, kLong);
  const Operand exponent = operation(Op::UASR, {above, integer(60, kLong)}, kLong);
  const Operand m = operation(Op::USUB, {x, operation(Op::ULSL, {exponent, integer(60, kLong)}, kLong)}, kLong);
  n = sub(operation(Op::UADD, {exponent, bits(kWholeLongBits, kLong)}, kLong), number(kWholeLong), kShort);
  n = with_ends(n, settled(x, kShort));
  const Operand inverse = plain_reciprocal_long(add(m, number(1), kLong));
  const Operand s = product(inverse, sub(m, number(1), kLong), kLong);
  const Operand u = product(s, s, kLong);
  const Operand twice = add(s, s, kLong);
  constexpr std::size_t kWide = 6;
  const Operand p =
      horner(settled(u, kShort), {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3},
             u, kWide);
  return add(product(product(p, u, kLong), twice, kLong), twice, kLong);
}

Operand Builder::log_long(const Operand& x) {
  Operand n;
  const Operand l = log_of_long(x, n);
  const Operand low = add(mul(bits(kLn2Rest, kLong), n, kLong), l, kLong);
  return add(mul(number(kLn2), n, kLong), low, kLong);
}

/// As circular(), with pi/2 in three parts.
Operand Builder::circular_long(const Operand& argument, int quarters) {
  const Operand x = settled(argument, kLong);
  const Operand raw = add(mul(x, short_number(0.63661977236758134), kShort), number(kWhole), kShort);
  const Operand w = sub(raw, number(kWhole), kShort);
  const Operand first = sub(x, mul(number(1.5707963267948948), w, kLong), kLong);
  const Operand second = sub(first, mul(number(1.837589179357618e-15), w, kLong), kLong);
  const Operand r = sub(second, mul(number(8.4784276603689e-32), w, kLong), kLong);
  const Operand k = quarters == 0 ? raw : operation(Op::UADD, {raw, integer(quarters, kShort)}, kShort);
  const Operand u = product(r, r, kLong);
  const Operand v = settled(u, kShort);
  const Truth even = compare(Op::UAND, k, integer(1, kShort), kShort, Condition::zero);
  constexpr std::size_t kWide = 4;
  const Operand cosine = horner(v,
                                {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                                 -1.0 / 720, 1.0 / 24, -0.5, 1},
                                u, kWide);
  const Operand odd = horner(
      v, {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6}, u,
      kWide);
  const Operand sine = add(product(product(odd, u, kLong), r, kLong), r, kLong);
  const Operand y = merge(cosine, sine, even, true);
  const Operand sign =
      operation(Op::UAND, {operation(Op::ULSL, {k, integer(34, kShort)}, kShort), bits("800000000", kShort)}, kShort);
  // As a long word the sign alone is minus zero, and no number keeps that: it is put on 1.
  const Operand one = operation(Op::UOR, {sign, bits("3ff000000", kShort)}, kShort);
  return mul(y, one, kLong);
}

}  // namespace gdr::compiler
