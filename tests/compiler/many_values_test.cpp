// Pair functions of smoothed particles and of molecules that need more double values at once, and more conditions, than
// registers and flags hold: every level and seed takes them, and the board gives what the host gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::many_values {
namespace {

using testing::HasSubstr;

struct I {
  double x[3];
  double a[8];
  int id;
};
struct J {
  double y[3];
  double b[8];
  int jd;
};
struct F {
  double f[3] = {};
  double g[8] = {};
  double e = 0, v = 0;
};
using Pair = void (*)(const I&, const J&, F&);

constexpr const char* kRecords =
    "#include <gdr/kernel.h>\n#include <cmath>\nstruct I { double x[3]; double a[8]; int id; };\n"
    "struct J { double y[3]; double b[8]; int jd; };\nstruct F { double f[3]; double g[8]; double e, v; };\n";

struct Function {
  const char* name;
  const char* body;
};

void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

// The cubic spline's force, potential and density, in pieces.
constexpr Function kSpline{"Spline", R"(
void k(const I& i, const J& j, F& f) {
  double d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) { d[c] = i.x[c] - j.y[c]; r2 += d[c] * d[c]; }
  const double h = i.a[0] > j.b[0] ? i.a[0] : j.b[0], m = j.b[1];
  const double r = std::sqrt(r2);
  double fac, wp;
  if (r >= h) {
    if (r2 > 0) { fac = m / (r2 * r); wp = -m / r; } else { fac = 0; wp = 0; }
  } else {
    const double hi = 1 / h, h3 = hi * hi * hi, u = r * hi;
    if (u < 0.5) {
      fac = m * h3 * (10.666666666667 + u * u * (32 * u - 38.4));
      wp = m * hi * (-2.8 + u * u * (5.333333333333 + u * u * (6.4 * u - 9.6)));
    } else {
      fac = m * h3 * (21.333333333333 - 48 * u + 38.4 * u * u - 10.666666666667 * u * u * u - 0.066666666667 / (u * u * u));
      wp = m * hi * (-3.2 + 0.066666666667 / u + u * u * (10.666666666667 + u * (-16 + u * (9.6 - 2.133333333333 * u))));
    }
    f.v += u < 0.5 ? m * h3 * (2.54647908947 + 15.278874536822 * (u - 1) * u * u)
                   : m * h3 * 5.092958178941 * (1 - u) * (1 - u) * (1 - u);
  }
  for (int c = 0; c < 3; ++c) f.f[c] -= fac * d[c];
  f.e += wp;
}
)"};

// Conditions within conditions.
constexpr Function kNested{"Nested", R"(
void k(const I& i, const J& j, F& f) {
  const double q = i.a[0], p = j.b[0];
  double d[3], r2 = 0, w = 0, z = 0;
  for (int c = 0; c < 3; ++c) { d[c] = i.x[c] - j.y[c]; r2 += d[c] * d[c]; }
  if (r2 < 0.4) {
    if (d[0] > 0) {
      if (d[1] > 0) { if (d[2] > 0) w = q * p; else w = q - p; }
      else { if (d[2] > 0) w = q / p; else { w = q + p; z = 1 / (r2 + 0.125); } }
    } else {
      if (d[1] > 0) { z = std::sqrt(r2); w = z * q; }
      else if (d[2] > 0) { z = r2 * r2; if (i.id < j.jd) w = 1; }
      else w = -1;
    }
    for (int c = 0; c < 3; ++c) f.f[c] += w * d[c];
    if (w > z) f.e += w; else f.e += z;
  } else if (r2 < 0.9) {
    f.v += i.id > j.jd ? r2 : 1 - r2;
    if (i.id == j.jd) f.e += 1;
  } else {
    switch (j.jd & 3) { case 0: f.v += 1; break; case 1: f.v += d[0]; [[fallthrough]]; case 2: f.v += d[1]; break; default: f.e -= 1; }
  }
}
)"};

// Gay and Berne's potential of two ellipsoids with axes a and b, cut off.
constexpr Function kEllipsoids{"Ellipsoids", R"(
void k(const I& i, const J& j, F& f) {
  double d[3], r2 = 0, a = 0, b = 0, c = 0;
  for (int n = 0; n < 3; ++n) { d[n] = i.x[n] - j.y[n]; r2 += d[n] * d[n]; }
  if (i.id == j.jd || r2 > 1.5) return;
  const double r = std::sqrt(r2), ri = 1 / r;
  for (int n = 0; n < 3; ++n) { a += i.a[n] * d[n]; b += j.b[n] * d[n]; c += i.a[n] * j.b[n]; }
  a *= ri; b *= ri;
  const double chi = 0.2, chp = 0.1, ap = a + b, am = a - b;
  const double g = 1 - 0.5 * chi * (ap * ap / (1 + chi * c) + am * am / (1 - chi * c));
  const double sig = 1 / std::sqrt(g);
  const double e1 = 1 / std::sqrt(1 - chi * chi * c * c);
  const double e2 = 1 - 0.5 * chp * (ap * ap / (1 + chp * c) + am * am / (1 - chp * c));
  const double ep = e1 * e2 * e2, rho = 1 / (r - sig + 2);
  const double r3 = rho * rho * rho, r6 = r3 * r3, u = 4 * ep * (r6 * r6 - r6);
  double fr = 0;
  if (r < 1) fr = 24 * ep * (2 * r6 * r6 - r6) * rho * ri;
  for (int n = 0; n < 3; ++n) f.f[n] += fr * d[n];
  f.e += u;
}
)"};

