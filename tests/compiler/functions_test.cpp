// Functions of gdr cc against MPFR over their ranges, and at the ends of the range against the host: equal, or listed
// in docs/kernels/compiler.md.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::functions {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr mpfr_prec_t kFarMoreBits = 160;

class Precise {
 public:
  Precise() { mpfr_init2(value, kFarMoreBits); }
  explicit Precise(double number) : Precise() { mpfr_set_d(value, number, MPFR_RNDN); }
  ~Precise() { mpfr_clear(value); }
  Precise(const Precise&) = delete;
  Precise& operator=(const Precise&) = delete;
  mpfr_t value;
};

using Oracle = std::function<void(Precise& y, const Precise& a, const Precise& b)>;

Oracle of_one(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  return [function](Precise& y, const Precise& a, const Precise&) { function(y.value, a.value, MPFR_RNDN); };
}
Oracle of_two(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
  return [function](Precise& y, const Precise& a, const Precise& b) { function(y.value, a.value, b.value, MPFR_RNDN); };
}
Oracle of_one(int (*function)(mpfr_ptr, mpfr_srcptr)) {
  return [function](Precise& y, const Precise& a, const Precise&) { function(y.value, a.value); };
}

/// An expression of the members a and b of an i-particle, in floats or doubles.
struct Tried {
  std::string expression;
  bool is_double = false;
  Oracle oracle;
  double low = 0;  // arguments, even in their exponents
  double high = 0;
  bool negative = false;
  double units = 0;  // largest error in units of the last of 24 fraction bits, or relative in 2^-50
};

