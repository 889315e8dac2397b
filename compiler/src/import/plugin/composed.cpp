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

/// A power with an exponent that is known only when the kernel runs. A base below 0 has whole exponents only, and a
/// power with the sign of those that are odd.
int FunctionReader::signed_power(Type type, int base, int exponent) {
  if (base < 0 || exponent < 0) return -1;
  if (bounds(base).low >= 0) return add(Act::power, type, {base, exponent});
  const int power = add(Act::power, type, {add(Act::absolute, type, {base}), exponent});
  const int half = add(Act::mul, type, {exponent, number(type, 0.5)});
  const int odd = conditions_.comparison(Act::less, add(Act::floor, type, {half}), half);  // infinity is even
  const int with_sign = conditions_.both(conditions_.comparison(Act::less, base, number(type, 0)), odd);
  return add(Act::select, type, {with_sign, add(Act::negate, type, {power}), power});
}

/// Functions that are made of others; nothing if the name is none of them.
std::optional<int> FunctionReader::composed(llvm::StringRef name, const llvm::CallInst& next) {
  const std::optional<Type> type = type_of(*next.getType());
  if (!type || !is_float(*type)) return std::nullopt;
  if (*type == Type::float_short) name.consume_back("f");
  const auto operand = [&](unsigned n) { return value(next.getArgOperand(n), next); };
  if (next.arg_size() == 1 && next.getArgOperand(0)->getType() == next.getType()) {
    if (name == "tgamma" || name == "lgamma") return gamma_function(*type, operand(0), name == "lgamma");
    if (name == "exp10") {
      const int x = operand(0);
      return x < 0 ? -1 : add(Act::power, *type, {number(*type, 10), x});
    }
    const bool inverse_hyperbolic = name == "asinh" || name == "acosh" || name == "atanh";
    if (!inverse_hyperbolic && name != "asin" && name != "acos" && name != "sinh" && name != "cosh")
      return std::nullopt;
    const int x = operand(0);
    if (x < 0) return -1;
    return inverse_hyperbolic ? area_function(name, *type, x) : of_exponentials_or_arcs(name, *type, x);
  }
  if (next.arg_size() != 2) return std::nullopt;
  const bool scales = name == "ldexp" || name == "scalbn" || name == "scalbln";
  if (!scales && name != "fmod" && name != "remainder" && name != "fdim") return std::nullopt;
  const int x = operand(0);
  const int y = operand(1);
  if (x < 0 || y < 0) return -1;
  if (scales) return scaled(*type, x, as_number(y, next.getArgOperand(1)->getType()->getIntegerBitWidth(), true));
  if (name == "fdim")
    return add(Act::select, *type,
               {conditions_.comparison(Act::less, y, x), add(Act::sub, *type, {x, y}), number(*type, 0)});
  return what_is_left(*type, x, y, name == "remainder");
}

/// x 2^n in two factors, of which neither leaves the range unless the product does. Products cut long words to 50 bits,
/// so that a double is multiplied in two parts; the lesser one of a number below 2^-970 may be too small for a word.
/// Infinity less infinity, and infinity times 0, are infinity without the sign of x.
int FunctionReader::scaled(Type type, int x, int n) {
  constexpr std::int64_t kLeast = -2100;  // below, all but infinity is 0
  constexpr std::int64_t kMost = 2046;    // above, all but 0 is infinity; half of it is the greatest finite power
  constexpr double kMostOfOne = 1022;
  constexpr double kMostOfShort = 0x1.ffffffp1023;  // above, the upper part would be infinity
  std::vector<int> powers;
  const Node exponent = result_.nodes[static_cast<std::size_t>(n)];
  const auto constant = static_cast<double>(exponent.integer);
  const bool is_one = exponent.act == Act::constant && std::fabs(constant) <= kMostOfOne;
  if (is_one) {
    powers.push_back(number(Type::float_short, std::exp2(constant)));
  } else {
    const int least = add(Act::imax, exponent.type, {n, integer(exponent.type, kLeast)});
    const int whole = add(Act::imin, exponent.type, {least, integer(exponent.type, kMost)});
    const int half = add(Act::shift_right, exponent.type, {whole, integer(exponent.type, 1)});
    for (const int part : {half, add(Act::isub, exponent.type, {whole, half})})
      powers.push_back(add(Act::exp2, Type::float_short, {add(Act::from_integer, Type::float_short, {part})}));
  }
  const auto product = [&](int factor) {
    for (const int power : powers)
      factor = add(Act::mul, type, {factor, type == Type::float_long ? add(Act::widen, type, {power}) : power});
    return factor;
  };
  if (type == Type::float_short) return is_one ? product(x) : add(Act::copysign, type, {product(x), x});
  const int least = add(Act::maximum, type, {x, number(type, -kMostOfShort)});
  const int finite = add(Act::minimum, type, {least, number(type, kMostOfShort)});
  const int upper = add(Act::widen, type, {add(Act::narrow, Type::float_short, {finite})});
  const int sum = add(Act::add, type, {product(upper), product(add(Act::sub, type, {x, upper}))});
  return is_one && constant <= 0 ? sum : add(Act::copysign, type, {sum, x});
}

