#include "bounds.h"

#include <algorithm>
#include <cmath>

namespace gdr::compiler {
namespace {

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();

/// 0 times infinity is 0 here: an end that is not known belongs to finite numbers.
double product_of(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Bounds product_of(const Bounds& a, const Bounds& b) {
  const auto [low, high] = std::minmax(
      {product_of(a.low, b.low), product_of(a.low, b.high), product_of(a.high, b.low), product_of(a.high, b.high)});
  return {low, high};
}

/// The numbers between two powers of two within which all bits above are copies of the sign.
Bounds same_sign_bits(const Bounds& a, const Bounds& b) {
  const double least = std::min(a.low, b.low);
  const double most = std::max(a.high, b.high);
  if (least < -0x1p71 || most > 0x1p71) return {};
  double power = 1;
  while (most >= power || least < -power) power *= 2;
  return {least < 0 ? -power : 0, power - 1};
}

Bounds magnitude(const Bounds& a) {
  const double most = std::max(std::fabs(a.low), std::fabs(a.high));
  if (a.low >= 0) return a;
  return a.high <= 0 ? Bounds{-a.high, -a.low} : Bounds{0, most};
}

/// Bits of both are set: none above those of a number without a sign.
Bounds conjunction(const Bounds& a, const Bounds& b) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  if (b.low >= 0) return {0, b.high};
  return same_sign_bits(a, b);
}

Bounds shifted_right(const Bounds& a, const Bounds& count) {
  if (count.low != count.high) return {std::min(a.low, 0.0), std::max(a.high, 0.0)};
  return {std::floor(std::ldexp(a.low, -static_cast<int>(count.low))),
          std::floor(std::ldexp(a.high, -static_cast<int>(count.low)))};
}

Bounds in_word(const Bounds& bounds, Type type) {
  if (is_float(type)) return bounds;
  // Words have four bits more than integers of 32 bits, and eight more than those of 64.
  return is_within(bounds, bounds_of_bits(is_long(type) ? 72 : 36, true)) ? bounds : Bounds{};
}

Bounds of_operation(const Node& node, const std::vector<Node>& nodes) {
  const auto operand = [&](std::size_t n) -> const Bounds& {
    return nodes[static_cast<std::size_t>(node.operands[n])].bounds;
  };
  switch (node.act) {
    case Act::constant: {
      const double value = is_float(node.type) ? node.number : static_cast<double>(node.integer);
      return {value, value};
    }
    case Act::add:
    case Act::iadd:
      return {operand(0).low + operand(1).low, operand(0).high + operand(1).high};
    case Act::sub:
    case Act::isub:
      return {operand(0).low - operand(1).high, operand(0).high - operand(1).low};
    case Act::mul:
    case Act::imul:
      return product_of(operand(0), operand(1));
    case Act::negate:
      return {-operand(0).high, -operand(0).low};
    case Act::widen:
    case Act::narrow:
    case Act::from_integer:
      return operand(0);
    case Act::nearest:
      return {std::nearbyint(operand(0).low), std::nearbyint(operand(0).high)};
    case Act::absolute:
      return magnitude(operand(0));
    case Act::minimum:
    case Act::imin:
      return {std::min(operand(0).low, operand(1).low), std::min(operand(0).high, operand(1).high)};
    case Act::maximum:
    case Act::imax:
      return {std::max(operand(0).low, operand(1).low), std::max(operand(0).high, operand(1).high)};
    case Act::sqrt:
    case Act::rsqrt:
    case Act::exp:
    case Act::exp2:
    case Act::power:
    case Act::erfc:
    case Act::hypot:
      return {0, kBeyondAll};
    case Act::sin:
    case Act::cos:
    case Act::erf:
    case Act::tanh:
      return {-1, 1};
    case Act::fraction:
      return {operand(0).low >= 0 ? 0 : -kBeyondAll, operand(0).high <= 0 ? 0 : kBeyondAll};
    case Act::exponent:
      return {-1023, 1024};
    case Act::floor:
      return {std::floor(operand(0).low), std::floor(operand(0).high)};
    case Act::ceil:
      return {std::ceil(operand(0).low), std::ceil(operand(0).high)};
    case Act::round:
      return {std::round(operand(0).low), std::round(operand(0).high)};
    case Act::trunc:
    case Act::to_integer:
      return {std::trunc(operand(0).low), std::trunc(operand(0).high)};
    case Act::iand:
      return conjunction(operand(0), operand(1));
    case Act::ior:
    case Act::ixor:
      return same_sign_bits(operand(0), operand(1));
    case Act::shift_left:
      if (operand(1).low != operand(1).high || operand(1).low < 0 || operand(1).low > 71) return {};
      return product_of(operand(0), {std::ldexp(1, static_cast<int>(operand(1).low)),
                                     std::ldexp(1, static_cast<int>(operand(1).low))});
    case Act::shift_right:
      return shifted_right(operand(0), operand(1));
    case Act::shift_right_unsigned:
      return operand(0).low >= 0 ? shifted_right(operand(0), operand(1)) : Bounds{};
    case Act::idiv: {
      const double most = std::max(std::fabs(operand(0).low), std::fabs(operand(0).high));
      const bool positive = operand(0).low >= 0 && operand(1).low >= 0;
      return {positive ? 0 : -most, most};
    }
    case Act::iremainder: {
      const double most = magnitude(operand(1)).high;
      const double of_sign = std::min(magnitude(operand(0)).high, most);
      return {operand(0).low >= 0 ? 0 : -of_sign, of_sign};
    }
    case Act::sign_extend:
      return bounds_of_bits(static_cast<unsigned>(node.integer), true);
    case Act::zero_extend:
      return bounds_of_bits(static_cast<unsigned>(node.integer), false);
    case Act::leading_zeros:
      return {0, static_cast<double>(node.integer)};
    case Act::select:
      return {std::min(operand(1).low, operand(2).low), std::max(operand(1).high, operand(2).high)};
    case Act::input:
    case Act::div:
    case Act::copysign:
    case Act::reciprocal:
    case Act::log2:
    case Act::log:
    case Act::log10:
    case Act::log1p:
    case Act::expm1:
    case Act::tan:
    case Act::atan2:
    case Act::cube_root:
    case Act::less:
    case Act::equal:
    case Act::int_less:
    case Act::int_less_unsigned:
    case Act::int_equal:
    case Act::both:
    case Act::either:
    case Act::opposite:
      break;
  }
  return {};
}

}  // namespace

Bounds bounds_of_bits(unsigned bits, bool is_signed) {
  const int power = static_cast<int>(bits) - (is_signed ? 1 : 0);
  // Of more than 53 bits the next double below the power.
  const double most = power <= 53 ? std::ldexp(1, power) - 1 : std::nextafter(std::ldexp(1, power), 0);
  return {is_signed ? -std::ldexp(1, power) : 0, most};
}

bool is_within(const Bounds& inner, const Bounds& outer) { return inner.low >= outer.low && inner.high <= outer.high; }

Bounds computed_bounds(const Node& node, const std::vector<Node>& nodes) {
  const Bounds bounds = of_operation(node, nodes);
  if (std::isnan(bounds.low) || std::isnan(bounds.high)) return {};
  return in_word(bounds, node.type);
}

namespace {

constexpr Bounds kSaturated{-0x1p23 + 1, 0x1p23 - 1};

/// Follows what a number becomes, as long as a greater one beyond kSaturated would change nothing.
class Followed {
 public:
  Followed(const PairFunction& function, const std::vector<int>& roots) : function_(function), roots_(roots) {}

