#include "random_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gdr::compiler_testing {
namespace {

// Errors of one operation, host's and machine's together.
const double kShortError = std::ldexp(1.5, -24);     // rounding to 24 bits and to 25
const double kLongError = std::ldexp(1.0, -48);      // rounding to 53 bits; factors cut to 50 bits, rounding to 61
const double kFunctionError = std::ldexp(1.0, -21);  // functions in short words: a unit of 2^-24 and the host's own
const double kLongFunctionError = std::ldexp(1.0, -45);

/// A positive value: its source text, width, range and the error that it may have.
struct Value {
  std::string text;
  bool wide = false;
  double low = 0.5;
  double high = 2;
  double error = 0;  // relative
};

class Generator {
 public:
  Generator(std::uint64_t seed, std::size_t pairs) : random_(seed), pairs_(static_cast<double>(pairs)) {
    for (const char* wide : {"i.a[0]", "i.a[1]", "i.a[2]", "j.x[0]", "j.x[1]", "j.x[2]", "p.s"})
      add({wide, true, 0.5, 2, 0});
    for (const char* brief : {"i.b", "j.m", "j.w"}) add({brief, false, 0.5, 2, 0});
  }

  RandomFunction function(std::uint64_t seed) {
    RandomFunction made;
    made.name = fmt::format("random{}", seed);
    const int statements = 3 + below(10);
    for (int n = 0; n < statements; ++n) statement(n);
    made.bounds.assign(kResults, 0);
    accumulate("sum", made.bounds[0], false);
    accumulate("other", made.bounds[1], false);
    accumulate("brief", made.bounds[2], true);
    extreme("least", "fmin", made.bounds[3]);
    extreme("most", "fmax", made.bounds[4]);
    made.source = fmt::format("void {}(const I& i, const J& j, F& f, const P& p) {{\n{}}}\n", made.name, body_);
    return made;
  }

 private:
  int below(int limit) { return std::uniform_int_distribution(0, limit - 1)(random_); }
  void add(Value value) { values_.push_back(std::move(value)); }
  const Value& any() {
    // Later values are likelier, so that chains grow.
    const auto size = static_cast<int>(values_.size());
    return values_[static_cast<std::size_t>(std::max(below(size), below(size)))];
  }
  static std::string cast(const Value& value, bool wide) {
    return wide == value.wide ? value.text : fmt::format("static_cast<{}>({})", wide ? "double" : "float", value.text);
  }
  static double rounded(const Value& value, bool wide) { return value.error + (value.wide && !wide ? kShortError : 0); }

  std::string condition() {
    static const std::vector<std::string> kAll{"i.n == j.k",    "i.n != j.k",    "i.n < j.k",        "j.k >= 3",
                                               "j.m < i.b",     "j.w >= i.b",    "j.x[0] < i.a[0]",  "j.x[1] > i.a[2]",
                                               "j.m == j.w",    "j.w < 1.25f",   "i.a[1] <= j.x[2]", "(j.k & 1) == 0",
                                               "i.n + j.k < 7", "2 * j.k > i.n", "(j.k ^ i.n) == 3"};
    const auto one = [&] { return kAll[static_cast<std::size_t>(below(static_cast<int>(kAll.size())))]; };
    switch (below(5)) {
      case 0:
        return fmt::format("{} && {}", one(), one());
      case 1:
        return fmt::format("({} || {})", one(), one());
      default:
        return one();
    }
  }