/// x less the multiple of y that is nearest to it, or next to it towards 0. The quotient is known to a unit if it is
/// below 2^22; products by it are exact, with y in two parts. `quotient`: that of the magnitudes, if it is the nearest.
int FunctionReader::what_is_left(Type type, int x, int y, bool nearest, int* quotient) {
  const auto wide = [&](int of) { return type == Type::float_long ? of : add(Act::widen, Type::float_long, {of}); };
  const auto brief = [&](int of) { return add(Act::narrow, Type::float_short, {of}); };
  const auto made = [&](Act act, int one, int other) { return add(act, Type::float_long, {one, other}); };
  const auto chosen = [&](int less, int greater, int yes, int no) {
    return add(Act::select, Type::float_long, {conditions_.comparison(Act::less, less, greater), yes, no});
  };
  const int a = add(Act::absolute, Type::float_long, {wide(x)});
  const int b = add(Act::absolute, Type::float_long, {wide(y)});
  const int about = add(Act::div, Type::float_short, {brief(a), brief(b)});
  const int q = add(nearest ? Act::nearest : Act::trunc, Type::float_short, {about});
  const int count = add(Act::widen, Type::float_long, {q});
  const int upper = add(Act::widen, Type::float_long, {brief(b)});
  int rest = made(Act::sub, a, made(Act::mul, upper, count));
  if (type == Type::float_long) rest = made(Act::sub, rest, made(Act::mul, made(Act::sub, b, upper), count));
  const int zero = number(Type::float_long, 0);
  if (!nearest) {
    rest = chosen(rest, zero, made(Act::add, rest, b), rest);
    rest = chosen(rest, b, rest, made(Act::sub, rest, b));
    rest = chosen(a, b, a, rest);  // of an infinite y, too
    const int signed_rest = add(Act::copysign, Type::float_long, {rest, wide(x)});
    return type == Type::float_long ? signed_rest : brief(signed_rest);
  }
  const int half = made(Act::mul, b, number(Type::float_long, 0.5));
  const int one = number(Type::float_long, 1);
  const int minus_half = add(Act::negate, Type::float_long, {half});
  const int below = conditions_.comparison(Act::less, rest, minus_half);
  const int above = conditions_.comparison(Act::less, half, rest);
  const int step = add(Act::select, Type::float_long, {above, one, zero});
  const int whole = made(Act::sub, made(Act::add, count, step), add(Act::select, Type::float_long, {below, one, zero}));
  int left = made(Act::sub, rest, add(Act::select, Type::float_long, {above, b, zero}));
  left = made(Act::add, left, add(Act::select, Type::float_long, {below, b, zero}));
  // Half of y on either side: that of the even multiple.
  const int halved = made(Act::mul, whole, number(Type::float_long, 0.5));
  const int even = conditions_.comparison(Act::equal, halved, add(Act::floor, Type::float_long, {halved}));
  const int tied = conditions_.comparison(Act::equal, add(Act::absolute, Type::float_long, {left}), half);
  const int other = conditions_.both(tied, conditions_.opposite(even));
  if (quotient != nullptr) {
    const int further = chosen(zero, left, one, number(Type::float_long, -1));
    const int nearest = made(Act::add, whole, add(Act::select, Type::float_long, {other, further, zero}));
    *quotient = chosen(a, half, zero, nearest);
  }
  left = add(Act::select, Type::float_long, {other, add(Act::negate, Type::float_long, {left}), left});
  left = chosen(a, half, a, left);
  const int opposite = add(Act::negate, Type::float_long, {left});
  const int signed_rest = chosen(wide(x), zero, opposite, left);
  return type == Type::float_long ? signed_rest : brief(signed_rest);
}

