// The macros of math.vsm against MPFR: no argument drawn from a function's range is off by more than the bound that
// docs/kernels/recipes.md states, and special arguments give what the page says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <sstream>
#include <tuple>

#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

constexpr int kShortFraction = 24;  // bits behind the point
constexpr mpfr_prec_t kExact = 160;

/// A number to far more bits than any word has.
class Exact {
 public:
  Exact() { mpfr_init2(value, kExact); }
  explicit Exact(double number) : Exact() { mpfr_set_d(value, number, MPFR_RNDN); }
  ~Exact() { mpfr_clear(value); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_t value;
};

double rounded_to_short(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, kShortFraction + 1)), exponent - kShortFraction - 1);
}

/// |found - exact| in units of the last place of a word with this many fraction bits.
double ulps(double found, const Exact& exact, int fraction_bits) {
  Exact difference(found);
  mpfr_sub(difference.value, difference.value, exact.value, MPFR_RNDN);
  // Below the smallest normal number the unit stays what it is there.
  const mpfr_exp_t exponent =
      mpfr_zero_p(exact.value) ? -1022 : std::max<mpfr_exp_t>(mpfr_get_exp(exact.value) - 1, -1022);
  mpfr_mul_2si(difference.value, difference.value, fraction_bits - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

using Function = std::function<void(Exact& result, const Exact& a, const Exact& b)>;

struct Case {
  std::string macro;
  bool long_words = false;
  double low = 0;  // arguments: of magnitudes even in their exponents if `log_scale`, else even in themselves
  double high = 0;
  bool log_scale = false;
  bool negative = false;  // half of them
  Function function;
  double bound = 0;  // in ulps of a short word; of a long one relative, in 2^-50
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.macro; }

/// y = macro(a, b) for pairs of arguments.
std::vector<double> computed(const Case& one, const std::vector<double>& a, const std::vector<double>& b) {
  const std::string width = one.long_words ? "long" : "short";
  const std::string source = "include \"math.vsm\"\nkernel f  # allow unused\nvar vector " + width +
                             " a hlt\nvar vector " + width + " b hlt\nvar vector " + width +
                             " y rrn\nloop initialization\n  " + one.macro + "\n";
  Device device(options("simd"));
  device.load(assembled(source, one.macro));
  std::vector<std::uint64_t> fields;
  for (std::size_t n = 0; n < a.size(); ++n) {
    fields.push_back(std::bit_cast<std::uint64_t>(a[n]));
    fields.push_back(std::bit_cast<std::uint64_t>(b[n]));
  }
  std::vector<double> results;
  for (const std::uint64_t word : device.run(fields, 0)) results.push_back(std::bit_cast<double>(word));
  return results;
}

std::vector<double> drawn(const Case& one, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random() >> 11), -53);
  };
  std::vector<double> arguments{one.low, one.high};
  while (arguments.size() < count) {
    double value =
        one.log_scale ? std::exp2(uniform(std::log2(one.low), std::log2(one.high))) : uniform(one.low, one.high);
    if (one.negative && random() % 2 == 0) value = -value;
    arguments.push_back(value);
  }
  for (double& value : arguments) {
    if (!one.long_words) value = rounded_to_short(value);
  }
  return arguments;
}

/// A macro, and how many arguments are tried.
class MathMacro : public ::testing::TestWithParam<std::tuple<Case, std::size_t>> {
 public:
  static std::string name(const ::testing::TestParamInfo<ParamType>& tested) {
    const std::string& macro = std::get<Case>(tested.param).macro;
    return macro.substr(0, macro.find(' ')) + "_" + std::to_string(tested.index);
  }
};

