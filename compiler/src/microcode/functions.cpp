// Functions that no unit computes, by integer seeds, Newton's steps and polynomials, as in kernels/macros/math.vsm.
#include "builder.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

// 2^24 (2 * 1023 - 0.1013): the bits of a number subtracted from it are those of its reciprocal, off by at most 12 %.
constexpr const char* kReciprocalSeed = "7fde61134";
constexpr const char* kFractionSeed = "3fde61134";  // the same for a fraction of a number from 2 to 4
constexpr const char* kInfinity = "7ff000000";
constexpr const char* kLargest = "7feffffff";  // of the finite numbers of a short word
// 1.5 * 2^24 (1023 - 0.0450466): half of a number's bits subtracted from it are those of 1/sqrt, off by at most 3.5 %.
constexpr const char* kRsqrtSeed = "5fe6eb3bd";

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

/// The fraction of `x` as a number from 2 to 4 and the seed of its reciprocal, and 2^(1 - e) with the sign of `x`,
/// whose exponent is e: infinity for 0, and 0 for infinity.
Operand Builder::fraction_of(const Operand& x, Operand& seed, Operand& power) {
  const Operand fraction = operation(Op::UAND, {x, bits("000ffffff", kShort)}, kShort);
  seed = operation(Op::USUB, {bits(kFractionSeed, kShort), fraction}, kShort);
  const Operand rest = operation(Op::UAND, {x, bits("fff000000", kShort)}, kShort);
  power = operation(Op::USUB, {bits(kInfinity, kShort), rest}, kShort);
  return operation(Op::UOR, {fraction, bits("400000000", kShort)}, kShort);
}

Operand Builder::reciprocal(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  if (code_.fast) {
    const Operand r = reciprocal_start(x, operation(Op::USUB, {bits(kReciprocalSeed, kShort), x}, kShort));
    const Operand left = sub(number(1), mul(r, x, kLong), kShort);  // the product is exact
    return add(r, mul(r, left, kShort), kShort);
  }
  Operand seed;
  Operand power;
  const Operand m = fraction_of(x, seed, power);
  const Operand r = reciprocal_start(m, seed);
  const Operand left = sub(number(1), mul(r, m, kLong), kShort);
  return mul(add(r, mul(r, left, kShort), kShort), power, kShort);
}

Operand Builder::quotient(const Operand& dividend, const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand a = width(dividend) == kShort ? dividend : settled(dividend, kShort);
  if (code_.fast) {
    const Operand r = reciprocal_start(x, operation(Op::USUB, {bits(kReciprocalSeed, kShort), x}, kShort));
    const Operand q = mul(r, a, kShort);
    const Operand left = sub(a, mul(q, x, kLong), kShort);
    return add(q, mul(left, r, kShort), kShort);
  }
  Operand seed;
  Operand power;
  const Operand m = fraction_of(x, seed, power);
  const Operand r = reciprocal_start(m, seed);
  const Operand q = mul(r, a, kShort);
  // What is left of an infinite dividend is infinity for both signs: a number in its place lets the sign be.
  const Operand left = operation(Op::FMIN, {sub(a, mul(q, m, kLong), kShort), bits(kLargest, kShort)}, kShort);
  return mul(add(q, mul(left, r, kShort), kShort), power, kShort);
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
  if (code_.fast) {
    const Operand r = rsqrt_start(x, half);
    // For 0 the square is infinite, and the invalid product with 0 is +infinity, as all that follows.
    const Operand left = add(number(0.5), mul(mul(r, r, kLong), half, kLong), kShort);
    return add(r, mul(r, left, kShort), kShort);
  }
  // The start takes the largest number for infinity, so that what is left of it is -infinity at the end alone: -1 in
  // its place makes r - r.
  const Operand r = rsqrt_start(operation(Op::FMIN, {x, bits(kLargest, kShort)}, kShort), half);
  const Operand square = mul(r, mul(r, mul(x, number(-0.5), kShort), kLong), kLong);
  const Operand left = operation(Op::FMAX, {add(number(0.5), square, kShort), number(-1)}, kShort);
  // Infinity for 0, and otherwise a power of two up to 2^1023, which is below 0 less 1.5 times that: no event.
  const Operand exponent = operation(Op::UAND, {x, bits(kInfinity, kShort)}, kShort);
  const Operand power = operation(Op::USUB, {bits(kInfinity, kShort), exponent}, kShort);
  const Operand at_zero = sub(power, number(0x1.8p1023), kShort);
  return operation(Op::FMAX, {add(r, mul(r, left, kShort), kShort), at_zero}, kShort);
}

/// Functions for the end also run in blocks without a pair, whose least result is infinity: there its root is made
/// without the event that it is elsewhere.
Operand Builder::root_at_end(const Operand& argument, Width width, Operand (Builder::*root)(const Operand&)) {
  const Operand x = settled(argument, width);
  const Operand largest = bits(width == kLong ? "7fefffffffffffffff" : kLargest, width);
  const Operand made = (this->*root)(operation(Op::FMIN, {x, largest}, width));
  return merge(made, x, compare(Op::FSUB, largest, x, width, Condition::negative), false);
}