// Lennard-Jones in eight dimensions, with a limit for each component of the force.
constexpr Function kDimensions{"Dimensions", R"(
void k(const I& i, const J& j, F& f) {
  double d[8], r2 = 0;
  for (int c = 0; c < 8; ++c) { d[c] = i.a[c] - j.b[c]; r2 += d[c] * d[c]; }
  if (r2 < 4 && i.id != j.jd) {
    const double over = 1 / (r2 + 0.25), r6 = over * over * over, g = 24 * r6 * (2 * r6 - 1) * over;
    for (int c = 0; c < 8; ++c) {
      double one = g * d[c];
      if (one > 100) one = 100; else if (one < -100) one = -100;
      f.g[c] += one;
    }
    f.e += 4 * r6 * (r6 - 1);
  }
}
)"};

class ManyValues : public testing::TestWithParam<Function> {};

std::vector<std::uint64_t> words_of(const std::vector<I>& records) {
  std::vector<std::uint64_t> words;
  for (const I& one : records) {
    for (const double x : one.x) words.push_back(bits(x));
    for (const double a : one.a) words.push_back(bits(a));
    words.push_back(static_cast<std::uint64_t>(one.id));
  }
  return words;
}

std::vector<std::uint64_t> results_on(const char* engine, const isa::Program& program,
                                      const std::vector<std::uint64_t>& words, std::size_t records) {
  DeviceOptions options;
  options.engine = engine;
  Device device(options);
  device.load(program);
  device.write_j(0, words);
  return device.run(words, records);
}

TEST_P(ManyValues, EveryLevelTakesThem) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const HostFunctions host(std::string(kRecords) + GetParam().body +
                           "extern \"C\" decltype(&k) host_k;\ndecltype(&k) host_k = k;\n");
  std::vector<I> i;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> place(0, 1);
  for (int n = 0; n < 24; ++n) {
    I& one = i.emplace_back();
    for (double& x : one.x) x = place(random);
    for (double& a : one.a) a = 0.25 + 0.5 * place(random);
    one.id = n;
  }
  const std::vector<std::uint64_t> words = words_of(i);
  std::vector<double> expected;
  double largest = 0;
  for (const I& one : i) {
    F f;
    for (const I& other : i) (*static_cast<Pair*>(host.symbol("host_k")))(one, std::bit_cast<J>(other), f);
    for (const double value : f.f) expected.push_back(value);
    for (const double value : f.g) expected.push_back(value);
    expected.insert(expected.end(), {f.e, f.v});
  }
  for (const double value : expected) largest = std::max(largest, std::fabs(value));
  for (const unsigned effort : {1U, 2U}) {
    compiler::CompileOptions options;
    options.effort = effort;
    options.seed = 3 - effort;
    const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "many.bc", options);
    ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
    EXPECT_EQ(compiler::compile_ir(host.bitcode(), "many.bc", options).source, compiled.source);
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "many.vsm");
    ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
    const std::vector<std::uint64_t> got = results_on("simd", *assembled.program, words, i.size());
    EXPECT_EQ(results_on("reference", *assembled.program, words, i.size()), got);
    ASSERT_EQ(got.size(), expected.size());
    // Products have 50 bits, and each of 24 pairs adds some ten of them.
    for (std::size_t n = 0; n < got.size(); ++n)
      EXPECT_NEAR(std::bit_cast<double>(got[n]), expected[n], 1e-12 * largest) << n << " -O" << effort;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, ManyValues, testing::Values(kSpline, kNested, kEllipsoids, kDimensions),
                         [](const auto& one) { return one.param.name; });

TEST(TooManyValues, MessageNamesThoseThatAreNeededAtOnce) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  std::string source = "struct I { double a; };\nstruct J { double b; };\nstruct F { double s; };\n";
  source += "void k(const I& i, const J& j, F& f) {\n  double first = i.a * j.b;\n";
  for (int n = 0; n < 80; ++n) source += "  double v" + std::to_string(n) + " = first = first * j.b + i.a;\n";
  source += "  double s = first;\n";
  for (int n = 0; n < 80; ++n) source += "  s = s * v" + std::to_string(n) + " + j.b;\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source + "  f.s += s;\n}\n", false), "k.bc");
  ASSERT_EQ(compiled.diagnostics.size(), 1u);
  EXPECT_THAT(compiled.diagnostics[0].message,
              HasSubstr("after line 85 the values that are needed take 640 short words: "));
  EXPECT_THAT(compiled.diagnostics[0].message, HasSubstr("first (line 9), "));
  EXPECT_THAT(compiled.diagnostics[0].message, HasSubstr(" more"));
}

}  // namespace
}  // namespace gdr::compiler_testing::many_values