TEST_P(MathMacro, StaysWithinItsBound) {
  const auto& [one, arguments] = GetParam();
  const std::vector<double> a = drawn(one, 1, arguments);
  const std::vector<double> b = drawn(one, 2, arguments);
  const std::vector<double> y = computed(one, a, b);
  ASSERT_EQ(y.size(), a.size());
  double worst = 0;
  double where = 0;
  Exact exact;
  for (std::size_t n = 0; n < a.size(); ++n) {
    one.function(exact, Exact(a[n]), Exact(b[n]));
    const double off = ulps(y[n], exact, one.long_words ? 50 : kShortFraction);
    if (!(off <= worst)) {
      worst = off;
      where = a[n];
    }
  }
  EXPECT_LE(worst, one.bound) << "at " << where;
  RecordProperty("worst", std::to_string(worst));
}

template <class Operation>
Function of_one(Operation operation) {
  return [operation](Exact& result, const Exact& a, const Exact&) { operation(result.value, a.value, MPFR_RNDN); };
}

template <class Operation>
Function of_two(Operation operation) {
  return [operation](Exact& result, const Exact& a, const Exact& b) {
    operation(result.value, a.value, b.value, MPFR_RNDN);
  };
}

/// Of functions that have one rounding of their own.
template <class Operation>
Function of_whole(Operation operation) {
  return [operation](Exact& result, const Exact& a, const Exact&) { operation(result.value, a.value); };
}

void reciprocal(Exact& result, const Exact& a, const Exact&) { mpfr_ui_div(result.value, 1, a.value, MPFR_RNDN); }
void quotient(Exact& result, const Exact& a, const Exact& b) { mpfr_div(result.value, a.value, b.value, MPFR_RNDN); }
void power(Exact& result, const Exact& a, const Exact& b) { mpfr_pow(result.value, a.value, b.value, MPFR_RNDN); }
void inverse_power(Exact& result, const Exact& a, const Exact& b) {
  power(result, a, b);
  mpfr_ui_div(result.value, 1, result.value, MPFR_RNDN);
}
/// a^(256 b)
void high_power(Exact& result, const Exact& a, const Exact& b) {
  Exact exponent;
  mpfr_mul_2si(exponent.value, b.value, 8, MPFR_RNDN);
  power(result, a, exponent);
}
void magnitude(Exact& result, const Exact& a, const Exact&) { mpfr_abs(result.value, a.value, MPFR_RNDN); }
void with_sign(Exact& result, const Exact& a, const Exact& b) {
  mpfr_copysign(result.value, a.value, b.value, MPFR_RNDN);
}
void smaller(Exact& result, const Exact& a, const Exact& b) { mpfr_min(result.value, a.value, b.value, MPFR_RNDN); }