  /// False if the number of this node goes anywhere but into comparisons with small constants.
  bool follow(int number) {
    if (std::ranges::find(roots_, number) != roots_.end()) return false;
    passed_.push_back(number);
    for (std::size_t n = 0; n < function_.nodes.size(); ++n) {
      const Node& reader = function_.nodes[n];
      if (std::ranges::find(reader.operands, number) == reader.operands.end()) continue;
      if (!decides(reader, number, static_cast<int>(n))) return false;
    }
    return true;
  }

  /// The node and all that its number passes through.
  [[nodiscard]] const std::vector<int>& passed() const { return passed_; }

 private:
  /// What an operation makes of a greater number.
  bool decides(const Node& reader, int number, int index) {
    switch (reader.act) {
      case Act::int_less:
      case Act::int_equal:
      case Act::less:
      case Act::equal:
        return others_are_small(reader, number, 0);
      case Act::select:
        return reader.operands[0] != number && others_are_small(reader, number, 1) && follow(index);
      case Act::from_integer:
        return follow(index);
      case Act::int_less_unsigned:  // of which a negative number is a great one
      case Act::add:
      case Act::sub:
      case Act::mul:
      case Act::div:
      case Act::negate:
      case Act::widen:
      case Act::narrow:
      case Act::absolute:
      case Act::copysign:
      case Act::minimum:
      case Act::maximum:
      case Act::sqrt:
      case Act::rsqrt:
      case Act::reciprocal:
      case Act::exp2:
      case Act::exp:
      case Act::log2:
      case Act::log:
      case Act::sin:
      case Act::cos:
      case Act::power:
      case Act::cube_root:
      case Act::erf:
      case Act::erfc:
      case Act::tan:
      case Act::tanh:
      case Act::atan2:
      case Act::hypot:
      case Act::log10:
      case Act::expm1:
      case Act::log1p:
      case Act::floor:
      case Act::ceil:
      case Act::trunc:
      case Act::round:
      case Act::nearest:
      case Act::fraction:
      case Act::exponent:
      case Act::to_integer:
      case Act::iadd:
      case Act::isub:
      case Act::iand:
      case Act::ior:
      case Act::ixor:
      case Act::shift_left:
      case Act::shift_right:
      case Act::shift_right_unsigned:
      case Act::imin:
      case Act::imax:
      case Act::imul:
      case Act::idiv:
      case Act::iremainder:
      case Act::sign_extend:
      case Act::zero_extend:
      case Act::leading_zeros:
        return false;  // something else, perhaps
      case Act::constant:
      case Act::input:
      case Act::both:
      case Act::either:
      case Act::opposite:
        return false;  // no number is their operand
    }
    return false;
  }

