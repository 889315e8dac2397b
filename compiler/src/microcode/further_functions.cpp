// Functions in short words that are made of others: powers, error functions, hyperbolic and inverse ones.
#include "builder.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

}  // namespace

/// a^b for a above 0, by the logarithm in a long word.
Operand Builder::power(const Operand& a, const Operand& b) {
  Operand n;
  const Operand l = log_of_long(a, n);
  const Operand binary = add(product(l, number(kLog2OfE), kLong), n, kLong);
  const Operand exponent = settled(b, kShort);
  Operand t = mul(binary, exponent, kLong);
  // 0 times infinity: a^0 and 1^b are 1 for all numbers.
  t = merge(t, number(0), flag_of(exponent, Condition::zero), false);
  t = merge(t, number(0), flag_of(binary, Condition::zero), false);
  t = operation(Op::FMIN, {operation(Op::FMAX, {t, number(-1100)}, kLong), number(1100)}, kLong);
  return exp2_of(t);
}

Operand Builder::cube_root(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  Operand n;
  const Operand l = log_of_long(absolute(x), n);
  const Operand binary = add(product(l, number(kLog2OfE), kLong), n, kLong);
  Operand t = product(binary, number(1.0 / 3), kLong);
  t = operation(Op::FMIN, {operation(Op::FMAX, {t, number(-1100)}, kLong), number(1100)}, kLong);
  return copysign(exp2_of(t), x);
}

/// e^-z^2 t Q(t) for t = 1 / (1 + z/2), Q off by 2^-29. What the rounding of t leaves, 1 - t (1 + z/2), goes in to
/// first order: t Q(t) grows with the power 1 + 1.3 t of t.
Operand Builder::erfc_of(const Operand& z) {
  const Operand t = reciprocal(add(mul(z, number(0.5), kShort), number(1), kShort));
  const Operand back = add(mul(mul(z, t, kLong), number(0.5), kLong), t, kLong);
  const Operand left = sub(number(1), back, kShort);
  const Operand first = mul(left, add(mul(t, short_number(1.3), kShort), number(1), kShort), kShort);
  const Operand q = mul(horner(t, {-0.025057809829069792, 0.14307370151826346, -0.3095937233384507, 0.25533849331333225,
                                   0.0753805721593384, -0.23218282152114972, 0.06219493144548034, -0.04949764882019153,
                                   0.09449464219619676, 0.1746850879110647, 0.24698237994749214, 0.28208724428894205,
                                   0.2820949503950356}),
                        t, kLong);
  const Operand corrected = add(q, mul(q, first, kLong), kLong);
  const Operand square = mul(z, z, kLong);  // exact
  return mul(corrected, exp2_of(product(square, number(-kLog2OfE), kLong)), kShort);
}

Operand Builder::erfc(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand y = erfc_of(operation(Op::FMIN, {absolute(x), number(28)}, kShort));
  const Operand other = sub(number(2), y, kShort);
  return chosen(x, number(0), other, y);
}

Operand Builder::erf(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand z = absolute(x);
  const Operand far = sub(number(1), erfc_of(operation(Op::FMIN, {z, number(28)}, kShort)), kShort);
  const Operand near =
      mul(horner(mul(z, z, kShort), {1.0589669222503694e-06, -1.390944988896889e-05, 0.00011956579464822426,
                                     -0.0008542639342737048, 0.0052237835363087015, -0.02686613324918912,
                                     0.11283791308770137, -0.3761263888964252, 1.128379167094677}),
          z, kShort);
  return copysign(chosen(z, number(1), near, far), x);
}

Operand Builder::tan(const Operand& x) { return quotient(circular(x, 0), circular(x, 1)); }

Operand Builder::expm1(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand far = sub(exp_long(x), number(1), kShort);
  const Operand near = add(x, mul(mul(x, x, kShort), number(0.5), kShort), kShort);
  return chosen(absolute(x), number(0x1p-20), near, far);
}

Operand Builder::tanh(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  // From 20 on it is 1.
  const Operand z = operation(Op::FMIN, {absolute(x), number(20)}, kShort);
  const Operand e = expm1(mul(z, number(2), kShort));
  return copysign(quotient(e, add(e, number(2), kShort)), x);
}

Operand Builder::log1p(const Operand& argument) {
  const Operand x = settled(argument, kShort);
  const Operand far = settled(log_long(add(x, number(1), kLong)), kShort);
  return chosen(absolute(x), number(0x1p-26), x, far);
}

Operand Builder::log10(const Operand& x) { return product(log_long(x), number(0.4342944819032518), kShort); }

/// Both are divided by the power of two of the greater one, by half of it: their squares are numbers.
Operand Builder::hypot(const Operand& a, const Operand& b) {
  const Operand x = settled(a, kShort);
  const Operand y = settled(b, kShort);
  const Operand greater =
      operation(Op::FMAX, {operation(Op::FMAX, {absolute(x), absolute(y)}, kShort), number(0x1p-1021)}, kShort);
  const Operand power = operation(Op::UAND, {greater, bits("7ff000000", kShort)}, kShort);
  const Operand down = operation(Op::USUB, {bits("7ff000000", kShort), power}, kShort);
  const Operand along = mul(x, down, kShort);
  const Operand up = mul(y, down, kShort);
  const Operand root = sqrt(add(mul(along, along, kLong), mul(up, up, kLong), kShort));
  return mul(mul(root, number(0.5), kShort), power, kShort);
}

/// The lesser of both over the greater one, by a polynomial of its square; then by the octant.
Operand Builder::atan2(const Operand& ordinate, const Operand& abscissa) {
  const Operand y = settled(ordinate, kShort);
  const Operand x = settled(abscissa, kShort);
  const Operand up = absolute(y);
  const Operand along = absolute(x);
  const Operand lesser = operation(Op::FMIN, {up, along}, kShort);
  // Not 0 / 0; and infinity / infinity is 1 here.
  const Operand greater = operation(Op::FMAX, {operation(Op::FMAX, {up, along}, kShort), number(0x1p-1000)}, kShort);
  const Operand q = operation(Op::FMIN, {quotient(lesser, greater), number(1)}, kShort);
  const Operand p = horner(mul(q, q, kShort),
                           {-0.0006633960486700137, 0.004732487451595564, -0.015828330421451632, 0.033826229014569734,
                            -0.053956688586216224, 0.07228278741369346, -0.08974172076654932, 0.11091922983234306,
                            -0.14283813257109718, 0.19999901102156253, -0.33333331290885154, 0.9999999999293024});
  const Operand octant = mul(p, q, kLong);
  const Operand half = chosen(along, up, sub(number(kPi / 2), octant, kLong), octant);
  const Operand all = chosen(x, number(0), sub(number(kPi), half, kLong), half);
  return copysign(settled(all, kShort), y);
}

}  // namespace gdr::compiler
