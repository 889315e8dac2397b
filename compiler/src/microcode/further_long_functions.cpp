// Functions in long words that are made of others: powers, error functions, hyperbolic and inverse ones. Polynomials
// interpolate at Chebyshev's points.
#include "builder.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

constexpr double kAlmostOne = 28;  // from here on erf is 1, and erfc is 0

}  // namespace

Operand Builder::log2_long(const Operand& x) {
  Operand n;
  const Operand l = log_of_long(x, n);
  return add(product(l, number(kLog2OfE), kLong), n, kLong);
}

Operand Builder::log10_long(const Operand& x) { return product(log_long(x), number(0.4342944819032518), kLong); }

/// a^b for a = 2^n m above 0: n b in parts that are exact, so that what is left is the error of log2(m), times b.
Operand Builder::power_long(const Operand& a, const Operand& argument) {
  constexpr double kMost = 0x1p1000;  // not infinity, of which 0 times is no number
  constexpr double kMostExponent = 2000;
  Operand n;
  const Operand l = product(log_of_long(a, n), number(kLog2OfE), kLong);
  Operand b = operation(Op::FMAX, {argument, number(-kMost)}, kLong);
  b = operation(Op::FMIN, {b, number(kMost)}, kLong);
  const Operand upper = settled(b, kShort);
  const Operand lower = sub(b, upper, kLong);
  const Operand finite =
      operation(Op::FMIN, {operation(Op::FMAX, {n, number(-kMostExponent)}, kShort), number(kMostExponent)}, kShort);
  Operand t = add(mul(lower, finite, kLong), product(l, b, kLong), kLong);
  t = add(mul(n, upper, kLong), t, kLong);
  t = merge(t, number(0), flag_of(upper, Condition::zero), false);
  return exp2_long(t);
}

/// As a float, and once Halley's step of what is left: r (1 - d)^-1/3 with d = 1 - r^3 / x.
Operand Builder::cube_root_long(const Operand& argument) {
  const Operand x = settled(argument, kLong);
  const Operand magnitude = absolute(x);
  // What is left of a smaller one would be 0.
  const Truth small = compare(Op::FSUB, magnitude, number(0x1p-900), kShort, Condition::negative);
  const Operand z = merge(copy(magnitude, kLong), mul(magnitude, number(0x1p600), kLong), small, true);
  const Operand r = cube_root(z);
  const Operand cube = mul(mul(r, r, kLong), r, kLong);
  Operand d = quotient(sub(z, cube, kLong), z);
  // Of 0 and infinity that is infinity: a number in its place lets 0 and infinity be.
  d = operation(Op::FMIN, {d, number(0.5)}, kShort);
  const Operand inner = add(mul(d, short_number(2.0 / 9), kShort), short_number(1.0 / 3), kShort);
  const Operand root = add(r, mul(mul(d, inner, kShort), r, kLong), kLong);
  return copysign(merge(copy(root, kLong), mul(root, number(0x1p-200), kLong), small, true), x);
}

Operand Builder::expm1_long(const Operand& argument) {
  constexpr std::size_t kWide = 4;
  const Operand x = settled(argument, kLong);
  const Operand far = sub(exp_long(x), number(1), kLong);
  const Operand q = horner(settled(x, kShort),
                           {7.746178593018827e-13, 1.1639194124150522e-11, 1.6057679623801638e-10,
                            2.0874435575864273e-09, 2.5052117695907823e-08, 2.755733506893373e-07,
                            2.7557319191381816e-06, 2.4801587246096818e-05, 0.00019841269841324198,
                            0.0013888888888981404, 0.008333333333333299, 0.04166666666666609, 0.16666666666666666, 0.5},
                           x, kWide);
  const Operand near = add(product(product(x, x, kLong), q, kLong), x, kLong);
  return chosen(absolute(x), number(1), near, far);
}

/// ln(1 + x) and what the rounding of 1 + x leaves, which is too little to be divided by 1 + x, and from 1/2 on too
/// little for anything.
Operand Builder::log1p_long(const Operand& argument) {
  const Operand x = settled(argument, kLong);
  const Operand sum = add(x, number(1), kLong);
  const Operand left = sub(x, sub(sum, number(1), kLong), kLong);
  const Operand far = log_long(sum);
  return chosen(absolute(x), number(0.5), add(left, far, kLong), far);
}

Operand Builder::tan_long(const Operand& x) {
  return product(plain_reciprocal_long(circular_long(x, 1)), circular_long(x, 0), kLong);
}

Operand Builder::tanh_long(const Operand& argument) {
  const Operand x = settled(argument, kLong);
  // From 22 on it is 1.
  const Operand z = operation(Op::FMIN, {absolute(x), number(22)}, kLong);
  const Operand e = expm1_long(add(z, z, kLong));
  return copysign(product(plain_reciprocal_long(add(e, number(2), kLong)), e, kLong), x);
}