  [[nodiscard]] bool others_are_small(const Node& reader, int number, std::size_t first) const {
    constexpr double kSmall = 0x1p22;
    for (std::size_t n = first; n < reader.operands.size(); ++n) {
      const Node& other = function_.nodes[static_cast<std::size_t>(reader.operands[n])];
      const double value = is_float(other.type) ? other.number : static_cast<double>(other.integer);
      const bool is_small = other.act == Act::constant && std::fabs(value) <= kSmall;
      if (reader.operands[n] != number && !is_small) return false;
    }
    return true;
  }

  const PairFunction& function_;
  const std::vector<int>& roots_;
  std::vector<int> passed_;
};

}  // namespace

void saturate_compared(PairFunction& function, const std::vector<int>& roots) {
  for (std::size_t n = 0; n < function.nodes.size(); ++n) {
    const Node& node = function.nodes[n];
    if (node.act != Act::to_integer || node.type != Type::int_short || is_within(node.bounds, kSaturated)) continue;
    Followed followed(function, roots);
    if (!followed.follow(static_cast<int>(n))) continue;
    for (const int passed : followed.passed()) {
      Bounds& bounds = function.nodes[static_cast<std::size_t>(passed)].bounds;
      bounds = {std::max(bounds.low, kSaturated.low), std::min(bounds.high, kSaturated.high)};
    }
    function.nodes[n].saturates = true;
  }
}

}  // namespace gdr::compiler
