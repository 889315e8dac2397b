// Functions of the C library that are made of others.
#include <cmath>

#include "function_reader.h"

namespace gdr::compiler {

/// A power with a constant whole exponent, which numbers below 0 have as well. Of floats: that of the magnitude, with
/// the sign of an odd power; of doubles: products of squares, each of which cuts both factors to 50 bits, so that the
/// error grows with the exponent as that of other powers does. Nothing for other exponents.
std::optional<int> FunctionReader::whole_power(Type type, int base, int exponent) {
  constexpr double kAllWhole = 0x1p24;  // above, every float is even
  constexpr double kMostProducts = 64;
  const Node& of = result_.nodes[static_cast<std::size_t>(exponent)];
  const double count = of.number;
  if (of.act != Act::constant || count != std::trunc(count) || std::fabs(count) > kAllWhole) return std::nullopt;
  if (type == Type::float_long && std::fabs(count) <= kMostProducts) {
    int product = -1;
    int square = base;
    for (auto left = static_cast<unsigned>(std::fabs(count)); left != 0; left /= 2) {
      if (left % 2 == 1) product = product < 0 ? square : add(Act::mul, type, {product, square});
      if (left > 1) square = add(Act::mul, type, {square, square});
    }
    if (product < 0) return number(type, 1);
    return count < 0 ? add(Act::div, type, {number(type, 1), product}) : product;
  }
  const int magnitude = add(Act::power, type, {add(Act::absolute, type, {base}), exponent});
  return std::fmod(count, 2) == 0 ? magnitude : add(Act::copysign, type, {magnitude, base});
}

/// Inverse circular functions and hyperbolic ones.
std::optional<int> FunctionReader::composed(llvm::StringRef name, const llvm::CallInst& next) {
  const std::optional<Type> type = type_of(*next.getType());
  if (!type || !is_float(*type) || next.arg_size() != 1) return std::nullopt;
  const bool is_short = *type == Type::float_short;
  if (is_short) name.consume_back("f");
  const bool inverse = name == "asin" || name == "acos";
  if (!inverse && name != "sinh" && name != "cosh") return std::nullopt;
  const int x = value(next.getArgOperand(0), next);
  if (x < 0) return -1;
  const auto made = [&](Act act, std::vector<int> operands) { return add(act, *type, std::move(operands)); };
  if (inverse) {  // by the other side of a triangle
    const int wide = is_short ? add(Act::widen, Type::float_long, {x}) : x;
    const auto wide_made = [&](Act act, int a, int b) { return add(act, Type::float_long, {a, b}); };
    const int one = number(Type::float_long, 1);
    // The square of a float is exact, but not that of a double.
    const int rest = is_short ? wide_made(Act::sub, one, wide_made(Act::mul, wide, wide))
                              : wide_made(Act::mul, wide_made(Act::sub, one, x), wide_made(Act::add, one, x));
    const int root = made(Act::sqrt, {is_short ? add(Act::narrow, *type, {rest}) : rest});
    return made(Act::atan2, name == "asin" ? std::vector{x, root} : std::vector{root, x});
  }
  const int magnitude = made(Act::absolute, {x});
  const int half = number(*type, 0.5);
  const int one = number(*type, 1);
  if (name == "cosh") {
    const int power = made(Act::exp, {magnitude});
    return made(Act::mul, {made(Act::add, {power, made(Act::div, {one, power})}), half});
  }
  const double small = is_short ? 0x1p-13 : 0x1p-26;  // below, the next term of the series is too small to matter
  constexpr double kGreat = 0x1p60;                   // above, the lesser term is 1; not infinity / infinity
  const int less_one = made(Act::expm1, {magnitude});
  const int limited = made(Act::minimum, {less_one, number(*type, kGreat)});
  const int lesser = made(Act::div, {limited, made(Act::add, {limited, one})});
  const int far = made(Act::mul, {made(Act::add, {less_one, lesser}), half});
  const int is_small = conditions_.comparison(Act::less, magnitude, number(*type, small));
  return made(Act::copysign, {made(Act::select, {is_small, magnitude, far}), x});
}

}  // namespace gdr::compiler
