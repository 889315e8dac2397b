// Between which numbers values must be: computed here by the C++ library and by integers of 128 bits, each value lies
// in the bounds that the compiler believes.
#include "pair/bounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "host_functions.h"
#include "import/importer.h"

namespace gdr::compiler_testing::bounds {
namespace {

using compiler::Act;
using compiler::Bounds;
using compiler::Node;
using compiler::Type;
__extension__ using Wide = __int128;
__extension__ using Bits = unsigned __int128;

/// A floating-point number, or an integer or truth value.
struct Value {
  double number = 0;
  Wide integer = 0;
};

double as_number(const Node& node, const Value& value) {
  return compiler::is_float(node.type) ? value.number : static_cast<double>(value.integer);
}

/// What a word keeps of an integer: 36 or 72 bits.
Wide in_word(Wide value, Type type) {
  const int above = 128 - (compiler::is_long(type) ? 72 : 36);
  return static_cast<Wide>(static_cast<Bits>(value) << above) >> above;
}

Wide lower(Wide value, std::int64_t bits) { return value & ((Wide{1} << bits) - 1); }

double lowest_exponent(double x) { return x == 0 ? -1023 : std::isinf(x) ? 1024 : std::logb(x); }

double fraction(double x) {
  int ignored = 0;
  return std::frexp(x, &ignored);
}

/// The operation on values; nothing where C++ leaves it open. A new act is defined here, or this does not compile.
std::optional<Value> computed(const Node& node, const std::vector<Value>& of) {
  const auto x = [&](std::size_t n) { return of[n].number; };
  const auto i = [&](std::size_t n) { return of[n].integer; };
  const auto number = [](double made) { return std::isnan(made) ? std::optional<Value>() : Value{made, 0}; };
  const auto integer = [&](Wide made) { return Value{0, node.type == Type::truth ? made : in_word(made, node.type)}; };
  switch (node.act) {
    case Act::constant:
      return Value{node.number, node.integer};
    case Act::input:
      return std::nullopt;  // is given
    case Act::add:
      return number(x(0) + x(1));
    case Act::sub:
      return number(x(0) - x(1));
    case Act::mul:
      return number(x(0) * x(1));
    case Act::div:
      return number(x(0) / x(1));
    case Act::negate:
      return number(-x(0));
    case Act::widen:
    case Act::select:
      return node.act == Act::widen ? of[0] : of[i(0) != 0 ? 1 : 2];
    case Act::narrow:
      return number(x(0));  // of exact arithmetic: rounding is beside it
    case Act::absolute:
      return number(std::fabs(x(0)));
    case Act::copysign:
      return number(std::copysign(x(0), x(1)));
    case Act::minimum:
      return number(std::fmin(x(0), x(1)));
    case Act::maximum:
      return number(std::fmax(x(0), x(1)));
    case Act::sqrt:
      return number(std::sqrt(x(0)));
    case Act::rsqrt:
      return number(x(0) == 0 ? 0 : 1 / std::sqrt(x(0)));
    case Act::reciprocal:
      return number(x(0) == 0 ? 0 : 1 / x(0));
    case Act::exp2:
      return number(std::exp2(x(0)));
    case Act::exp:
      return number(std::exp(x(0)));
    case Act::log2:
      return number(std::log2(x(0)));
    case Act::log:
      return number(std::log(x(0)));
    case Act::sin:
      return number(std::sin(x(0)));
    case Act::cos:
      return number(std::cos(x(0)));
    case Act::power:
      return number(std::pow(std::fabs(x(0)), x(1)));  // bases have no sign
    case Act::cube_root:
      return number(std::cbrt(x(0)));
    case Act::erf:
      return number(std::erf(x(0)));
    case Act::erfc:
      return number(std::erfc(x(0)));
    case Act::tan:
      return number(std::tan(x(0)));
    case Act::tanh:
      return number(std::tanh(x(0)));
    case Act::atan2:
      return number(std::atan2(x(0), x(1)));
    case Act::hypot:
      return number(std::hypot(x(0), x(1)));
    case Act::log10:
      return number(std::log10(x(0)));
    case Act::expm1:
      return number(std::expm1(x(0)));
    case Act::log1p:
      return number(std::log1p(x(0)));
    case Act::floor:
      return number(std::floor(x(0)));
    case Act::ceil:
      return number(std::ceil(x(0)));
    case Act::trunc:
      return number(std::trunc(x(0)));
    case Act::round:
      return number(std::round(x(0)));
    case Act::nearest:
      return number(std::nearbyint(x(0)));
    case Act::fraction:
      return number(fraction(x(0)));
    case Act::exponent:
      return integer(static_cast<Wide>(lowest_exponent(x(0))));
    case Act::to_integer:
      if (!(std::fabs(x(0)) < (compiler::is_long(node.type) ? 0x1p63 : 0x1p32))) return std::nullopt;
      return integer(static_cast<Wide>(x(0)));
    case Act::from_integer:
      return number(static_cast<double>(i(0)));
    case Act::iadd:
      return integer(i(0) + i(1));
    case Act::isub:
      return integer(i(0) - i(1));
    case Act::iand:
      return integer(i(0) & i(1));
    case Act::ior:
      return integer(i(0) | i(1));
    case Act::ixor:
      return integer(i(0) ^ i(1));
    case Act::shift_left:
    case Act::shift_right:
    case Act::shift_right_unsigned: {
      const int word = compiler::is_long(node.type) ? 72 : 36;
      if (i(1) < 0 || i(1) >= word) return std::nullopt;
      if (node.act == Act::shift_left) return integer(i(0) << static_cast<int>(i(1)));
      return integer((node.act == Act::shift_right ? i(0) : lower(i(0), word)) >> static_cast<int>(i(1)));
    }
    case Act::imin:
      return integer(std::min(i(0), i(1)));
    case Act::imax:
      return integer(std::max(i(0), i(1)));
    case Act::imul:
      return integer(static_cast<Wide>(static_cast<Bits>(i(0)) * static_cast<Bits>(i(1))));
    case Act::idiv:
    case Act::iremainder:
      if (i(1) == 0) return std::nullopt;
      return integer(node.act == Act::idiv ? i(0) / i(1) : i(0) % i(1));
    case Act::sign_extend: {
      const Wide sign = Wide{1} << (node.integer - 1);
      return integer((lower(i(0), node.integer) ^ sign) - sign);
    }
    case Act::zero_extend:
      return integer(lower(i(0), node.integer));
    case Act::leading_zeros: {
      if (i(0) < 0 || i(0) != lower(i(0), node.integer)) return std::nullopt;
      Wide zeros = 0;
      while (zeros < node.integer && (i(0) >> static_cast<int>(node.integer - 1 - zeros)) == 0) ++zeros;
      return integer(zeros);
    }
    case Act::less:
      return integer(x(0) < x(1) ? 1 : 0);
    case Act::equal:
      return integer(x(0) == x(1) ? 1 : 0);
    case Act::int_less:
      return integer(i(0) < i(1) ? 1 : 0);
    case Act::int_less_unsigned:
      return integer(lower(i(0), 72) < lower(i(1), 72) ? 1 : 0);
    case Act::int_equal:
      return integer(i(0) == i(1) ? 1 : 0);
    case Act::both:
      return integer(i(0) & i(1));
    case Act::either:
      return integer(i(0) | i(1));
    case Act::opposite:
      return integer(1 - i(0));
  }
  return std::nullopt;
}

bool takes_bits(Act act) { return act == Act::sign_extend || act == Act::zero_extend || act == Act::leading_zeros; }

bool takes_integers(Act act) {
  return (act >= Act::iadd && act <= Act::leading_zeros) || act == Act::from_integer ||
         (act >= Act::int_less && act <= Act::int_equal);
}

bool makes_integers(Act act) {
  return (act >= Act::iadd && act <= Act::leading_zeros) || act == Act::to_integer || act == Act::exponent;
}

/// Bounds are doubles, which round beyond 2^53.
bool holds(const Bounds& bounds, double value) {
  const double slack = std::fabs(value) > 0x1p53 ? std::fabs(value) * 0x1p-51 : 0;
  return value >= bounds.low - slack && value <= bounds.high + slack;
}

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}