const std::vector<Tried>& all_tried() {
  static const auto inverse = [](Precise& y, const Precise& a, const Precise&) {
    mpfr_ui_div(y.value, 1, a.value, MPFR_RNDN);
  };
  const auto power = [](long count) -> Oracle {
    return [count](Precise& y, const Precise& a, const Precise&) { mpfr_pow_si(y.value, a.value, count, MPFR_RNDN); };
  };
  const auto constant_power = [](double exponent) -> Oracle {
    return [exponent](Precise& y, const Precise& a, const Precise&) {
      mpfr_pow(y.value, a.value, Precise(exponent).value, MPFR_RNDN);
    };
  };
  const auto minus = [](int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) -> Oracle {
    return [function](Precise& y, const Precise& a, const Precise&) {
      Precise opposite;
      mpfr_neg(opposite.value, a.value, MPFR_RNDN);
      function(y.value, opposite.value, MPFR_RNDN);
    };
  };
  const auto less_two = [](Precise& y, const Precise& a, const Precise& b) {
    mpfr_mul(y.value, a.value, b.value, MPFR_RNDN);
    mpfr_sub_ui(y.value, y.value, 2, MPFR_RNDN);
  };
  const auto of_floor_by_two = [](Precise& y, const Precise& a, const Precise&) {
    mpfr_floor(y.value, a.value);
    mpfr_remainder(y.value, y.value, Precise(2).value, MPFR_RNDN);
  };
  const auto scaled = [](Precise& y, const Precise& a, const Precise& b) {
    mpfr_mul_2si(y.value, a.value, mpfr_get_si(b.value, MPFR_RNDZ), MPFR_RNDN);
  };
  const auto logarithm_of_gamma = [](Precise& y, const Precise& a, const Precise&) {
    int ignored = 0;
    mpfr_lgamma(y.value, &ignored, a.value, MPFR_RNDN);
  };
  const auto of_negative_and_64 = [](Precise& y, const Precise& a, const Precise&) {
    int ignored = 0;
    Precise opposite;
    mpfr_neg(opposite.value, a.value, MPFR_RNDN);
    mpfr_lgamma(y.value, &ignored, opposite.value, MPFR_RNDN);
    mpfr_add_ui(y.value, y.value, 64, MPFR_RNDN);
  };
  const auto fraction = [](Precise& y, const Precise& a, const Precise&) {
    mpfr_exp_t ignored = 0;
    mpfr_frexp(&ignored, y.value, a.value, MPFR_RNDN);
  };
  const auto exponent = [](int less) -> Oracle {
    return [less](Precise& y, const Precise& a, const Precise&) {
      mpfr_set_si(y.value, mpfr_get_exp(a.value) - less, MPFR_RNDN);
    };
  };
  const auto low_quotient = [](Precise& y, const Precise& a, const Precise& b) {
    long quotient = 0;
    mpfr_remquo(y.value, &quotient, a.value, b.value, MPFR_RNDN);
    mpfr_set_si(y.value, quotient % 8, MPFR_RNDN);
  };
  const auto whole_power = [](Precise& y, const Precise& a, const Precise& b) {
    Precise whole;
    mpfr_floor(whole.value, b.value);
    mpfr_pow(y.value, a.value, whole.value, MPFR_RNDN);
  };
  static const std::vector<Tried> all{
      {"1 / i.a", false, inverse, 0x1p-1020, 0x1p1020, true, 1},
      {"i.a / i.b", false, of_two(mpfr_div), 0x1p-500, 0x1p500, true, 1},
      {"1 / std::sqrt(i.a)", false, of_one(mpfr_rec_sqrt), 0x1p-1020, 0x1p1023, false, 1},
      {"std::sqrt(i.a)", false, of_one(mpfr_sqrt), 0x1p-950, 0x1p1000, false, 1},
      {"std::exp(i.a)", false, of_one(mpfr_exp), 0x1p-40, 708, true, 1},
      {"std::exp2(i.a)", false, of_one(mpfr_exp2), 0x1p-40, 1021, true, 1},
      {"std::log(i.a)", false, of_one(mpfr_log), 0x1p-1021, 0x1p1022, false, 1},
      {"std::log2(i.a)", false, of_one(mpfr_log2), 0x1p-1021, 0x1p1022, false, 1},
      {"std::log10(i.a)", false, of_one(mpfr_log10), 0x1p-1021, 0x1p1022, false, 1},
      {"std::log10(i.a)", false, of_one(mpfr_log10), 0.5, 2, false, 1},
      {"std::log1p(i.a)", false, of_one(mpfr_log1p), 0x1p-60, 0x1p60, false, 1},
      {"std::log1p(-i.a)", false, minus(mpfr_log1p), 0x1p-60, 0.999, false, 1},
      {"std::expm1(i.a)", false, of_one(mpfr_expm1), 0x1p-60, 700, true, 1},
      {"std::sin(i.a)", false, of_one(mpfr_sin), 0x1p-40, 1024, true, 1.7},
      {"std::cos(i.a)", false, of_one(mpfr_cos), 0x1p-40, 1024, true, 1.7},
      {"std::tan(i.a)", false, of_one(mpfr_tan), 0x1p-40, 1024, true, 5},
      {"std::tanh(i.a)", false, of_one(mpfr_tanh), 0x1p-60, 30, true, 3},
      {"std::asin(i.a)", false, of_one(mpfr_asin), 0x1p-60, 1, true, 4},
      {"std::acos(i.a)", false, of_one(mpfr_acos), 0x1p-60, 1, true, 4},
      {"std::sinh(i.a)", false, of_one(mpfr_sinh), 0x1p-60, 708, true, 4},
      {"std::cosh(i.a)", false, of_one(mpfr_cosh), 0x1p-60, 708, true, 3},
      {"std::atan2(i.a, i.b)", false, of_two(mpfr_atan2), 0x1p-60, 0x1p60, true, 2},
      {"std::hypot(i.a, i.b)", false, of_two(mpfr_hypot), 0x1p-300, 0x1p300, true, 1.5},
      {"std::cbrt(i.a)", false, of_one(mpfr_cbrt), 0x1p-1000, 0x1p1000, true, 1},
      {"std::pow(i.a, i.b)", false, of_two(mpfr_pow), 0x1p-6, 0x1p6, false, 1},
      {"std::pow(i.a, 3.0f)", false, power(3), 0x1p-300, 0x1p300, true, 1},
      {"std::pow(i.a, 7.0f)", false, power(7), 0x1p-100, 0x1p100, true, 1},
      {"std::pow(i.a, -3.0f)", false, power(-3), 0x1p-300, 0x1p300, true, 1},
      {"std::pow(i.a, -6.0f)", false, power(-6), 0x1p-100, 0x1p100, true, 1},
      {"std::atan(i.a)", false, of_one(mpfr_atan), 0x1p-60, 0x1p60, true, 2},
      {"std::erf(i.a)", false, of_one(mpfr_erf), 0x1p-60, 10, true, 2},
      {"std::erfc(i.a)", false, of_one(mpfr_erfc), 0x1p-40, 26, true, 4},
      {"1 / i.a", true, inverse, 0x1p-1000, 0x1p1020, true, 4},
      {"i.a / i.b", true, of_two(mpfr_div), 0x1p-400, 0x1p400, true, 8},
      {"std::sqrt(i.a)", true, of_one(mpfr_sqrt), 0x1p-950, 0x1p1000, false, 8},
      {"1 / std::sqrt(i.a)", true, of_one(mpfr_rec_sqrt), 0x1p-950, 0x1p1000, false, 4},
      {"std::exp(i.a)", true, of_one(mpfr_exp), 0x1p-40, 708, true, 4},
      {"std::log(i.a)", true, of_one(mpfr_log), 0x1p-1021, 0x1p1022, false, 10},
      {"std::sin(i.a)", true, of_one(mpfr_sin), 0x1p-40, 1024, true, 6},
      {"std::cos(i.a)", true, of_one(mpfr_cos), 0x1p-40, 1024, true, 6},
      {"std::asinh(i.a)", false, of_one(mpfr_asinh), 0x1p-60, 0x1p1000, true, 1},
      {"std::acosh(i.a)", false, of_one(mpfr_acosh), 1.0001, 0x1p1000, false, 1},
      {"std::atanh(i.a)", false, of_one(mpfr_atanh), 0x1p-60, 0.999, true, 1},
      {"std::asinh(i.a)", true, of_one(mpfr_asinh), 0x1p-80, 0x1p1000, true, 16},
      {"std::acosh(i.a)", true, of_one(mpfr_acosh), 1, 2, false, 16},
      {"std::acosh(i.a)", true, of_one(mpfr_acosh), 1, 0x1p1000, false, 16},
      {"std::atanh(i.a)", true, of_one(mpfr_atanh), 0x1p-80, 0.999, true, 16},
      {"std::fdim(i.a, i.b)", false, of_two(mpfr_dim), 0x1p-4, 0x1p4, true, 0.5},
      {"std::fdim(i.a, i.b)", true, of_two(mpfr_dim), 0x1p-4, 0x1p4, true, 0.125},
      {"std::fma(i.a, i.b, -2.0f)", false, less_two, 0x1p-4, 0x1p4, true, 0.5},
      {"std::fmod(i.a, i.b)", false, of_two(mpfr_fmod), 0x1p-10, 0x1p11, true, 0},
      {"std::fmod(i.a, i.b)", true, of_two(mpfr_fmod), 0x1p-10, 0x1p11, true, 0},
      {"std::remainder(i.a, i.b)", false, of_two(mpfr_remainder), 0x1p-10, 0x1p11, true, 0},
      {"std::remainder(i.a, i.b)", true, of_two(mpfr_remainder), 0x1p-10, 0x1p11, true, 0},
      {"std::remainder(std::floor(i.a), 2.0)", true, of_floor_by_two, 0x1p-1, 0x1p11, true, 0},
      {"std::ldexp(i.a, static_cast<int>(i.b))", false, scaled, 0x1p-3, 1000, true, 0},
      {"std::ldexp(i.a, static_cast<int>(i.b))", true, scaled, 0x1p-3, 1000, true, 0},
      {"std::scalbn(i.a, -7)", true,
       [](Precise& y, const Precise& a, const Precise&) { mpfr_mul_2si(y.value, a.value, -7, MPFR_RNDN); }, 0x1p-300,
       0x1p300, true, 0},
      {"std::exp2(i.a)", true, of_one(mpfr_exp2), 0x1p-40, 1021, true, 4},
      {"std::tgamma(i.a)", false, of_one(mpfr_gamma), 0x1p-60, 8, false, 1},
      {"std::tgamma(i.a)", false, of_one(mpfr_gamma), 0x1p-60, 170, true, 1},
      {"std::lgamma(i.a)", false, logarithm_of_gamma, 0x1p-60, 0x1p1000, false, 1},
      {"std::lgamma(i.a)", false, logarithm_of_gamma, 0.9, 2.2, false, 1},
      {"std::lgamma(-i.a) + 64", false, of_negative_and_64, 0x1p-60, 20, false, 2},
      {"std::logb(i.a)", false, exponent(1), 0x1p-1020, 0x1p1020, true, 0},
      {"std::ilogb(i.a)", false, exponent(1), 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { int e; return std::frexp(i.a, &e); }()", false, fraction, 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { int e; std::frexp(i.a, &e); return e; }()", false, exponent(0), 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { float w; return std::modf(i.a, &w); }()", false, of_one(mpfr_frac), 0x1p-10, 0x1p40, true, 0},
      {"[&] { float w; std::modf(i.a, &w); return w; }()", false, of_one(mpfr_trunc), 0x1p-10, 0x1p40, true, 0},
      {"[&] { int q; return std::remquo(i.a, i.b, &q); }()", false, of_two(mpfr_remainder), 0x1p-10, 0x1p11, true, 0},
      {"[&] { int q; std::remquo(i.a, i.b, &q); return q; }()", false, low_quotient, 0x1p-10, 0x1p11, true, 0},
      {"std::pow(i.a, std::floor(i.b))", false, whole_power, 0x1p-6, 0x1p6, true, 1},
      {"std::tgamma(i.a)", true, of_one(mpfr_gamma), 0x1p-60, 8, false, 40},
      {"std::tgamma(i.a)", true, of_one(mpfr_gamma), 0x1p-60, 170, true, 2760},
      {"std::lgamma(i.a)", true, logarithm_of_gamma, 0x1p-80, 0x1p1000, false, 40},
      {"std::lgamma(i.a)", true, logarithm_of_gamma, 0.9, 2.2, false, 40},
      {"std::lgamma(-i.a) + 64", true, of_negative_and_64, 0x1p-60, 20, false, 40},
      {"std::logb(i.a)", true, exponent(1), 0x1p-1020, 0x1p1020, true, 0},
      {"std::ilogb(i.a)", true, exponent(1), 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { int e; return std::frexp(i.a, &e); }()", true, fraction, 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { int e; std::frexp(i.a, &e); return e; }()", true, exponent(0), 0x1p-1020, 0x1p1020, true, 0},
      {"[&] { double w; return std::modf(i.a, &w); }()", true, of_one(mpfr_frac), 0x1p-10, 0x1p40, true, 0},
      {"[&] { double w; std::modf(i.a, &w); return w; }()", true, of_one(mpfr_trunc), 0x1p-10, 0x1p40, true, 0},
      {"[&] { int q; return std::remquo(i.a, i.b, &q); }()", true, of_two(mpfr_remainder), 0x1p-10, 0x1p11, true, 0},
      {"[&] { int q; std::remquo(i.a, i.b, &q); return q; }()", true, low_quotient, 0x1p-10, 0x1p11, true, 0},
      {"std::pow(i.a, std::floor(i.b))", true, whole_power, 0x1p-6, 0x1p6, true, 522},
      {"exp10f(i.a)", false, of_one(mpfr_exp10), 0x1p-40, 306, true, 1},
      {"exp10(i.a)", true, of_one(mpfr_exp10), 0x1p-40, 8, true, 74},
      {"[&] { float s, c; sincosf(i.a, &s, &c); return s; }()", false, of_one(mpfr_sin), 0x1p-40, 1024, true, 1.7},
      {"[&] { double s, c; sincos(i.a, &s, &c); return c; }()", true, of_one(mpfr_cos), 0x1p-40, 1024, true, 6},
      {"std::log2(i.a)", true, of_one(mpfr_log2), 0x1p-1021, 0x1p1022, false, 12},
      {"std::log2(i.a)", true, of_one(mpfr_log2), 0.7, 1.4, false, 12},
      {"std::log10(i.a)", true, of_one(mpfr_log10), 0x1p-1021, 0x1p1022, false, 12},
      {"std::log10(i.a)", true, of_one(mpfr_log10), 0.7, 1.4, false, 12},
      {"std::log1p(i.a)", true, of_one(mpfr_log1p), 0x1p-80, 0x1p1000, false, 10},
      {"std::log1p(-i.a)", true, minus(mpfr_log1p), 0x1p-80, 0.999, false, 10},
      {"std::expm1(i.a)", true, of_one(mpfr_expm1), 0x1p-80, 700, true, 8},
      {"std::tan(i.a)", true, of_one(mpfr_tan), 0x1p-40, 1024, true, 12},
      {"std::tanh(i.a)", true, of_one(mpfr_tanh), 0x1p-80, 30, true, 10},
      {"std::asin(i.a)", true, of_one(mpfr_asin), 0x1p-80, 1, true, 12},
      {"std::acos(i.a)", true, of_one(mpfr_acos), 0x1p-80, 1, true, 12},
      {"std::sinh(i.a)", true, of_one(mpfr_sinh), 0x1p-80, 708, true, 10},
      {"std::cosh(i.a)", true, of_one(mpfr_cosh), 0x1p-80, 708, true, 8},
      {"std::atan(i.a)", true, of_one(mpfr_atan), 0x1p-80, 0x1p80, true, 8},
      {"std::atan(i.a)", true, of_one(mpfr_atan), 0.1, 10, true, 8},
      {"std::atan2(i.a, i.b)", true, of_two(mpfr_atan2), 0x1p-60, 0x1p60, true, 8},
      {"std::atan2(i.a, i.b)", true, of_two(mpfr_atan2), 0.9999999, 1.0000001, true, 8},
      {"std::hypot(i.a, i.b)", true, of_two(mpfr_hypot), 0x1p-300, 0x1p300, true, 12},
      {"std::hypot(i.a, i.b)", true, of_two(mpfr_hypot), 0.5, 2, true, 12},
      {"std::cbrt(i.a)", true, of_one(mpfr_cbrt), 0x1p-960, 0x1p1000, true, 8},
      {"std::pow(i.a, 1.5)", true, constant_power(1.5), 0x1p-500, 0x1p500, false, 22},
      {"std::pow(i.a, 3.0)", true, power(3), 0x1p-300, 0x1p300, true, 34},
      {"std::pow(i.a, -6.0)", true, power(-6), 0x1p-100, 0x1p100, true, 58},
      {"std::pow(i.a, 63.0)", true, power(63), 0x1p-15, 0x1p15, true, 514},
      {"std::pow(i.a, i.b)", true, of_two(mpfr_pow), 0x1p-8, 8, false, 74},
      {"std::pow(i.a, i.b)", true, of_two(mpfr_pow), 0x1p-8, 64, false, 522},
      {"std::erf(i.a)", true, of_one(mpfr_erf), 0x1p-80, 10, true, 12},
      {"std::erfc(i.a)", true, of_one(mpfr_erfc), 0x1p-40, 26, true, 20},
      {"std::floor(i.a)", false, of_one(mpfr_floor), 0x1p-10, 0x1p40, true, 0},
      {"std::ceil(i.a)", false, of_one(mpfr_ceil), 0x1p-10, 0x1p40, true, 0},
      {"std::trunc(i.a)", false, of_one(mpfr_trunc), 0x1p-10, 0x1p40, true, 0},
      {"std::round(i.a)", false, of_one(mpfr_round), 0x1p-10, 0x1p40, true, 0},
      {"std::rint(i.a)", false, of_one(mpfr_roundeven), 0x1p-10, 0x1p40, true, 0},
      {"std::floor(i.a)", true, of_one(mpfr_floor), 0x1p-10, 0x1p70, true, 0},
      {"std::ceil(i.a)", true, of_one(mpfr_ceil), 0x1p-10, 0x1p70, true, 0},
      {"std::trunc(i.a)", true, of_one(mpfr_trunc), 0x1p-10, 0x1p70, true, 0},
      {"std::round(i.a)", true, of_one(mpfr_round), 0x1p-10, 0x1p70, true, 0},
      {"std::rint(i.a)", true, of_one(mpfr_roundeven), 0x1p-10, 0x1p70, true, 0}};
  return all;
}

std::string source_of_all() {
  std::string source =
      "#include <gdr/kernel.h>\n#include <cmath>\nstruct I { float a, b; };\nstruct J { float z; };\nstruct F { float "
      "y; "
      "};\nstruct K { double a, b; };\nstruct G { double y; };\n";
  for (std::size_t n = 0; n < all_tried().size(); ++n) {
    const Tried& one = all_tried()[n];
    source += fmt::format("void f{}(const {}& i, const J& j, {}& f) {{ f.y += {}; }}\n", n, one.is_double ? "K" : "I",
                          one.is_double ? "G" : "F", one.expression);
  }
  return source;
}

const std::string& code_of_all() {
  static const std::string code = llvm_code(source_of_all(), false);
  return code;
}

std::vector<double> computed_on_board(std::size_t tried, const std::vector<double>& a, const std::vector<double>& b) {
  compiler::CompileOptions options;
  options.effort = 1;
  options.function = fmt::format("f{}", tried);
  const compiler::CompileResult compiled = compiler::compile_ir(code_of_all(), "functions.bc", options);
  EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "functions.vsm");
  EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
  if (!assembled.program) return std::vector<double>(a.size(), std::nan(""));
  Device device;
  device.load(*assembled.program);
  device.write_j(0, std::vector<std::uint64_t>{bits(0.0)});
  std::vector<std::uint64_t> fields;
  for (std::size_t n = 0; n < a.size(); ++n) fields.insert(fields.end(), {bits(a[n]), bits(b[n])});
  std::vector<double> results;
  for (const std::uint64_t word : device.run(fields, 1)) results.push_back(std::bit_cast<double>(word));
  return results;
}

