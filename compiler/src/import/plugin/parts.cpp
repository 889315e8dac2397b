// Functions of the C library that take numbers apart, or ask for their kind.
#include <cmath>
#include <limits>

#include "function_reader.h"
#include "preparation/pointer_functions.h"

namespace gdr::compiler {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

/// Exponents, fractions and quotients; nothing if the name is none of them.
std::optional<int> FunctionReader::taken_apart(llvm::StringRef name, const llvm::CallInst& next) {
  if (next.arg_empty() || !type_of(*next.getArgOperand(0)->getType()) || !type_of(*next.getType())) return std::nullopt;
  const Type type = *type_of(*next.getArgOperand(0)->getType());
  if (!is_float(type)) return std::nullopt;
  for (const llvm::Value* argument : next.args()) {
    if (argument->getType() != next.getArgOperand(0)->getType()) return std::nullopt;
  }
  if (type == Type::float_short) name.consume_back("f");
  const auto operand = [&](unsigned n) { return value(next.getArgOperand(n), next); };
  const auto is = [&](const char* known, unsigned operands) { return name == known && next.arg_size() == operands; };
  const bool same = *type_of(*next.getType()) == type;
  const bool whole = next.getType()->isIntegerTy(32);
  if (same && is(kFrexpFraction, 1)) return add(Act::fraction, type, {operand(0)});
  if ((whole && (is(kFrexpExponent, 1) || is("ilogb", 1))) || (same && is("logb", 1)))
    return exponent_of(name, type, operand(0));
  if (same && is(kModfRest, 1)) return behind_the_point(type, operand(0));
  if (whole && is(kRemquoQuotient, 2)) return low_quotient(type, operand(0), operand(1));
  return std::nullopt;
}

/// Of frexp, whose fractions are below 1; of ilogb and logb, whose fractions are below 2.
int FunctionReader::exponent_of(llvm::StringRef name, Type type, int x) {
  if (x < 0) return -1;
  const Type whole = Type::int_short;
  const int exponent = add(Act::exponent, whole, {x});
  const int is_zero = conditions_.comparison(Act::equal, x, number(type, 0));
  if (name == kFrexpExponent)
    return add(Act::select, whole, {is_zero, integer(whole, 0), add(Act::iadd, whole, {exponent, integer(whole, 1)})});
  const int is_infinite = infinite(type, x);
  if (name == "ilogb") {
    const int of_finite = add(Act::select, whole, {is_zero, integer(whole, FP_ILOGB0), exponent});
    return add(Act::select, whole, {is_infinite, integer(whole, std::numeric_limits<int>::max()), of_finite});
  }
  const int of_number = add(Act::from_integer, type, {exponent});
  const int of_finite = add(Act::select, type, {is_zero, number(type, -kInfinite), of_number});
  return add(Act::select, type, {is_infinite, number(type, kInfinite), of_finite});
}

/// A truth value: beyond the largest number. Two infinities have no difference that is 0.
int FunctionReader::infinite(Type type, int x) {
  const double largest = type == Type::float_short ? 0x1.ffffffp1023 : std::numeric_limits<double>::max();
  return conditions_.comparison(Act::less, number(type, largest), add(Act::absolute, type, {x}));
}

/// x less its whole part, with its sign; 0 of infinity.
int FunctionReader::behind_the_point(Type type, int x) {
  if (x < 0) return -1;
  const int magnitude = add(Act::absolute, type, {x});
  const int whole = add(Act::floor, type, {magnitude});
  const int has_rest = conditions_.comparison(Act::less, whole, magnitude);
  const int rest = add(Act::sub, type, {magnitude, whole});
  return add(Act::copysign, type, {add(Act::select, type, {has_rest, rest, number(type, 0)}), x});
}

/// The three lowest bits of the quotient of remquo, with its sign, as the C library of the host has it.
int FunctionReader::low_quotient(Type type, int x, int y) {
  if (x < 0 || y < 0) return -1;
  int whole = -1;
  static_cast<void>(what_is_left(type, x, y, true, &whole));
  const Type integers = Type::int_short;
  const int count = within(add(Act::to_integer, integers, {whole}), {0, 0x1p22});
  const int low = add(Act::iand, integers, {count, integer(integers, 7)});
  const int zero = number(type, 0);
  const int opposite = add(Act::isub, integers, {integer(integers, 0), low});
  const int x_below = conditions_.comparison(Act::less, x, zero);
  const int y_below = conditions_.comparison(Act::less, y, zero);
  return add(Act::select, integers,
             {conditions_.choice(x_below, conditions_.opposite(y_below), y_below), opposite, low});
}

/// What the kinds of numbers in `mask` are, of which there is neither NaN nor one below the normal numbers here. Zero
/// has no sign.
int FunctionReader::is_of_class(const llvm::IntrinsicInst& next) {
  const std::optional<Type> type = type_of(*next.getArgOperand(0)->getType());
  if (!type || !is_float(*type)) return refuse(next, kTypes);
  const auto mask = llvm::cast<llvm::ConstantInt>(next.getArgOperand(1))->getZExtValue();
  const int x = value(next.getArgOperand(0), next);
  if (x < 0) return -1;
  const auto wanted = [&](llvm::FPClassTest kind) { return truth((mask & kind) != 0); };
  const int below = conditions_.comparison(Act::less, x, number(*type, 0));
  const int finite = conditions_.choice(below, wanted(llvm::fcNegNormal), wanted(llvm::fcPosNormal));
  const int far = conditions_.choice(below, wanted(llvm::fcNegInf), wanted(llvm::fcPosInf));
  const int is_zero = conditions_.comparison(Act::equal, x, number(*type, 0));
  const int near = conditions_.choice(is_zero, wanted(llvm::fcZero), finite);
  return conditions_.choice(infinite(*type, x), far, near);
}

}  // namespace gdr::compiler