  Wide below(std::uint64_t limit) { return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_); }

  /// Of any number of bits up to `bits`, with a sign.
  Wide integer(unsigned bits) {
    const Wide magnitude = below(std::uint64_t{1} << below(bits));
    return below(2) == 0 ? magnitude : -magnitude;
  }

  /// One between two, most often one of the ends.
  Wide between(Wide low, Wide high) {
    const Wide kind = below(4);
    if (kind < 2) return kind == 0 ? low : high;
    return low + static_cast<Wide>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  std::mt19937_64 random_;
};

/// An operand with random bounds, and values within.
struct Operand {
  Node node;
  Wide low = 0;
  Wide high = 0;

  Value value(Numbers& numbers) const {
    const Wide chosen = numbers.between(low, high);
    if (!compiler::is_float(node.type)) return {0, chosen};
    return {static_cast<double>(chosen) / 8, 0};
  }
};

Operand operand_of(Type type, Numbers& numbers, Wide least, Wide most, unsigned bits) {
  Operand made;
  made.node.act = Act::input;
  made.node.type = type;
  const Wide one = std::clamp(numbers.integer(bits), least, most);
  const Wide other = std::clamp(numbers.integer(bits), least, most);
  made.low = std::min(one, other);
  made.high = std::max(one, other);
  const double unit = compiler::is_float(type) ? 8 : 1;
  made.node.bounds = {static_cast<double>(made.low) / unit, static_cast<double>(made.high) / unit};
  return made;
}