/// To 25 significant bits, as a short word.
double as_short(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 25)), exponent - 25);
}

std::vector<double> arguments_of(const Tried& one, std::uint64_t seed) {
  constexpr std::size_t kArguments = 2000;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(std::log2(one.low), std::log2(one.high));
  std::vector<double> all{one.is_double ? one.low : as_short(one.low), one.is_double ? one.high : as_short(one.high)};
  while (all.size() < kArguments) {
    const double value = std::exp2(exponent(random)) * (one.negative && random() % 2 == 0 ? -1 : 1);
    all.push_back(one.is_double ? value : as_short(value));
  }
  return all;
}

class CompiledFunction : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CompiledFunction, StaysWithinItsErrorOverItsRange) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const Tried& one = all_tried()[GetParam()];
  SCOPED_TRACE(one.expression);
  const std::vector<double> a = arguments_of(one, 1);
  const std::vector<double> b = arguments_of(one, 2);
  const std::vector<double> y = computed_on_board(GetParam(), a, b);
  ASSERT_EQ(y.size(), a.size());
  const int fraction = one.is_double ? 50 : 24;
  double worst = 0;
  std::size_t where = 0;
  Precise exact;
  for (std::size_t n = 0; n < a.size(); ++n) {
    one.oracle(exact, Precise(a[n]), Precise(b[n]));
    if (mpfr_zero_p(exact.value) == 0 && (mpfr_get_exp(exact.value) < -1020 || mpfr_get_exp(exact.value) > 1023))
      continue;
    Precise off(y[n]);
    mpfr_sub(off.value, off.value, exact.value, MPFR_RNDN);
    const mpfr_exp_t exponent = mpfr_zero_p(exact.value) != 0 ? 0 : mpfr_get_exp(exact.value) - 1;
    mpfr_mul_2si(off.value, off.value, fraction - exponent, MPFR_RNDN);
    const double units = std::fabs(mpfr_get_d(off.value, MPFR_RNDN));
    if (!(units <= worst)) worst = units, where = n;
  }
  EXPECT_LE(worst, one.units) << "of " << a[where] << " and " << b[where] << ": " << y[where];
  RecordProperty("worst", std::to_string(worst));
  fmt::print("{} {}: {:.3f}\n", one.is_double ? "double" : "float", one.expression, worst);
}