/// Inverse hyperbolic functions, in long words.
int FunctionReader::area_function(llvm::StringRef name, Type type, int x) {
  constexpr double kGreat = 0x1p60;  // from here on the root is x
  constexpr double kLn2 = 0.6931471805599453;
  const Type wide = Type::float_long;
  const auto made = [&](Act act, int one, int other) { return add(act, wide, {one, other}); };
  const auto root = [&](int of) { return add(Act::sqrt, wide, {of}); };
  const int argument = type == wide ? x : add(Act::widen, wide, {x});
  const int one = number(wide, 1);
  const int z = name == "acosh" ? argument : add(Act::absolute, wide, {argument});
  int area = -1;
  if (name == "atanh") {
    const int ratio = made(Act::div, made(Act::add, z, z), made(Act::sub, one, z));
    area = made(Act::mul, add(Act::log1p, wide, {ratio}), number(wide, 0.5));
  } else {
    const int limited = made(Act::minimum, z, number(wide, kGreat));
    int less_one = -1;
    if (name == "asinh") {
      const int square = made(Act::mul, limited, limited);
      const int divisor = made(Act::add, one, root(made(Act::add, one, square)));
      less_one = made(Act::add, limited, made(Act::div, square, divisor));
    } else {
      const int above = made(Act::sub, limited, one);
      const int product = made(Act::mul, above, made(Act::add, limited, one));
      less_one = made(Act::add, above, root(product));
    }
    const int far = made(Act::add, add(Act::log, wide, {z}), number(wide, kLn2));
    const int is_great = conditions_.comparison(Act::less, number(wide, kGreat), z);
    area = add(Act::select, wide, {is_great, far, add(Act::log1p, wide, {less_one})});
  }
  if (name != "acosh") area = made(Act::copysign, area, argument);
  return type == wide ? area : add(Act::narrow, type, {area});
}

/// Inverse circular functions and hyperbolic ones.
int FunctionReader::of_exponentials_or_arcs(llvm::StringRef name, Type type, int x) {
  const bool is_short = type == Type::float_short;
  const auto made = [&](Act act, std::vector<int> operands) { return add(act, type, std::move(operands)); };
  if (name == "asin" || name == "acos") {  // by the other side of a triangle
    const int wide = is_short ? add(Act::widen, Type::float_long, {x}) : x;
    const auto wide_made = [&](Act act, int a, int b) { return add(act, Type::float_long, {a, b}); };
    const int one = number(Type::float_long, 1);
    // The square of a float is exact, but not that of a double.
    const int rest = is_short ? wide_made(Act::sub, one, wide_made(Act::mul, wide, wide))
                              : wide_made(Act::mul, wide_made(Act::sub, one, x), wide_made(Act::add, one, x));
    const int root = made(Act::sqrt, {is_short ? add(Act::narrow, type, {rest}) : rest});
    return made(Act::atan2, name == "asin" ? std::vector{x, root} : std::vector{root, x});
  }
  const int magnitude = made(Act::absolute, {x});
  const int half = number(type, 0.5);
  const int one = number(type, 1);
  if (name == "cosh") {
    const int power = made(Act::exp, {magnitude});
    return made(Act::mul, {made(Act::add, {power, made(Act::div, {one, power})}), half});
  }
  const double small = is_short ? 0x1p-13 : 0x1p-26;  // below, the next term of the series is too small to matter
  constexpr double kGreat = 0x1p60;                   // above, the lesser term is 1; not infinity / infinity
  const int less_one = made(Act::expm1, {magnitude});
  const int limited = made(Act::minimum, {less_one, number(type, kGreat)});
  const int lesser = made(Act::div, {limited, made(Act::add, {limited, one})});
  const int far = made(Act::mul, {made(Act::add, {less_one, lesser}), half});
  const int is_small = conditions_.comparison(Act::less, magnitude, number(type, small));
  return made(Act::copysign, {made(Act::select, {is_small, magnitude, far}), x});
}

}  // namespace gdr::compiler