TEST(Bounds, HoldWhateverAnOperationMakesOfNumbersWithinThoseOfItsOperands) {
  constexpr Wide kFar = Wide{1} << 63;
  Numbers numbers(11);
  for (int number = 0; number <= static_cast<int>(Act::select); ++number) {
    const auto act = static_cast<Act>(number);
    if (act == Act::constant || act == Act::input) continue;
    for (int turn = 0; turn < 300; ++turn) {
      const bool is_long = turn % 2 == 0;
      const bool truths = act >= Act::both && act <= Act::opposite;
      const bool integers = takes_integers(act) || (act == Act::select && turn % 4 < 2);
      const unsigned word = is_long ? 62 : 34;
      const Type type = truths     ? Type::truth
                        : integers ? (is_long ? Type::int_long : Type::int_short)
                                   : (is_long ? Type::float_long : Type::float_short);
      Node node;
      node.act = act;
      node.type = act >= Act::less && act <= Act::opposite ? Type::truth
                  : makes_integers(act)                    ? (is_long ? Type::int_long : Type::int_short)
                  : act == Act::from_integer               ? Type::float_long
                                                           : type;
      if (takes_bits(act)) node.integer = static_cast<std::int64_t>(1 + numbers.below(is_long ? 64 : 32));
      std::vector<Operand> operands;
      for (int n = 0; n < 3; ++n) {
        const bool is_truth = truths || (act == Act::select && n == 0);
        const bool is_count = n == 1 && act >= Act::shift_left && act <= Act::shift_right_unsigned;
        Wide least = is_truth || is_count || act == Act::leading_zeros ? 0 : -kFar;
        if (act == Act::power && n == 0) least = 0;
        const Wide most = is_truth                    ? 1
                          : is_count                  ? word + 1
                          : act == Act::leading_zeros ? (Wide{1} << node.integer) - 1
                                                      : kFar;
        operands.push_back(operand_of(is_truth ? Type::truth : type, numbers, least, most, is_count ? 7 : word));
      }
      std::vector<Node> nodes;
      for (const Operand& one : operands) nodes.push_back(one.node);
      node.operands = {0, 1, 2};
      const Bounds bounds = compiler::computed_bounds(node, nodes);
      for (int sample = 0; sample < 20; ++sample) {
        std::vector<Value> values;
        for (const Operand& one : operands) values.push_back(one.value(numbers));
        const std::optional<Value> made = computed(node, values);
        if (!made || node.type == Type::truth) continue;
        const double found = as_number(node, *made);
        EXPECT_TRUE(holds(bounds, found)) << fmt::format(
            "act {}: {} of {}, {} is outside of {}..{}", number, found, as_number(operands[0].node, values[0]),
            as_number(operands[1].node, values[1]), bounds.low, bounds.high);
        if (HasFailure()) return;
      }
    }
  }
}

constexpr const char* kHead =
    "#include <gdr/kernel.h>\n#include <algorithm>\n#include <bit>\n#include <cmath>\n"
    "struct I { double x; float e; int a; unsigned u; short s; unsigned char h; long l; bool t; };\n"
    "struct J { double y; float g; int b; unsigned v; unsigned short w; signed char c; unsigned long m; bool q; };\n"
    "struct F { long n; double d; };\n";

