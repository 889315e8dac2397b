// Functions that no unit computes, by integer seeds, Newton's steps and polynomials, as in kernels/macros/math.vsm.
#include "builder.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

// 2^24 (2 * 1023 - 0.1013): the bits of a number subtracted from it are those of its reciprocal, off by at most 12 %.
constexpr const char* kReciprocalSeed = "7fde61134";
// 1.5 * 2^24 (1023 - 0.0450466): half of a number's bits subtracted from it are those of 1/sqrt, off by at most 3.5 %.
constexpr const char* kRsqrtSeed = "5fe6eb3bd";
// 1.5 * 2^24: added to a number it leaves the nearest whole number in the low bits of a short word.
constexpr double kWhole = 25165824;
constexpr const char* kWholeBits = "417800000";
constexpr double kWholeLong = 0x1.8p60;  // the same of a long word
constexpr const char* kWholeLongBits = "43b800000000000000";
constexpr double kWholeUpper = 0x1.8p42;  // 2^18 times kWhole: for the upper 18 of an integer's 36 bits
constexpr const char* kWholeUpperBits = "429800000";

}  // namespace

/// From a seed to 4e-8 in three rounds r <- r (2 - x r).
Operand Builder::reciprocal_start(const Operand& x, const Operand& seed) {
  Operand r = seed;
  for (int round = 0; round < 3; ++round) {
    const Operand left = sub(number(2), mul(x, r, kShort), kShort);
    r = mul(r, left, kShort);
  }
  return r;
}

Operand Builder::reciprocal_or_zero(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Truth zero = flag_of(x, Condition::zero);
  // Where x is 0 its copy stays, and all that follows is 0.
  const Operand kept = operation(Op::UPASSA, {x}, kShort);
  const Operand seed = operation(Op::USUB, {bits(kReciprocalSeed, kShort), kept}, kShort);
  of(seed).into = kept.index;
  of(seed).predicate = zero.operation;
  of(seed).inverted = true;
  return reciprocal_start(x, seed);
}

Operand Builder::rsqrt_or_zero(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Truth zero = flag_of(x, Condition::zero);
  // Where x is 0 half of its bits are, too, and stay.
  const Operand halved = operation(Op::ULSR, {x, integer(1, kShort)}, kShort);
  Operand y = operation(Op::USUB, {bits(kRsqrtSeed, kShort), halved}, kShort);
  of(y).into = halved.index;
  of(y).predicate = zero.operation;
  of(y).inverted = true;
  const Operand half = mul(x, number(0.5), kShort);
  for (int round = 0; round < 3; ++round) {
    const Operand left = sub(number(1.5), mul(half, mul(y, y, kShort), kShort), kShort);
    y = mul(y, left, kShort);
  }
  return y;
}

Operand Builder::reciprocal(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand r = reciprocal_start(x, operation(Op::USUB, {bits(kReciprocalSeed, kShort), x}, kShort));
  const Operand left = sub(number(1), mul(r, x, kLong), kShort);  // the product is exact
  return add(r, mul(r, left, kShort), kShort);
}

Operand Builder::quotient(const Operand& dividend, const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand a = width(dividend) == kShort ? dividend : settled(dividend, kShort);
  const Operand r = reciprocal_start(x, operation(Op::USUB, {bits(kReciprocalSeed, kShort), x}, kShort));
  const Operand q = mul(r, a, kShort);
  const Operand left = sub(a, mul(q, x, kLong), kShort);
  return add(q, mul(left, r, kShort), kShort);
}

/// 1/sqrt(x) to 5e-6 in two rounds, and -x/2.
Operand Builder::rsqrt_start(const Operand& x, Operand& half) {
  half = mul(x, number(-0.5), kShort);
  const Operand halved = operation(Op::ULSR, {x, integer(1, kShort)}, kShort);
  Operand r = operation(Op::USUB, {bits(kRsqrtSeed, kShort), halved}, kShort);
  for (int round = 0; round < 2; ++round) {
    // h first: for 0 the outcome is a large number, not infinity
    const Operand left = add(number(1.5), mul(r, mul(r, half, kShort), kShort), kShort);
    r = mul(r, left, kShort);
  }
  return r;
}

Operand Builder::rsqrt(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  Operand half;
  const Operand r = rsqrt_start(x, half);
  // For 0 the square is infinite, and the invalid product with 0 is +infinity, as all that follows.
  const Operand left = add(number(0.5), mul(mul(r, r, kLong), half, kLong), kShort);
  return add(r, mul(r, left, kShort), kShort);
}

Operand Builder::sqrt(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  Operand half;
  const Operand r = rsqrt_start(x, half);
  const Operand s = mul(r, x, kShort);
  const Operand left = sub(x, mul(s, s, kLong), kShort);
  return add(s, mul(mul(left, r, kShort), number(0.5), kShort), kShort);
}

