// What people write in pair functions: functions with results behind pointers, arrays at indices of data, complex
// numbers and the library of C++20. The board gives what the host gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::written {
namespace {

struct I {
  double a, b;
  int k;
  unsigned u;
};
struct J {
  double z;
};
struct F {
  double y[3];
};
using Pair = void (*)(const I&, const J&, F&);

struct Written {
  const char* name;
  const char* outside;  // before the function
  const char* inside;
};

constexpr const char* kHead =
    "#include <gdr/kernel.h>\n#include <algorithm>\n#include <array>\n#include <bit>\n#include <cmath>\n"
    "#include <complex>\n#include <cstdint>\n#include <numeric>\n"
    "struct I { double a, b; int k; unsigned u; };\nstruct J { double z; };\nstruct F { double y[3]; };\n";

const std::vector<Written>& all_written() {
  static const std::vector<Written> all{
      {"Frexp", "", "int e; f.y[0] += std::frexp(i.a, &e); f.y[1] += e; f.y[2] += std::ldexp(i.b, e);"},
      {"FrexpOfFloat", "", "int e; f.y[0] += std::frexp(static_cast<float>(i.k), &e); f.y[1] += e;"},
      {"FrexpOfHalves", "", "int e = 0; const double m = std::frexp(i.k * 0.5, &e); f.y[0] += e; f.y[1] += m;"},
      {"Modf", "", "double whole; f.y[0] += std::modf(i.a, &whole); f.y[1] += whole;"},
      {"ModfOfFloat", "", "float whole; f.y[0] += std::modf(static_cast<float>(i.k) / 4, &whole); f.y[1] += whole;"},
      {"Remquo", "", "int q; f.y[0] += std::remquo(i.a, i.b, &q); f.y[1] += q;"},
      {"RemquoTied", "", "int q; f.y[0] += std::remquo(i.k * 0.5, 1.0, &q); f.y[1] += q;"},
      {"Sincos", "", "double s, c; sincos(i.a, &s, &c); f.y[0] += s; f.y[1] += c;"},
      {"OnlyTheExponent", "", "int e[2]; std::frexp(i.a, &e[1]); f.y[0] += e[1];"},
      {"UnderACondition", "", "int e = 7; if (i.k > 0) std::frexp(i.a, &e); f.y[0] += e;"},
      {"Ilogb", "", "f.y[0] += std::ilogb(i.a); f.y[1] += std::logb(i.b);"},
      {"PowerOfNegative", "", "f.y[0] += std::pow(-2.0 - i.a * i.a * 0.01, i.k); f.y[1] += std::pow(i.b, 3 - i.k);"},
      {"SignBit", "", "f.y[0] += std::signbit(i.a) ? 1 : 2; f.y[1] += std::signbit(static_cast<float>(i.b)) ? 1 : 0;"},
      {"IsNormal", "", "f.y[0] += std::isnormal(i.a) ? 1 : 2; f.y[1] += std::isnormal(i.k * 1.0) ? 1 : 2;"},
      {"ConstantTable", "static const double c[8] = {1, -2, 4.5, 8, 16, 32, 64.25, 128};\n", "f.y[0] += c[i.k & 7];"},
      {"TableBehindAnOffset", "static const double c[8] = {1, -2, 4.5, 8, 16, 32, 64.25, 128};\n",
       "f.y[0] += c[(i.k & 3) + 4]; f.y[1] += c[4 - (i.k & 3)];"},
      {"TableThatIsNotConstButNeverWritten", "static double c[3] = {0.1, 0.2, 0.3};\n", "f.y[0] += c[i.u % 3];"},
      {"LocalTable", "", "const double c[4] = {1.5, 2.5, 3.5, 4.5}; f.y[0] += c[i.k & 3];"},
      {"LocalStaticTableOfFloats", "", "static const float c[4] = {1.5f, 0.1f, 3, 4}; f.y[0] += c[i.k & 3];"},
      {"TableOfIntegers", "constexpr int c[5] = {3, 1, -4, 1, 5};\n", "f.y[0] += c[i.u % 5];"},
      {"TableOfBytes", "", "f.y[0] += \"abcd\"[i.k & 3];"},
      {"ArrayOfTheLibrary", "constexpr std::array<double, 4> c{1.5, 2.5, 3.5, 4.5};\n", "f.y[0] += c[i.k & 3];"},
      {"TableOfTwoDimensions", "static const double c[2][3] = {{1, 2, 3}, {4, 5, 6}};\n",
       "f.y[0] += c[i.k & 1][i.u % 3];"},
      {"TableOfRecords",
       "struct Q { double a; float b; int n; };\nconstexpr Q c[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};\n",
       "const Q& q = c[i.u % 3]; f.y[0] += q.a * i.a; f.y[1] += q.b; f.y[2] += q.n;"},
      {"ConstantVariable", "static double eps = 0.25;\n", "f.y[0] += eps * i.a;"},
      {"LocalArray", "", "double c[3] = {i.a, i.b, 2}; f.y[0] += c[i.u % 3];"},
      {"LocalArrayThatIsWritten", "",
       "double c[3] = {0, 0, 1}; c[i.u % 3] += i.a; f.y[0] += c[0] + 2 * c[1] + 4 * c[2];"},
      {"LocalCounts", "",
       "int c[4] = {}; for (int n = 0; n < 6; ++n) ++c[(i.u >> n) & 3]; f.y[0] += c[0] + 10 * c[1] + 100 * c[2];"},
      {"Histogram", "", "f.y[i.u % 3] += i.a;"},
      {"HistogramUnderACondition", "", "if (i.k > 0) f.y[i.k % 3] += 1;"},
      {"ComplexSize", "", "const std::complex<double> z(i.a, i.b); f.y[0] += std::abs(z); f.y[1] += std::arg(z);"},
      {"ComplexQuotient", "",
       "const auto z = std::complex<double>(i.a, i.b) / std::complex<double>(i.b, i.k + 0.5); "
       "f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"ComplexQuotientOfFloats", "",
       "const auto z = std::complex<float>(i.k, 3) / std::complex<float>(2, i.k); f.y[0] += z.real(); f.y[1] += "
       "z.imag();"},
      {"ComplexExponential", "",
       "const auto z = std::exp(std::complex<double>(i.b, i.a)); f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"ComplexLogarithm", "",
       "const auto z = std::log(std::complex<double>(i.a, i.b)); f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"ComplexRoot", "",
       "const auto z = std::sqrt(std::complex<double>(i.a, i.b)); f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"ComplexPower", "",
       "const auto z = std::pow(std::complex<double>(2, i.a * 0.01), std::complex<double>(i.b * 0.1, 0.5)); "
       "f.y[0] += z.real(); f.y[1] += z.imag();"}};
  return all;
}

const HostFunctions& host() {
  static const HostFunctions functions = [] {
    std::string source = kHead;
    for (const Written& one : all_written())
      source += fmt::format(
          "namespace in_{0} {{\n{1}void {0}(const I& i, const J& j, F& f) {{ {2} }}\n}}\n"
          "extern \"C\" decltype(&in_{0}::{0}) host_{0};\ndecltype(&in_{0}::{0}) host_{0} = in_{0}::{0};\n",
          one.name, one.outside, one.inside);
    return HostFunctions(source);
  }();
  return functions;
}

std::vector<I> particles() {
  std::vector<I> all{{0.3, 0.7, 1, 5},     {-0.4, 1.3, -2, 77},     {1.5, 2.5, 3, 1024}, {-2.75, 1.1, 7, 3},
                     {3.7, -2.0, 2, 9000}, {100.25, 7.5, -9, 100},  {-7, 3, 4, 6},       {1, 1, 5, 1},
                     {5, -2, -1, 2},       {0.001, -0.5, -4, 4321}, {-1, 4, 8, 11},      {-1000.5, 0.3, 11, 12}};
  return all;
}

class WrittenFunction : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WrittenFunction, GivesWhatTheHostGives) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const Written& one = all_written()[GetParam()];
  compiler::CompileOptions options;
  options.effort = 1;
  options.function = one.name;
  const compiler::CompileResult compiled = compiler::compile_ir(host().bitcode(), "written.bc", options);
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "written.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
  const std::vector<I> all = particles();
  std::vector<std::uint64_t> words;
  for (const I& i : all)
    words.insert(words.end(), {bits(i.a), bits(i.b), static_cast<std::uint64_t>(std::int64_t{i.k}), i.u});
  Device device;
  device.load(*assembled.program);
  device.write_j(0, std::vector<std::uint64_t>{bits(0.0)});
  const std::vector<std::uint64_t> got = device.run(words, 1);
  const auto pair = *static_cast<Pair*>(host().symbol(std::string("host_") + one.name));
  ASSERT_EQ(got.size(), 3 * all.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    F f{};
    pair(all[n], J{}, f);
    // Parts of a complex number are as exact as its size.
    double size = 1e-3;
    for (const double expected : f.y) size = std::isfinite(expected) ? std::fmax(size, std::fabs(expected)) : size;
    for (std::size_t word = 0; word < 3; ++word) {
      const double expected = f.y[word];
      const double found = std::bit_cast<double>(got[3 * n + word]);
      if (std::isfinite(expected)) {
        // Floats of the host have 24 bits, and those of the machine one more.
        const double allowed = std::string(one.name).ends_with("OfFloats") ? 0x1p-21 : 0x1p-45;
        EXPECT_NEAR(found, expected, allowed * size) << "particle " << n;
      } else {
        EXPECT_EQ(found, expected) << "particle " << n;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, WrittenFunction, ::testing::Range(std::size_t{0}, all_written().size()),
                         [](const auto& one) { return std::string(all_written()[one.param].name); });

}  // namespace
}  // namespace gdr::compiler_testing::written