// Bounds of short words: half a unit for the last rounding, and what the steps before leave: next to nothing where a
// residual is exact, less than another half where the last sum's smaller part was rounded. Of sine and cosine the
// cosine's near pi/4 are worst, in units of 2^-25: the remainder's rounding gives 0.56, its square's 0.28, the
// polynomial's 0.31, the sum's 0.5. A power is as its last step, 2^x, for its logarithm is long. Of erfc, in units of
// 2^-25: the exponential's 2, the last rounding's 1, the polynomial's and the correction's 0.6. Of long words: the
// multiplier cuts the second factor to 50 bits, once in 1 / x, twice in x y. Of e^x the steps of Horner's scheme leave
// at most 0.41 2^-49 of 1, the result is above 0.7. Of ln x it is a quotient's 8, and 1.2 for the products behind it, a
// tenth of the result in size. Of sine and cosine, in units of 2^-50: the square's two cuts give 1.2, the last
// product's 1.1, those before 0.3, of a result above 0.7.
const std::vector<Case> kCases{
    Case{"recip a y", false, 0x1p-1000, 0x1p980, true, true, reciprocal, 0.51},
    Case{"div a b y", false, 0x1p-250, 0x1p250, true, true, quotient, 0.51},
    Case{"rsqrt a y", false, 0x1p-1000, 0x1p1000, true, false, of_one(mpfr_rec_sqrt), 0.51},
    Case{"sqrt a y", false, 0x1p-950, 0x1p1000, true, false, of_one(mpfr_sqrt), 0.51},
    Case{"exp2 a y", false, -1022, 1023.99993896484375, false, false, of_one(mpfr_exp2), 1},
    Case{"exp a y", false, -708.375, 709.75, false, false, of_one(mpfr_exp), 1},
    Case{"log a y", false, 0x1p-1022, 0x1p1023, true, false, of_one(mpfr_log), 1},
    Case{"log a y", false, 0.5, 2, false, false, of_one(mpfr_log), 1},
    Case{"log2 a y", false, 0x1p-1022, 0x1p1023, true, false, of_one(mpfr_log2), 1},
    Case{"log2 a y", false, 0.5, 2, false, false, of_one(mpfr_log2), 1},
    Case{"sin a y", false, 0x1p-40, 1024, true, true, of_one(mpfr_sin), 1.7},
    Case{"cos a y", false, 0x1p-40, 1024, true, true, of_one(mpfr_cos), 1.7},
    Case{"sin a y", false, -1024, 1024, false, false, of_one(mpfr_sin), 1.7},
    Case{"cos a y", false, -1024, 1024, false, false, of_one(mpfr_cos), 1.7},
    Case{"pow a b y", false, 0x1p-6, 0x1p6, true, false, power, 1},
    Case{"pow a -b y", false, 0x1p-6, 0x1p6, true, false, inverse_power, 1},
    Case{"fmul b fs\"256\" $r0v\n  nop\n  pow a $r0v y", false, 0.5, 1.9, false, false, high_power, 1},
    Case{"erfc a y", false, 0x1p-40, 26, true, true, of_one(mpfr_erfc), 4},
    Case{"erfc a y", false, -6, 26, false, false, of_one(mpfr_erfc), 4},
    Case{"exp_long a y", true, -708.375, 709.75, false, false, of_one(mpfr_exp), 2},
    Case{"exp_long a y", true, 0x1p-40, 1, true, true, of_one(mpfr_exp), 2},
    Case{"log_long a y", true, 0x1p-1022, 0x1p1023, true, false, of_one(mpfr_log), 10},
    Case{"log_long a y", true, 0.5, 2, false, false, of_one(mpfr_log), 10},
    Case{"sin_long a y", true, 0x1p-40, 1024, true, true, of_one(mpfr_sin), 4},
    Case{"cos_long a y", true, 0x1p-40, 1024, true, true, of_one(mpfr_cos), 4},
    Case{"sin_long a y", true, -1024, 1024, false, false, of_one(mpfr_sin), 4},
    Case{"cos_long a y", true, -1024, 1024, false, false, of_one(mpfr_cos), 4},
    Case{"abs a y", false, 0x1p-1000, 0x1p1000, true, true, magnitude, 0},
    Case{"copysign a b y", false, 0x1p-1000, 0x1p1000, true, true, with_sign, 0},
    Case{"fpassa a $r0v\n  fpassa b $r4v\n  nop\n  select_less $r0v $r4v $r0v $r4v y", false, 0x1p-1000, 0x1p1000, true,
         true, smaller, 0},
    Case{"recip_long a y", true, 0x1p-950, 0x1p950, true, true, reciprocal, 4},
    Case{"div_long a b y", true, 0x1p-250, 0x1p250, true, true, quotient, 8},
    Case{"rsqrt_long a y", true, 0x1p-950, 0x1p1000, true, false, of_one(mpfr_rec_sqrt), 4},
    Case{"sqrt_long a y", true, 0x1p-950, 0x1p1000, true, false, of_one(mpfr_sqrt), 8},
    // Those of the compiler, with its bounds.
    Case{"cbrt a y", false, 0x1p-1000, 0x1p1000, true, true, of_one(mpfr_cbrt), 1},
    Case{"log10 a y", false, 0x1p-1021, 0x1p1022, true, false, of_one(mpfr_log10), 1},
    Case{"log10 a y", false, 0.5, 2, false, false, of_one(mpfr_log10), 1},
    Case{"log1p a y", false, 0x1p-60, 0x1p60, true, false, of_one(mpfr_log1p), 1},
    Case{"log1p a y", false, -0.999, 1, false, false, of_one(mpfr_log1p), 1},
    Case{"expm1 a y", false, 0x1p-60, 700, true, true, of_one(mpfr_expm1), 1},
    Case{"tan a y", false, 0x1p-40, 1024, true, true, of_one(mpfr_tan), 5},
    Case{"tan a y", false, -1024, 1024, false, false, of_one(mpfr_tan), 5},
    Case{"tanh a y", false, 0x1p-60, 30, true, true, of_one(mpfr_tanh), 3},
    Case{"erf a y", false, 0x1p-60, 10, true, true, of_one(mpfr_erf), 2},
    Case{"erf a y", false, -3, 3, false, false, of_one(mpfr_erf), 2},
    Case{"atan2 a b y", false, 0x1p-60, 0x1p60, true, true, of_two(mpfr_atan2), 2},
    Case{"atan2 a b y", false, -2, 2, false, false, of_two(mpfr_atan2), 2},
    Case{"hypot a b y", false, 0x1p-300, 0x1p300, true, true, of_two(mpfr_hypot), 1.5},
    Case{"hypot a b y", false, -2, 2, false, false, of_two(mpfr_hypot), 1.5},
    Case{"floor a y", false, 0x1p-10, 0x1p40, true, true, of_whole(mpfr_floor), 0},
    Case{"ceil a y", false, 0x1p-10, 0x1p40, true, true, of_whole(mpfr_ceil), 0},
    Case{"trunc a y", false, 0x1p-10, 0x1p40, true, true, of_whole(mpfr_trunc), 0},
    Case{"round a y", false, 0x1p-10, 0x1p40, true, true, of_whole(mpfr_round), 0},
    Case{"floor_long a y", true, 0x1p-10, 0x1p70, true, true, of_whole(mpfr_floor), 0},
    Case{"ceil_long a y", true, 0x1p-10, 0x1p70, true, true, of_whole(mpfr_ceil), 0},
    Case{"trunc_long a y", true, 0x1p-10, 0x1p70, true, true, of_whole(mpfr_trunc), 0},
    Case{"round_long a y", true, 0x1p-10, 0x1p70, true, true, of_whole(mpfr_round), 0},
    Case{"cbrt_long a y", true, 0x1p-960, 0x1p1000, true, true, of_one(mpfr_cbrt), 8},
    Case{"exp2_long a y", true, 0x1p-40, 1021, true, true, of_one(mpfr_exp2), 4},
    Case{"log2_long a y", true, 0x1p-1021, 0x1p1022, true, false, of_one(mpfr_log2), 12},
    Case{"log2_long a y", true, 0.7, 1.4, false, false, of_one(mpfr_log2), 12},
    Case{"log10_long a y", true, 0x1p-1021, 0x1p1022, true, false, of_one(mpfr_log10), 12},
    Case{"log10_long a y", true, 0.7, 1.4, false, false, of_one(mpfr_log10), 12},
    Case{"log1p_long a y", true, 0x1p-80, 0x1p1000, true, false, of_one(mpfr_log1p), 10},
    Case{"log1p_long a y", true, -0.999, 1, false, false, of_one(mpfr_log1p), 10},
    Case{"expm1_long a y", true, 0x1p-80, 700, true, true, of_one(mpfr_expm1), 8},
    Case{"tan_long a y", true, 0x1p-40, 1024, true, true, of_one(mpfr_tan), 12},
    Case{"tanh_long a y", true, 0x1p-80, 30, true, true, of_one(mpfr_tanh), 10},
    Case{"erf_long a y", true, 0x1p-80, 10, true, true, of_one(mpfr_erf), 12},
    Case{"erfc_long a y", true, 0x1p-40, 26, true, true, of_one(mpfr_erfc), 20},
    Case{"pow_long a b y", true, 0x1p-8, 8, true, false, of_two(mpfr_pow), 74},
    Case{"hypot_long a b y", true, 0x1p-300, 0x1p300, true, true, of_two(mpfr_hypot), 12},
    Case{"hypot_long a b y", true, 0.5, 2, true, true, of_two(mpfr_hypot), 12}};