INSTANTIATE_TEST_SUITE_P(All, CompiledFunction, ::testing::Range(std::size_t{0}, all_tried().size()));

/// What a function gives on the host, of doubles.
std::function<double(double, double)> on_host(const std::string& expression) {
  static const std::map<std::string, std::function<double(double, double)>> known{
      {"1 / i.a", [](double a, double) { return 1 / a; }},
      {"i.a / i.b", [](double a, double b) { return a / b; }},
      {"1 / std::sqrt(i.a)", [](double a, double) { return 1 / std::sqrt(a); }},
      {"std::sqrt(i.a)", [](double a, double) { return std::sqrt(a); }},
      {"std::exp(i.a)", [](double a, double) { return std::exp(a); }},
      {"std::exp2(i.a)", [](double a, double) { return std::exp2(a); }},
      {"std::log(i.a)", [](double a, double) { return std::log(a); }},
      {"std::log2(i.a)", [](double a, double) { return std::log2(a); }},
      {"std::log10(i.a)", [](double a, double) { return std::log10(a); }},
      {"std::log1p(i.a)", [](double a, double) { return std::log1p(a); }},
      {"std::expm1(i.a)", [](double a, double) { return std::expm1(a); }},
      {"std::sin(i.a)", [](double a, double) { return std::sin(a); }},
      {"std::cos(i.a)", [](double a, double) { return std::cos(a); }},
      {"std::tan(i.a)", [](double a, double) { return std::tan(a); }},
      {"std::tanh(i.a)", [](double a, double) { return std::tanh(a); }},
      {"std::asin(i.a)", [](double a, double) { return std::asin(a); }},
      {"std::acos(i.a)", [](double a, double) { return std::acos(a); }},
      {"std::sinh(i.a)", [](double a, double) { return std::sinh(a); }},
      {"std::cosh(i.a)", [](double a, double) { return std::cosh(a); }},
      {"std::asinh(i.a)", [](double a, double) { return std::asinh(a); }},
      {"std::tgamma(i.a)", [](double a, double) { return std::tgamma(a); }},
      {"std::lgamma(i.a)", [](double a, double) { return std::lgamma(a); }},
      {"std::logb(i.a)", [](double a, double) { return std::logb(a); }},
      {"exp10(i.a)", [](double a, double) { return std::pow(10, a); }},
      {"std::pow(i.a, std::floor(i.b))", [](double a, double b) { return std::pow(a, std::floor(b)); }},
      {"[&] { int e; return std::frexp(i.a, &e); }()",
       [](double a, double) {
         int e = 0;
         return std::frexp(a, &e);
       }},
      {"[&] { float w; return std::modf(i.a, &w); }()",
       [](double a, double) {
         double w = 0;
         return std::modf(a, &w);
       }},
      {"[&] { double w; return std::modf(i.a, &w); }()",
       [](double a, double) {
         double w = 0;
         return std::modf(a, &w);
       }},
      {"std::acosh(i.a)", [](double a, double) { return std::acosh(a); }},
      {"std::atanh(i.a)", [](double a, double) { return std::atanh(a); }},
      {"std::fdim(i.a, i.b)", [](double a, double b) { return std::fdim(a, b); }},
      {"std::atan2(i.a, i.b)", [](double a, double b) { return std::atan2(a, b); }},
      {"std::hypot(i.a, i.b)", [](double a, double b) { return std::hypot(a, b); }},
      {"std::cbrt(i.a)", [](double a, double) { return std::cbrt(a); }},
      {"std::pow(i.a, i.b)", [](double a, double b) { return std::pow(a, b); }},
      {"std::pow(i.a, 3.0f)", [](double a, double) { return std::pow(a, 3); }},
      {"std::pow(i.a, 1.5)", [](double a, double) { return std::pow(a, 1.5); }},
      {"std::pow(i.a, 3.0)", [](double a, double) { return std::pow(a, 3); }},
      {"std::pow(i.a, -6.0)", [](double a, double) { return std::pow(a, -6); }},
      {"std::pow(i.a, 7.0f)", [](double a, double) { return std::pow(a, 7); }},
      {"std::pow(i.a, -3.0f)", [](double a, double) { return std::pow(a, -3); }},
      {"std::pow(i.a, -6.0f)", [](double a, double) { return std::pow(a, -6); }},
      {"std::atan(i.a)", [](double a, double) { return std::atan(a); }},
      {"std::erf(i.a)", [](double a, double) { return std::erf(a); }},
      {"std::erfc(i.a)", [](double a, double) { return std::erfc(a); }},
      {"std::floor(i.a)", [](double a, double) { return std::floor(a); }},
      {"std::ceil(i.a)", [](double a, double) { return std::ceil(a); }},
      {"std::trunc(i.a)", [](double a, double) { return std::trunc(a); }},
      {"std::round(i.a)", [](double a, double) { return std::round(a); }},
      {"std::rint(i.a)", [](double a, double) { return std::rint(a); }}};
  const auto found = known.find(expression);
  return found == known.end() ? nullptr : found->second;
}