  void statement(int n) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      Value made = expression();
      if (!(made.low > 1e-4 && made.high < 1e4 && made.error < 1e-4)) continue;
      const std::string name = fmt::format("v{}", n);
      body_ += fmt::format("  const {} {} = {};\n", made.wide ? "double" : "float", name, made.text);
      made.text = name;
      add(std::move(made));
      return;
    }
  }

  Value expression() {
    const Value a = any();
    const Value b = any();
    const bool wide = below(2) == 0;
    const double rounding = wide ? kLongError : kShortError;
    const double ea = rounded(a, wide);
    const double eb = rounded(b, wide);
    const std::string x = cast(a, wide);
    const std::string y = cast(b, wide);
    const double function = wide ? kLongFunctionError : kFunctionError;
    switch (below(13)) {
      case 0:
      case 1:
        return {fmt::format("{} + {}", x, y), wide, a.low + b.low, a.high + b.high, std::max(ea, eb) + rounding};
      case 2:
      case 3:
        return {fmt::format("{} * {}", x, y), wide, a.low * b.low, a.high * b.high, ea + eb + rounding};
      case 4:
        if (a.low < 1.5 * b.high)
          return {fmt::format("fmax({}, {})", x, y), wide, std::max(a.low, b.low), std::max(a.high, b.high),
                  std::max(ea, eb) + rounding};
        return {fmt::format("{} - {}", x, y), wide, a.low - b.high, a.high - b.low, 3 * (ea + eb) + rounding};
      case 5:
        return {fmt::format("{} / {}", x, y), wide, a.low / b.high, a.high / b.low, ea + eb + function};
      case 6:
        return {fmt::format("std::sqrt({})", x), wide, std::sqrt(a.low), std::sqrt(a.high), ea + function};
      case 7:
        return {fmt::format("1 / std::sqrt({})", x), wide, 1 / std::sqrt(a.high), 1 / std::sqrt(a.low),
                ea + 2 * function};
      case 8:
        return {fmt::format("gdr::rsqrt({})", cast(a, false)), false, 1 / std::sqrt(a.high), 1 / std::sqrt(a.low),
                rounded(a, false) + kFunctionError};
      case 9:
        return {fmt::format("gdr::reciprocal({})", cast(a, false)), false, 1 / a.high, 1 / a.low,
                rounded(a, false) + kFunctionError};
      case 10:
        return {fmt::format("{} ? {} : {}", condition(), x, y), wide, std::min(a.low, b.low), std::max(a.high, b.high),
                std::max(ea, eb) + rounding};
      case 11:
        return {fmt::format("std::fabs(-{}) + std::fmin({}, {})", x, x, y), wide, a.low + std::min(a.low, b.low),
                a.high + std::min(a.high, b.high), std::max(ea, eb) + 2 * rounding};
      default:
        if (a.high > 8)
          return {fmt::format("std::log2({} + 2.0f)", cast(a, false)), false, std::log2(a.low + 2),
                  std::log2(a.high + 2), 2 * rounded(a, false) + 2 * kFunctionError};
        return {fmt::format("std::exp({})", cast(a, false)), false, std::exp(a.low), std::exp(a.high),
                a.high * rounded(a, false) + kFunctionError};
    }
  }

  void accumulate(const char* result, double& bound, bool brief) {
    const Value value = any();
    const double summing = pairs_ * (brief ? 2 * kShortError : std::ldexp(1.0, -52));
    bound = value.error + summing + (brief && value.wide ? kShortError : 0);
    const std::string text = brief ? cast(value, false) : value.text;
    switch (below(4)) {
      case 0:
        body_ += fmt::format("  if ({}) f.{} += {};\n", condition(), result, text);
        break;
      case 1:
        body_ += fmt::format("  f.{} += {} ? {} : 0;\n", result, condition(), text);
        break;
      case 2:
        body_ += fmt::format("  f.{} -= {};\n", result, text);
        break;
      default:
        body_ += fmt::format("  f.{} += {};\n", result, text);
        break;
    }
  }

  void extreme(const char* result, const char* function, double& bound) {
    const Value value = any();
    bound = value.error + std::ldexp(1.0, -52);
    if (below(2) == 0) {
      body_ += fmt::format("  f.{0} = std::{1}(f.{0}, {2});\n", result, function, cast(value, true));
    } else {
      const char* relation = function[2] == 'i' ? "<" : ">";
      body_ += fmt::format("  if ({2} {1} f.{0}) f.{0} = {2};\n", result, relation, cast(value, true));
    }
  }

  std::mt19937_64 random_;
  double pairs_;
  std::vector<Value> values_;
  std::string body_;
};

}  // namespace

RandomFunction random_function(std::uint64_t seed, std::size_t pairs) { return Generator(seed, pairs).function(seed); }

std::string random_prologue() {
  return "#include <gdr/kernel.h>\n"
         "struct I { double a[3]; float b; int n; };\n"
         "struct J { double x[3]; float m; float w; int k; };\n"
         "struct F { double sum; double other; float brief; double least; double most; };\n"
         "struct P { double s; };\n";
}

}  // namespace gdr::compiler_testing