/// Statements without undefined behaviour for all data, and without branches: bounds say nothing of what is computed
/// for a path that is not taken.
const std::vector<std::string>& statements() {
  static const std::vector<std::string> all{
      "f.n += static_cast<unsigned>(std::countl_zero(i.u) - 7) + (std::countr_zero(j.v) << 13)",
      "f.n += std::countl_zero(static_cast<unsigned short>(i.u)) * std::countr_zero(i.h)",
      "f.n += std::countl_zero(j.m) - std::countr_zero(j.m | 8u)",
      "f.n += std::bit_width(i.u) + std::popcount(j.v) + std::has_single_bit(i.u)",
      "f.n += static_cast<short>(i.a) + static_cast<unsigned char>(j.b) + static_cast<signed char>(i.u + j.v)",
      "f.n += std::min(i.a, j.b) + std::max(i.u, j.v) + std::abs(i.s) + std::clamp(i.a, -5, 70)",
      "f.n += i.a / 7 + j.b % 12 + i.u / 3u + j.v % 1000u + i.l % 64 + j.m / 16 + i.s / (j.w + 1)",
      "f.n += (i.a >> 3) + (i.u >> 5) + (i.u << 4) + (j.v ^ 0xffu) + (i.a & 0xf0) + (i.a | 7) + ~j.v",
      "f.n += i.s * j.c + i.h * j.w + i.u * 5u + j.c * 100 + i.u * j.v",
      "f.n += __builtin_bswap32(i.u) + std::rotl(j.v, 9)",
      "f.n += (i.t ? 3 : -4) + (j.q && i.t) + (i.a < j.b ? i.s : j.c)",
      "f.d += std::floor(i.x) + std::fmin(i.x, j.y) + std::fabs(j.g) + std::sin(i.x) + std::exp(-j.y * j.y)",
      "f.d += std::hypot(i.x, j.y) + std::tanh(i.e) + std::copysign(i.x, j.y) + i.t + (j.q ? i.a : 0.5)",
      "f.d += static_cast<int>(i.x) + static_cast<float>(j.b) * i.e + std::ilogb(i.x) + std::lround(j.y)"};
  return all;
}

/// Of a field: its least, its greatest and other numbers.
Value datum(const compiler::Field& field, Numbers& numbers) {
  if (compiler::is_float(field.type)) return {static_cast<double>(numbers.integer(24)) / 1024, 0};
  const unsigned bits = field.is_truth ? 1 : 8 * field.bytes;
  const Wide most = (Wide{1} << (field.is_signed ? bits - 1 : bits)) - 1;
  const Wide least = field.is_signed ? -most - 1 : 0;
  const Wide kind = numbers.below(3);
  if (kind == 0) return {0, numbers.between(least, most)};
  const Wide any = numbers.integer(std::min(bits, 62U));
  return {0, std::clamp(field.is_signed || any >= 0 ? any : -any, least, most)};
}

TEST(Bounds, HoldTheValuesOfFunctionsAsTheyAreImported) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  std::string source = kHead;
  for (std::size_t n = 0; n < statements().size(); ++n) {
    source += fmt::format("void go_{}(const I& i, const J& j, F& f) {{ {}; }}\n", n, statements()[n]);
  }
  const std::string code = compiler::optimised(llvm_code(source, false));
  Numbers numbers(12);
  for (std::size_t n = 0; n < statements().size(); ++n) {
    SCOPED_TRACE(statements()[n]);
    const compiler::Imported imported = compiler::import_ir(code, "bounds.bc", fmt::format("go_{}", n));
    ASSERT_TRUE(imported.errors.empty()) << imported.errors.front().text;
    const compiler::PairFunction& function = imported.body;
    for (int turn = 0; turn < 500 && !HasFailure(); ++turn) {
      std::vector<std::optional<Value>> values;
      for (const Node& node : function.nodes) {
        std::optional<Value> made;
        std::vector<Value> operands;
        bool open = false;
        for (const int operand : node.operands) {
          open = open || !values[static_cast<std::size_t>(operand)];
          operands.push_back(values[static_cast<std::size_t>(operand)].value_or(Value{}));
        }
        if (node.act == Act::input && node.record != compiler::Record::result) {
          made = datum(function.records[static_cast<std::size_t>(node.record)][node.field], numbers);
        } else if (!open) {
          made = computed(node, operands);
        }
        values.push_back(made);
        if (!made || node.type == Type::truth) continue;
        const double found = as_number(node, *made);
        EXPECT_TRUE(holds(node.bounds, found))
            << fmt::format("node {}, act {}: {} is outside of {}..{}", values.size() - 1, static_cast<int>(node.act),
                           found, node.bounds.low, node.bounds.high);
      }
    }
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::bounds