/// The lesser of both over the greater one, q; from tan(pi / 8) on (q - 1) / (q + 1), whose arc is less by pi / 4.
Operand Builder::atan2_long(const Operand& ordinate, const Operand& abscissa) {
  constexpr double kTanOfEighth = 0.4142135;
  constexpr std::size_t kWide = 2;
  const Operand y = settled(ordinate, kLong);
  const Operand x = settled(abscissa, kLong);
  const Operand up = absolute(y);
  const Operand along = absolute(x);
  const Operand lesser = operation(Op::FMIN, {up, along}, kLong);
  const Operand greater = operation(Op::FMAX, {operation(Op::FMAX, {up, along}, kLong), number(0x1p-1000)}, kLong);
  const Operand half_lesser = mul(lesser, number(0.5), kLong);  // half, because the sum of both may be no number
  const Operand half_greater = mul(greater, number(0.5), kLong);
  const Operand bound = mul(greater, short_number(kTanOfEighth), kLong);
  // infinity - infinity is +infinity: 0 in its place
  const Operand difference = operation(Op::FMIN, {sub(half_lesser, half_greater, kLong), number(0)}, kLong);
  const Operand dividend = chosen(lesser, bound, lesser, difference);
  const Operand divisor = chosen(lesser, bound, greater, add(half_lesser, half_greater, kLong));
  const Operand base = chosen(lesser, bound, number(0), number(kPi / 4));
  const Operand t = quotient_long(dividend, divisor);
  const Operand u = product(t, t, kLong);
  const Operand p = horner(settled(u, kShort),
                           {-0.019159725091616477, 0.0392176366297811, -0.050849641030460704, 0.05858056056366332,
                            -0.0666450075208295, 0.07692182431100643, -0.09090904545402377, 0.11111111014450581,
                            -0.1428571428465652, 0.19999999999995471, -0.3333333333333333},
                           u, kWide);
  const Operand octant = add(add(product(product(p, u, kLong), t, kLong), t, kLong), base, kLong);
  const Operand half = chosen(along, up, sub(number(kPi / 2), octant, kLong), octant, kLong);
  const Operand all = chosen(x, number(0), sub(number(kPi), half, kLong), half);
  return copysign(settled(all, kLong), y);
}

/// As hypot().
Operand Builder::hypot_long(const Operand& a, const Operand& b) {
  const Operand x = settled(a, kLong);
  const Operand y = settled(b, kLong);
  // The power of two of the greater one, without rounding it up to the next.
  const Operand greater = operation(Op::FMAX, {absolute(x), absolute(y)}, kLong);
  const Operand exponent = operation(Op::UAND, {greater, bits("7ff000000000000000", kLong)}, kLong);
  const Operand power = operation(Op::FMAX, {exponent, number(0x1p-1021)}, kShort);
  const Operand down = operation(Op::USUB, {bits("7ff000000", kShort), power}, kShort);
  const Operand along = mul(x, down, kLong);
  const Operand up = mul(y, down, kLong);
  const Operand root = sqrt_long(add(product(along, along, kLong), product(up, up, kLong), kLong));
  return mul(mul(root, number(0.5), kLong), power, kLong);
}

/// e^-z^2 t Q(2 t - 1) with t = 1 / (1 + z/2). The square of z is made of exact parts.
Operand Builder::erfc_of_long(const Operand& z) {
  const Operand t = plain_reciprocal_long(add(mul(z, number(0.5), kLong), number(1), kLong));
  const Operand s = sub(add(t, t, kLong), number(1), kLong);
  const Operand q =
      horner(s, {3.5462289939727356e-10, 2.0442494493067023e-10,  -5.723269525569585e-09, 6.892927127141499e-09,
                 2.0694930585870384e-08, -5.5667389003174236e-08, 8.291542616479091e-09,  1.6067701672520394e-07,
                 -2.931610559938965e-07, 1.1258984694794522e-09,  1.0047672991965508e-06, -1.8232954056125307e-06,
                 -5.641205080130862e-07, 8.06099545834912e-06,    -1.084776538506864e-05, -1.7074576506131394e-05,
                 7.223530915625365e-05,  -1.718569886068617e-05,  -0.0003315367441839165, 0.00041864802947876137,
                 0.0015453060289201054,  -0.0032395925337778833,  -0.010755330944715187,  0.018221115753437257,
                 0.13973604627802694,    0.3435803422069053,      0.5107913526210115});
  const Operand h = settled(z, kShort);
  const Operand rest = product(add(z, h, kLong), sub(z, h, kLong), kLong);
  const Operand square = add(mul(h, h, kLong), rest, kLong);
  const Operand power = exp_long(sub(number(0), square, kLong));
  return product(product(q, t, kLong), power, kLong);
}

Operand Builder::erfc_long(const Operand& argument) {
  const Operand x = settled(argument, kLong);
  const Operand y = erfc_of_long(operation(Op::FMIN, {absolute(x), number(kAlmostOne)}, kLong));
  return chosen(x, number(0), sub(number(2), y, kLong), y);
}

Operand Builder::erf_long(const Operand& argument) {
  constexpr std::size_t kWide = 3;
  const Operand x = settled(argument, kLong);
  const Operand z = operation(Op::FMIN, {absolute(x), number(kAlmostOne)}, kLong);
  const Operand far = sub(number(1), erfc_of_long(z), kLong);
  const Operand u = product(z, z, kLong);
  const Operand p = horner(
      settled(u, kShort),
      {5.957176147748911e-11, -1.1372848856791674e-09, 1.4659775274047436e-08, -1.6350312701054695e-07,
       1.6461000484121368e-06, -1.4925595266831182e-05, 0.0001205533111164271, -0.000854832698083379,
       0.0052239776248180145, -0.026866170645076792, 0.11283791670954879, -0.3761263890318375, 1.1283791670955126},
      u, kWide);
  return copysign(chosen(z, number(1), product(p, z, kLong), far), x);
}

}  // namespace gdr::compiler