Operand Builder::reciprocal_long(const Operand& x) {
  const Operand s = settled(x, kShort);
  const Operand r = reciprocal(s);
  const Operand e = sub(number(1), product(x, r, kLong), kLong);
  const Operand e_short = settled(e, kShort);
  const Operand sum = add(mul(e, e_short, kLong), e, kLong);
  return add(r, mul(sum, r, kLong), kLong);
}

Operand Builder::quotient_long(const Operand& a, const Operand& b) { return product(reciprocal_long(b), a, kLong); }

/// `about`: x as a short word.
Operand Builder::rsqrt_long_of(const Operand& x, const Operand& about) {
  const Operand r = rsqrt(about);
  const Operand square = mul(r, r, kLong);
  const Operand e = sub(number(1), product(x, square, kLong), kLong);
  const Operand s = add(mul(e, number(0.375), kLong), number(0.5), kShort);
  return add(r, mul(mul(e, s, kLong), r, kLong), kLong);
}

Operand Builder::rsqrt_long(const Operand& x) { return rsqrt_long_of(x, settled(x, kShort)); }

Operand Builder::sqrt_long(const Operand& x) {
  // 1/sqrt of 2^-1021 in place of 0: a number, which times 0 is 0.
  const Operand about = operation(Op::FMAX, {x, bits("002000000", kShort)}, kShort);
  return product(rsqrt_long_of(x, about), x, kLong);
}

/// Horner's scheme in short words; the first coefficient is that of the highest power.
Operand Builder::polynomial(const Operand& x, std::vector<double> coefficients) {
  Operand sum = mul(x, short_number(coefficients.front()), kShort);
  for (std::size_t n = 1; n < coefficients.size(); ++n) {
    sum = add(sum, short_number(coefficients[n]), kShort);
    if (n + 1 < coefficients.size()) sum = mul(x, sum, kShort);
  }
  return sum;
}

Operand Builder::exp2_of(const Operand& t) {
  const Operand whole = add(t, number(kWhole), kShort);
  const Operand f = sub(t, sub(whole, number(kWhole), kShort), kShort);
  const Operand n = operation(Op::ULSL, {whole, integer(24, kShort)}, kShort);
  const Operand inner = polynomial(f, {0.0001545316294512069, 0.0013390863364671234, 0.0096180825572778515,
                                       0.055503571142190778, 0.24022650760568127});
  const Operand outer = add(mul(f, inner, kShort), number(0.69314718802622878), kLong);
  const Operand m = add(mul(outer, f, kLong), number(1), kShort);
  return operation(Op::UADD, {n, m}, kShort);
}

Operand Builder::exp2(const Operand& argument) {
  const Operand least = operation(Op::FMAX, {argument, number(-1022)}, kShort);
  return exp2_of(operation(Op::FMIN, {least, short_number(1023.99993896484375)}, kShort));
}

Operand Builder::exp(const Operand& argument) {
  const Operand least = operation(Op::FMAX, {argument, short_number(-708.3963623046875)}, kShort);
  const Operand x = operation(Op::FMIN, {least, short_number(709.78265380859375)}, kShort);
  return exp2_of(mul(number(1.4426950408889634), x, kLong));
}

/// ln(m) - f, long, where x = 2^n m, m in sqrt(1/2)..sqrt(2), f = m - 1.
Operand Builder::log_of(const Operand& argument, Operand& n, Operand& f) {
  const Operand x = settled(argument, kShort);
  const Operand above = operation(Op::USUB, {x, bits("3fe6a09e6", kShort)}, kShort);
  const Operand exponent = operation(Op::UASR, {above, integer(24, kShort)}, kShort);
  const Operand field = operation(Op::ULSL, {exponent, integer(24, kShort)}, kShort);
  const Operand m = operation(Op::USUB, {x, field}, kShort);
  f = sub(m, number(1), kShort);
  n = sub(operation(Op::UADD, {exponent, bits(kWholeBits, kShort)}, kShort), number(kWhole), kShort);
  const Operand inner =
      polynomial(f, {-0.076217575932727855, 0.12904418612553581, -0.13242988798514036, 0.14181827646800964,
                     -0.16609082802437245, 0.20001973804867381, -0.25001582945560561, 0.33333325693788077});
  const Operand outer = add(mul(f, inner, kShort), number(-0.49999988346575123), kLong);
  return mul(mul(outer, f, kLong), f, kLong);
}

Operand Builder::log(const Operand& x) {
  Operand n;
  Operand f;
  const Operand rest = log_of(x, n, f);
  const Operand mantissa = add(f, rest, kLong);
  return add(mul(number(0.6931471805599453), n, kLong), mantissa, kShort);
}