INSTANTIATE_TEST_SUITE_P(Macros, MathMacro, ::testing::Combine(::testing::ValuesIn(kCases), ::testing::Values(5000)),
                         MathMacro::name);
INSTANTIATE_TEST_SUITE_P(Nightly, MathMacro,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::Values(1'000'000)),
                         MathMacro::name);

/// One result of a macro on one argument.
double value_of(const std::string& macro, double a, double b = 1) {
  Case one;
  one.macro = macro;
  return computed(one, {a}, {b}).front();
}

TEST(MathMacros, TakeTheNearestWholeNumberAndBringItBack) {
  Case one;
  one.macro = "to_integer a y\n  nop\n  from_integer y y";
  std::vector<double> a{0.5, 1.5, 2.5, -0.5, -2.5, 0.49999, -4194304, 4194303};
  for (int n = -1000; n < 1000; ++n) a.push_back(n * 0.375);
  const std::vector<double> y = computed(one, a, a);
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_EQ(y[n], std::nearbyint(a[n])) << a[n];
}

/// Zeros and infinities as arguments, and numbers near both.
struct Ends {
  std::string macro;
  bool long_words = false;
  std::function<double(double, double)> on_host;
  std::vector<double> a;
  std::vector<double> b{1};
};

std::vector<Ends> all_ends() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> ends{0, kInfinity, -kInfinity};
  const std::vector<double> far{0, kInfinity, -kInfinity, 1e300, -1e300, 1e-300};
  const std::vector<double> signs{0, 1, -1, kInfinity, -kInfinity};
  const auto of_one = [](double (*function)(double)) { return [function](double a, double) { return function(a); }; };
  const auto inverse = [](double a, double) { return 1 / a; };
  const auto inverse_root = [](double a, double) { return 1 / std::sqrt(a); };
  const auto divided = [](double a, double b) { return a / b; };
  const auto power = [](double a, double b) { return std::pow(a, b); };
  std::vector<Ends> all;
  for (const bool wide : {false, true}) {
    const std::string suffix = wide ? "_long" : "";
    all.push_back({"recip" + suffix, wide, inverse, far});
    all.push_back({"div" + suffix, wide, divided, signs, {0, kInfinity, -kInfinity, 2, -2, 1e200}});
    all.push_back({"rsqrt" + suffix, wide, inverse_root, far});
    all.push_back({"sqrt" + suffix, wide, of_one(std::sqrt), far});
    all.push_back({"exp" + suffix, wide, of_one(std::exp), ends});
    all.push_back({"log" + suffix, wide, of_one(std::log), far});
    all.push_back({"sin" + suffix, wide, of_one(std::sin), ends});
    all.push_back({"cos" + suffix, wide, of_one(std::cos), ends});
  }
  all.push_back({"exp2", false, of_one(std::exp2), ends});
  all.push_back({"log2", false, of_one(std::log2), far});
  all.push_back({"erfc", false, of_one(std::erfc), ends});
  all.push_back({"pow", false, power, {0, 2, 0.5, kInfinity}, {0, 2, -2, kInfinity, -kInfinity}});
  const auto angle = [](double a, double b) { return std::atan2(a, b); };
  const auto length = [](double a, double b) { return std::hypot(a, b); };
  all.push_back({"atan2", false, angle, signs, {1, -1, kInfinity, -kInfinity}});
  for (const bool wide : {false, true}) {
    const std::string suffix = wide ? "_long" : "";
    all.push_back({"cbrt" + suffix, wide, of_one(std::cbrt), far});
    all.push_back({"log10" + suffix, wide, of_one(std::log10), far});
    all.push_back({"log1p" + suffix, wide, of_one(std::log1p), far});
    all.push_back({"expm1" + suffix, wide, of_one(std::expm1), far});
    all.push_back({"tan" + suffix, wide, of_one(std::tan), ends});
    all.push_back({"tanh" + suffix, wide, of_one(std::tanh), far});
    all.push_back({"erf" + suffix, wide, of_one(std::erf), far});
    all.push_back({"floor" + suffix, wide, of_one(std::floor), far});
    all.push_back({"ceil" + suffix, wide, of_one(std::ceil), far});
    all.push_back({"trunc" + suffix, wide, of_one(std::trunc), far});
    all.push_back({"round" + suffix, wide, of_one(std::round), far});
    all.push_back({"hypot" + suffix, wide, length, signs, signs});
  }
  all.push_back({"exp2_long", true, of_one(std::exp2), ends});
  all.push_back({"log2_long", true, of_one(std::log2), far});
  all.push_back({"erfc_long", true, of_one(std::erfc), ends});
  all.push_back({"pow_long", true, power, {0, 2, 0.5, kInfinity}, {0, 2, -2, kInfinity, -kInfinity}});
  return all;
}

