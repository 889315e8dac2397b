// Whole numbers near a number, as numbers.
#include "builder.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

// Numbers from these on are whole. Below, a sum with 1.5 times 2^60 rounds them, and in short words those below 2^23
// one with 1.5 times 2^24.
constexpr double kAllWholeShort = 0x1p24;
constexpr double kAllWholeLong = 0x1p59;
constexpr Bounds kWithinShort{-0x1p23, 0x1p23 - 1};

}  // namespace

/// By halves to even.
Operand Builder::nearest(const Operand& x, Width width, const Bounds& bounds) {
  const double limit = width == kLong ? kAllWholeLong : kAllWholeShort;
  const bool brief = width == kShort && (code_.fast || is_within(bounds, kWithinShort));
  const Operand magic = number(brief ? kWhole : kWholeLong);
  const Operand sum = sub(add(x, magic, brief ? kShort : kLong), magic, width);
  if (brief || code_.fast || is_within(bounds, {-limit, limit})) return sum;
  return chosen(absolute(settled(x, width)), number(limit), sum, settled(x, width));
}

Operand Builder::floor(const Operand& x, Width width, const Bounds& bounds) {
  const Operand near = nearest(x, width, bounds);
  const Truth above = compare(Op::FSUB, x, near, width, Condition::negative);
  return merge(copy(near, width), sub(near, number(1), width), above, true);
}

Operand Builder::ceil(const Operand& x, Width width, const Bounds& bounds) {
  const Operand near = nearest(x, width, bounds);
  const Truth below = compare(Op::FSUB, near, x, width, Condition::negative);
  return merge(copy(near, width), add(near, number(1), width), below, true);
}

Operand Builder::trunc(const Operand& x, Width width, const Bounds& bounds) {
  if (bounds.low >= 0) return floor(x, width, bounds);
  const Operand value = settled(x, width);
  return copysign(floor(absolute(value), width, bounds), value);
}

/// Halves away from 0.
Operand Builder::round(const Operand& x, Width width, const Bounds& bounds) {
  const Operand value = settled(x, width);
  const Operand magnitude = absolute(value);
  const Operand near = nearest(magnitude, width, bounds);
  const Operand rest = sub(magnitude, near, width);
  const Truth half = compare(Op::FSUB, rest, number(0.5), width, Condition::zero);
  const Operand rounded = merge(copy(near, width), add(near, number(1), width), half, true);
  return bounds.low >= 0 ? rounded : copysign(rounded, value);
}

Operand Builder::fraction(const Operand& argument, Width width) {
  const Operand x = settled(argument, width);
  const bool wide = width == kLong;
  const Operand kept = operation(Op::UAND, {x, bits(wide ? "800fffffffffffffff" : "800ffffff", width)}, width);
  const Operand half = operation(Op::UOR, {kept, bits(wide ? "3fe000000000000000" : "3fe000000", width)}, width);
  Truth not_zero = flag_of(x, Condition::zero);
  not_zero.inverted = !not_zero.inverted;
  const Operand made = merge(kept, half, not_zero, true);
  if (code_.fast) return made;
  const Operand largest = bits(wide ? "7fefffffffffffffff" : "7feffffff", width);
  return merge(made, x, compare(Op::FSUB, largest, absolute(x), width, Condition::negative), false);
}

Operand Builder::exponent(const Operand& argument, Width width) {
  const Width of_x = this->width(argument);
  const Operand x = settled(argument, of_x);
  // Without its fraction a number is the same in a short word and a long one.
  const Operand power = operation(Op::UAND, {x, bits(of_x == kLong ? "7ff000000000000000" : "7ff000000", of_x)}, of_x);
  const Operand shifted = operation(Op::ULSR, {settled(power, width), integer(width == kLong ? 60 : 24, width)}, width);
  return operation(Op::USUB, {shifted, integer(1023, width)}, width);
}

}  // namespace gdr::compiler