std::string number_text(double value) { return fmt::format("{:.6g}", value == 0 ? 0.0 : value); }

/// Lines for what differs from the host, whose zeros have signs, and which has NaN and subnormal numbers.
std::vector<std::string> differences(std::size_t number, std::set<std::string>& seen) {
  const Tried& one = all_tried()[number];
  const auto host = on_host(one.expression);
  const bool two = one.expression.find("i.b") != std::string::npos;
  const std::string name = fmt::format("{} {}", one.is_double ? "double" : "float", one.expression);
  if (host == nullptr || !seen.insert(name).second) return {};
  constexpr double kGreatest = std::numeric_limits<double>::max();
  const std::vector<double> ends{0,     1,      -1,     2,       0.5,      -2,       kInfinite, -kInfinite,
                                 1e300, -1e300, 1e-300, 1.7e308, -1.7e308, 2.3e-308, kGreatest, -kGreatest};
  std::vector<double> a;
  std::vector<double> b;
  for (const double first : ends) {
    for (const double second : two ? ends : std::vector<double>{1}) {
      a.push_back(one.is_double ? first : as_short(first));
      b.push_back(one.is_double ? second : as_short(second));
      if (!std::isfinite(first)) a.back() = first;
      if (!std::isfinite(second)) b.back() = second;
      // The page says to where circular functions are known. Of others than whole exponents a power has a base above 0.
      const bool circular = one.expression.find("sin(") != std::string::npos ||
                            one.expression.find("cos(") != std::string::npos ||
                            one.expression.find("tan(") != std::string::npos;
      const bool any_power = two || one.expression.find("1.5") != std::string::npos;
      const bool whole = one.expression.find("floor(i.b)") != std::string::npos;
      const bool power_of_negative =
          any_power && !whole && one.expression.find("pow(") != std::string::npos && first < 0;
      if ((circular && std::fabs(first) > 1024) || power_of_negative) a.pop_back(), b.pop_back();
    }
  }
  const std::vector<double> y = computed_on_board(number, a, b);
  std::vector<std::string> lines;
  for (std::size_t n = 0; n < a.size() && n < y.size(); ++n) {
    double expected = host(a[n], b[n]);
    if (std::isnan(expected)) continue;
    if (std::fabs(expected) < std::numeric_limits<double>::min()) expected = 0;
    const double allowed = (one.is_double ? 0x1p-46 : 0x1p-21) * std::fabs(expected);
    if (y[n] == expected || (std::isfinite(expected) && std::fabs(y[n] - expected) <= allowed)) continue;
    lines.push_back(fmt::format("{} of {}{}: {}, on the host {}", name, number_text(a[n]),
                                two ? " and " + number_text(b[n]) : "", number_text(y[n]), number_text(expected)));
  }
  return lines;
}