Operand Builder::sqrt(const Operand& argument) {
  return is_end() ? root_at_end(argument, kShort, &Builder::sqrt_anywhere) : sqrt_anywhere(argument);
}

Operand Builder::sqrt_anywhere(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  Operand half;
  const Operand r = rsqrt_start(x, half);
  const Operand s = mul(r, x, kShort);
  const Operand left = sub(x, mul(s, s, kLong), kShort);
  return add(s, mul(mul(left, r, kShort), number(0.5), kShort), kShort);
}

/// For numbers below 2^990, whose reciprocal has corrections that are numbers.
Operand Builder::plain_reciprocal_long(const Operand& x) {
  const Operand r = reciprocal(settled(x, kShort));
  Operand e = sub(number(1), product(x, r, kLong), kLong);
  // Of infinity, and of 0, that is -infinity: with -1 in its place r remains.
  if (!code_.fast) e = operation(Op::FMAX, {e, number(-1)}, kLong);
  const Operand e_short = settled(e, kShort);
  const Operand sum = add(mul(e, e_short, kLong), e, kLong);
  return add(r, mul(sum, r, kLong), kLong);
}

/// A flag for numbers so large that their reciprocals are computed of a hundredth power of two of them.
Truth Builder::is_large(const Operand& x) {
  return compare(Op::FSUB, number(0x1p900), absolute(x), kShort, Condition::negative);
}

Operand Builder::lessened(const Operand& x, const Truth& where) {
  return merge(copy(x, kLong), mul(x, number(0x1p-100), kLong), where, true);
}

Operand Builder::reciprocal_long(const Operand& x) {
  if (code_.fast) return plain_reciprocal_long(x);
  const Truth large = is_large(x);
  return lessened(plain_reciprocal_long(lessened(x, large)), large);
}

Operand Builder::quotient_long(const Operand& a, const Operand& b) {
  if (code_.fast) return product(plain_reciprocal_long(b), a, kLong);
  const Truth large = is_large(b);
  return product(plain_reciprocal_long(lessened(b, large)), lessened(a, large), kLong);
}

/// `about`: x as a short word.
Operand Builder::rsqrt_long_of(const Operand& x, const Operand& about) {
  const Operand r = rsqrt(about);
  const Operand square = mul(r, r, kLong);
  Operand e = sub(number(1), product(x, square, kLong), kLong);
  if (!code_.fast) e = operation(Op::FMAX, {e, number(-1)}, kLong);
  const Operand s = add(mul(e, number(0.375), kLong), number(0.5), kShort);
  return add(r, mul(mul(e, s, kLong), r, kLong), kLong);
}

Operand Builder::rsqrt_long(const Operand& x) { return rsqrt_long_of(x, settled(x, kShort)); }

Operand Builder::sqrt_long(const Operand& x) {
  return is_end() ? root_at_end(x, kLong, &Builder::sqrt_long_anywhere) : sqrt_long_anywhere(x);
}

Operand Builder::sqrt_long_anywhere(const Operand& x) {
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
  return code_.fast ? operation(Op::UADD, {n, m}, kShort) : with_exponent(m, n);
}

/// m 2^n for an `n` shifted to the exponent's place, below 2^11: half of it goes into the bits of `m`, and the other
/// half into a factor, so that what is beyond the range becomes infinity or 0.
Operand Builder::with_exponent(const Operand& m, const Operand& n) {
  const Width width = this->width(m);
  const Operand half =
      operation(Op::UAND, {operation(Op::UASR, {n, integer(1, kShort)}, kShort), bits("fff000000", kShort)}, kShort);
  const Operand rest = operation(Op::USUB, {n, half}, kShort);
  const Operand power = operation(Op::UADD, {rest, bits("3ff000000", kShort)}, kShort);
  // Without a fraction these bits are the same in a long word.
  return mul(operation(Op::UADD, {settled(half, width), m}, width), power, width);
}

Operand Builder::exp2(const Operand& argument) {
  // What is beyond is infinity, or 0, in any case.
  const double low = code_.fast ? -1022 : -1100;
  const double high = code_.fast ? 1023.99993896484375 : 1100;
  const Operand least = operation(Op::FMAX, {argument, short_number(low)}, kShort);
  return exp2_of(operation(Op::FMIN, {least, short_number(high)}, kShort));
}

Operand Builder::exp(const Operand& argument) {
  const double low = code_.fast ? -708.3963623046875 : -760;
  const double high = code_.fast ? 709.78265380859375 : 760;
  const Operand least = operation(Op::FMAX, {argument, short_number(low)}, kShort);
  const Operand x = operation(Op::FMIN, {least, short_number(high)}, kShort);
  return exp2_of(mul(number(1.4426950408889634), x, kLong));
}

/// `n`, and in its place -infinity where `x` is 0, infinity where it is that.
Operand Builder::with_ends(const Operand& n, const Operand& x) {
  if (code_.fast) return n;
  const Truth zero = flag_of(x, Condition::zero);
  const Operand above = merge(n, bits("fff000000", kShort), zero, false);
  const Truth infinite = compare(Op::FSUB, bits(kLargest, kShort), x, kShort, Condition::negative);
  return merge(above, bits(kInfinity, kShort), infinite, false);
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
  n = with_ends(n, x);
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