std::string short_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value == 0 ? 0.0 : value);
  return text.data();
}

/// Lines of the page's table for all that differs from the host, whose zeros have signs, and which has NaN.
std::vector<std::string> differences_from_host() {
  std::vector<std::string> lines;
  for (const Ends& ends : all_ends()) {
    Case one;
    one.long_words = ends.long_words;
    one.macro = ends.macro + (ends.b.size() > 1 ? " a b y" : " a y");
    std::vector<double> a;
    std::vector<double> b;
    for (const double first : ends.a) {
      for (const double second : ends.b) {
        a.push_back(first);
        b.push_back(second);
      }
    }
    const std::vector<double> y = computed(one, a, b);
    for (std::size_t n = 0; n < a.size(); ++n) {
      const double host = ends.on_host(a[n], b[n]);
      if (std::isnan(host)) continue;
      // Short words hold 1e300 to 2^-25.
      const double allowed = (ends.long_words ? 0x1p-46 : 0x1p-22) * std::abs(host);
      if (y[n] == host || (std::isfinite(host) && std::abs(y[n] - host) <= allowed)) continue;
      const std::string arguments = short_text(a[n]) + (ends.b.size() > 1 ? ", " + short_text(b[n]) : "");
      lines.push_back("| `" + ends.macro + "` | " + arguments + " | " + short_text(y[n]) + " | " + short_text(host) +
                      " |");
    }
  }
  return lines;
}