TEST(CompiledFunctions, GiveAtTheEndsWhatTheHostGivesOrWhatThePageLists) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::string text = base::read_file(GDR_COMPILER_PAGE);
  const std::size_t heading = text.find("\n### At zero and infinity\n");
  ASSERT_NE(heading, std::string::npos);
  const std::size_t begin = text.find("```\n", heading);
  const std::size_t end = text.find("```", begin + 4);
  ASSERT_NE(end, std::string::npos);
  std::vector<std::string> listed;
  std::istringstream section(text.substr(begin + 4, end - begin - 4));
  for (std::string line; std::getline(section, line);) listed.push_back(line);
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (std::size_t n = 0; n < all_tried().size(); ++n) {
    for (std::string& line : differences(n, seen)) found.push_back(std::move(line));
  }
  std::string all;
  for (const std::string& line : found) all += line + "\n";
  EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(found)) << all;
}

TEST(CompiledFunctions, ScaleByEveryPowerOfTwoAsTheHostDoes) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  constexpr double kGreatest = std::numeric_limits<double>::max();
  std::vector<double> a;
  std::vector<double> b;
  for (const double x : {0.0, 1.0, 1.5, 1e300, 1e-300, 1.7e308, kGreatest, kInfinite}) {
    for (const double n : {0.0, 1.0, 3.0, 100.0, 1022.0, 1023.0, 1024.0, 1025.0, 2000.0, 2046.0, 2047.0, 2099.0, 5000.0,
                           1e5, 2147483647.0, 2147483648.0}) {
      for (const int signs : {0, 1, 2, 3}) {
        a.push_back(signs % 2 == 0 ? x : -x);
        b.push_back(signs / 2 == 0 ? std::min(n, 2147483647.0) : -n);
      }
    }
  }
  for (std::size_t number = 0; number < all_tried().size(); ++number) {
    const Tried& one = all_tried()[number];
    if (one.expression != "std::ldexp(i.a, static_cast<int>(i.b))") continue;
    std::vector<double> of_type = a;
    // As short words the greatest double and numbers up to 2^31 are rounded: infinity, and what stays an int.
    std::vector<double> powers = b;
    if (!one.is_double) {
      for (double& x : of_type) x = std::isinf(x) || std::fabs(x) == kGreatest ? 2 * x : as_short(x);
      for (double& n : powers) n = n == 2147483647 ? 2147483584 : n;
    }
    const std::vector<double> y = computed_on_board(number, of_type, powers);
    ASSERT_EQ(y.size(), a.size());
    for (std::size_t n = 0; n < y.size(); ++n) {
      double expected = std::ldexp(of_type[n], static_cast<int>(powers[n]));
      // The host rounds some subnormal numbers to the least normal one.
      const long double exact = std::ldexp(static_cast<long double>(of_type[n]), static_cast<int>(powers[n]));
      if (std::fabs(exact) < std::numeric_limits<double>::min()) expected = 0;
      const bool tiny = std::min(std::fabs(of_type[n]), std::fabs(expected)) < 1e-290;
      if (tiny && std::isfinite(expected)) {
        EXPECT_NEAR(y[n], expected, 0x1p-24 * std::fabs(expected)) << of_type[n] << " by 2^" << powers[n];
      } else {
        EXPECT_EQ(y[n], expected) << (one.is_double ? "double " : "float ") << of_type[n] << " by 2^" << powers[n];
      }
    }
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::functions