Operand Builder::log2(const Operand& x) {
  Operand n;
  Operand f;
  const Operand rest = log_of(x, n, f);
  const Operand mantissa = add(f, rest, kLong);
  return add(product(mantissa, number(1.4426950408889634), kLong), n, kShort);
}

Operand Builder::circular(const Operand& argument, int quarters) {
  const Operand x = argument;
  const Operand raw = add(mul(x, short_number(0.63661977236758134), kShort), number(kWhole), kShort);
  const Operand w = sub(raw, number(kWhole), kShort);
  const Operand near = sub(x, mul(number(1.570796326734125614), w, kLong), kLong);
  const Operand u = sub(near, mul(number(6.0771005065061926e-11), w, kLong), kLong);
  const Operand r = settled(u, kShort);
  const Operand k = quarters == 0 ? raw : operation(Op::UADD, {raw, integer(quarters, kShort)}, kShort);
  const Operand square = mul(r, r, kShort);
  const Truth even = compare(Op::UAND, k, integer(1, kShort), kShort, Condition::zero);
  const Operand in_cosine =
      polynomial(square, {0.000024382292197419033, -0.0013886678396504049, 0.041666620682239402, -0.49999999702523794});
  const Operand cosine = add(mul(square, in_cosine, kLong), number(1), kShort);
  const Operand in_sine = polynomial(square, {-0.00019510871377003656, 0.0083321317324891023, -0.16666654229219762});
  const Operand odd_part = mul(mul(square, in_sine, kShort), r, kLong);
  const Operand sine = add(odd_part, u, kShort);
  const Operand y = merge(cosine, sine, even, true);
  const Operand sign =
      operation(Op::UAND, {operation(Op::ULSL, {k, integer(34, kShort)}, kShort), bits("800000000", kShort)}, kShort);
  return operation(Op::UXOR, {y, sign}, kShort);
}

Operand Builder::nearest(const Operand& x, Width width) {
  const Operand magic = number(width == kLong ? kWholeLong : kWhole);
  return sub(add(x, magic, width), magic, width);
}

Operand Builder::to_integer(const Operand& argument) {
  const Operand magnitude = absolute(settled(argument, kShort));
  const Operand shifted = add(magnitude, number(kWhole), kShort);
  const Operand near = sub(shifted, number(kWhole), kShort);
  const Operand whole = operation(Op::USUB, {shifted, bits(kWholeBits, kShort)}, kShort);
  const Truth beyond = compare(Op::FSUB, magnitude, near, kShort, Condition::negative);
  const Operand less = operation(Op::USUB, {whole, integer(1, kShort)}, kShort);
  const Operand towards_zero = merge(whole, less, beyond, true);
  const Truth negative = flag_of(argument, Condition::negative);
  const Operand opposite = operation(Op::USUB, {integer(0, kShort), towards_zero}, kShort);
  return merge(towards_zero, opposite, negative, true);
}

Operand Builder::from_integer(const Operand& n, Width width) {
  if (this->width(n) == kLong)
    return sub(operation(Op::UADD, {n, bits(kWholeLongBits, kLong)}, kLong), number(kWholeLong), width);
  if (width == kShort) return sub(operation(Op::UADD, {n, bits(kWholeBits, kShort)}, kShort), number(kWhole), kShort);
  // 36 bits are more than the fraction of a short word: the upper and the lower 18 by themselves.
  const Operand upper = operation(Op::UASR, {n, integer(18, kShort)}, kShort);
  const Operand lower = operation(Op::UAND, {n, bits("00003ffff", kShort)}, kShort);
  const Operand high = operation(Op::UADD, {upper, bits(kWholeUpperBits, kShort)}, kShort);
  const Operand low = operation(Op::UADD, {lower, bits(kWholeBits, kShort)}, kShort);
  return add(sub(high, number(kWholeUpper + kWhole), kLong), low, kLong);
}

Operand Builder::absolute(const Operand& x) {
  Operand word = x;
  word.negated = false;
  const Width of_word = width(word);
  if (word.kind == Operand::Kind::literal) word = settled(word, of_word);
  return operation(Op::UAND, {word, bits(of_word == kLong ? "7fffffffffffffffff" : "7ffffffff", of_word)}, of_word);
}

Operand Builder::copysign(const Operand& x, const Operand& sign) {
  const Width of_result = width(x);
  const Operand magnitude = absolute(x);
  const Operand bit = operation(
      Op::UAND, {settled(sign, of_result), bits(of_result == kLong ? "800000000000000000" : "800000000", of_result)},
      of_result);
  return operation(Op::UOR, {magnitude, bit}, of_result);
}

}  // namespace gdr::compiler