TEST(MathMacros, GiveAtTheEndsWhatTheHostGivesOrWhatThePageLists) {
  const std::string text = base::read_file(GDR_RECIPES_PAGE);
  const std::size_t heading = text.find("\n### At zero and infinity\n");
  ASSERT_NE(heading, std::string::npos);
  const std::size_t end = text.find("\n## ", heading);
  std::vector<std::string> listed;
  std::istringstream section(text.substr(heading, end - heading));
  for (std::string line; std::getline(section, line);) {
    if (line.starts_with("| `")) listed.push_back(line);
  }
  EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(differences_from_host()));
}

TEST(MathMacros, EndTheirRangesAsThePageSays) {
  EXPECT_EQ(value_of("sqrt a y", 0), 0);
  EXPECT_EQ(value_of("sin a y", 0), 0);
  EXPECT_EQ(value_of("cos a y", 0), 1);
  EXPECT_EQ(value_of("exp a y", 0), 1);
  EXPECT_EQ(value_of("log a y", 1), 0);
  EXPECT_EQ(value_of("pow a b y", 3, 0), 1);
  EXPECT_EQ(value_of("pow a b y", 1, 100), 1);
  EXPECT_EQ(value_of("pow a b y", 2, -5000), 0x1p-1022);
  EXPECT_TRUE(std::isfinite(value_of("pow a b y", 2, 5000)));
  EXPECT_EQ(value_of("erfc a y", 0), 1);
  EXPECT_EQ(value_of("erfc a y", -30), 2);
  EXPECT_LT(value_of("erfc a y", 30), 0x1p-1000);
  EXPECT_EQ(value_of("exp2 a y", -5000), 0x1p-1022);
  EXPECT_GT(value_of("exp2 a y", 5000), 0x1.fffp1023);
  EXPECT_TRUE(std::isfinite(value_of("exp a y", 5000)));
}

}  // namespace
}  // namespace gdr::kernels::testing
