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
  double c[3];
  float g[2];
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
    "#include <complex>\n#include <compare>\n#include <cstdint>\n#include <numeric>\n#include <optional>\n#include "
    "<utility>\n"
    "struct I { double a, b; int k; unsigned u; };\nstruct J { double z; double c[3]; float g[2]; };\nstruct F { "
    "double y[3]; };\n";

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
      {"TablesInAStructure",
       "struct T { double eps[4]; int kind[4]; float w[3]; };\nstatic const T c = {{1, 2, 3, 4}, {-1, 0, 1, 2}, {0.5f, "
       "2, 8}};\n",
       "f.y[0] += c.eps[i.k & 3]; f.y[1] += c.kind[i.u & 3]; f.y[2] += c.w[i.u % 3];"},
      {"TablesThatEndInZeros", "struct T { double v[100]; double w[60]; };\nstatic const T c = {{1, 2, 3}, {-1, 1}};\n",
       "f.y[0] += c.w[i.k & 3]; f.y[1] += c.v[i.u & 7];"},
      {"RowOfATable", "static const double c[20][8] = {{1, 2}, {3, 4, 5}, {6, 7, 8, 9}};\n",
       "f.y[0] += c[2][i.k & 3]; f.y[1] += c[i.u % 3][1]; const long n = i.u & 7; f.y[2] += c[2][n - 4 < 0 ? 0 : n - "
       "4];"},
      {"TableThroughAPointer",
       "struct T { int n[3]; double v[6]; };\nstatic const T c = {{1, 2, 3}, {2, 3, 5, 7, 11}};\n",
       "const double* p = c.v + 5; f.y[0] += p[-1 - (i.k & 3)];"},
      {"TableBehindABranch", "static const double c[4] = {1, 2, 3, 4};\n",
       "if (i.k >= 0 && i.k < 4) f.y[0] += c[i.k]; f.y[1] += i.k; f.y[2] += i.k > 5;"},
      {"TableBehindAReturn", "static const double c[300] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n",
       "const int n = i.k + 2; f.y[2] += n; if (n < 0) return; if (n > 7) return; f.y[0] += c[n] - c[n + 1];"},
      {"TableUnderBothEnds", "static const double c[300] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n",
       "f.y[0] += i.u < 100 ? c[i.u] : -1; if (i.k >= 0 && i.k < 5 && i.u < 4) f.y[1] += c[i.k * 4 + i.u];"},
      {"TableOfLimitedIndex", "static const double c[300] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n",
       "f.y[0] += c[std::clamp(i.k, 0, 7)]; f.y[1] += c[std::min(i.u, 8u)]; f.y[2] += c[std::max(std::min<long>(i.k, "
       "6), 1L)];"},
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
      {"LocalArraysInAStructure", "",
       "struct { double v[3]; double w[2]; } c = {{i.a, i.b, 2}, {3, 4}}; c.w[i.k & 1] += 1; f.y[0] += c.v[i.u % 3]; "
       "f.y[1] += c.w[0] + 2 * c.w[1];"},
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
       "f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"Hypot3", "", "f.y[0] += std::hypot(i.a, i.b, 2.0); f.y[1] += std::lerp(i.a, i.b, 0.3);"},
      {"Clamp", "", "f.y[0] += std::clamp(i.a, -1.0, 1.0); f.y[1] += std::clamp(i.k, -1, 3); f.y[2] += std::abs(i.k);"},
      {"ListsOfNumbers", "",
       "f.y[0] += std::min({i.a, i.b, 0.5}); const auto [lo, hi] = std::minmax(i.a, i.b); f.y[1] += lo + 3 * hi; "
       "f.y[2] += std::max({i.k, 2, 1});"},
      {"Midpoint", "",
       "f.y[0] += std::midpoint(i.a, i.b); f.y[1] += std::midpoint(i.k, 7); f.y[2] += std::midpoint(i.u, 6u);"},
      {"Bits", "",
       "f.y[0] += std::popcount(i.u) + 100 * std::countl_zero(i.u); f.y[1] += std::bit_width(i.u) + 100 * "
       "std::countr_one(i.u); f.y[2] += std::bit_floor(i.u) + std::rotl(i.u, 5);"},
      {"BitCeil", "", "f.y[0] += std::bit_ceil(i.u); f.y[1] += std::has_single_bit(i.u) ? 1 : 2;"},
      {"NumbersThereAndBack", "", "f.y[0] += std::bit_cast<double>(std::bit_cast<std::uint64_t>(i.a));"},
      {"ComparedAcrossSigns", "", "f.y[0] += std::cmp_less(i.k, i.u) ? 1 : 2; f.y[1] += (i.a <=> i.b) < 0 ? 1 : 2;"},
      {"UnsignedProducts", "",
       "f.y[0] += i.u * 2654435761u; f.y[1] += (i.u * i.u) >> 7; f.y[2] += static_cast<double>(static_cast<long>(i.k) "
       "* i.u);"},
      {"ShortIntegers", "",
       "const auto c = static_cast<signed char>(i.k * 50); const auto s = static_cast<unsigned short>(i.u * 77); "
       "f.y[0] += c; f.y[1] += s; f.y[2] += static_cast<std::uint8_t>(i.k);"},
      {"QuotientsOfIntegers", "",
       "f.y[0] += i.k / 3 + 100 * (i.k % 3); f.y[1] += i.u / 7 + i.u % 7; f.y[2] += -7 / (i.k | 1);"},
      {"ShiftsOfNegatives", "", "f.y[0] += i.k >> 1; f.y[1] += (i.k << 3) ^ 5; f.y[2] += ~i.k;"},
      {"Conversions", "",
       "f.y[0] += static_cast<int>(i.a * 1024); f.y[1] += std::lround(i.a * 4); f.y[2] += "
       "static_cast<unsigned>(std::fabs(i.b) * 65536);"},
      {"MemberArray", "", "f.y[0] += j.c[i.u % 3]; f.y[1] += j.g[i.k & 1]; f.y[2] += j.c[2 - i.u % 3];"},
      {"MemberArrayBehindAnOffset", "",
       "f.y[0] += j.c[(i.k & 1) + 1]; const int n = (i.k & 1) + 1; f.y[1] += j.c[n - 1] + j.g[n - 1];"},
      {"LongIndices", "", "const std::size_t n = i.u % 3; f.y[0] += j.c[n]; const long m = i.k & 1; f.y[1] += j.g[m];"},
      {"LocalMatrix", "", "const double m[2][2] = {{i.a, 1}, {2, i.b}}; f.y[0] += m[i.k & 1][i.u & 1];"},
      {"LocalArrayOfALoop", "",
       "float w[4]; for (int n = 0; n < 4; ++n) w[n] = n * i.k; w[i.u & 3] = 7; for (int n = 0; n < 4; ++n) f.y[0] += "
       "(n + 1) * w[n];"},
      {"OneOfTwoTables", "constexpr double c[3] = {1, 2, 3}, d[3] = {-1, -2, 7};\n",
       "const double* t = i.k > 0 ? c : d; f.y[0] += t[i.u % 3];"},
      {"Permutation", "constexpr int p[3] = {2, 0, 1};\n", "f.y[0] += j.c[p[i.u % 3]];"},
      {"WordsSideBySide", "struct Bin { double sum; int count; };\n",
       "Bin bins[3] = {}; bins[i.u % 3].sum += i.a; f.y[0] += bins[0].sum + 2 * bins[1].sum;"},
      {"SumsOfConditions", "",
       "f.y[0] += (i.a > 0) + (i.b > 1) + (i.k > 2); f.y[1] += i.a > 0 && !(i.b > 1) || i.k == 4;"},
      {"Optional", "",
       "std::optional<double> o; if (i.k > 0) o = i.b; if (o && *o > 1.2) f.y[0] += *o; f.y[1] += o.has_value(); "
       "f.y[2] "
       "+= o.value_or(-1);"},
      {"Swapped", "",
       "double a = i.a, b = i.b; if (a > b) std::swap(a, b); f.y[0] += a + 2 * b; const double o = std::exchange(a, "
       "1.0); f.y[1] += o + 2 * a;"},
      {"ArraysOfTheLibrary", "",
       "std::array<double, 3> d{i.a, i.b, 1.0}; f.y[0] += *std::max_element(d.begin(), d.end()); f.y[1] += "
       "std::accumulate(d.begin(), d.end(), 0.0); f.y[2] += std::inner_product(d.begin(), d.end(), d.begin(), 0.0);"},
      {"LoopThatEnds", "",
       "double x = i.b; int n = 0; for (; n < 8; ++n) { if (x > 2) break; x += 1; } f.y[0] += x; f.y[1] += n;"},
      {"LoopThatIsLeftByManyWays", "",
       "double a = 0; int n = 0; while (n < 5) { const double d = i.a - n * i.b; a += d; ++n; if (a > 3) { f.y[1] += "
       "n; break; } if (d < -4) continue; f.y[0] += a; } f.y[2] += a;"},
      {"LoopThatReturns", "",
       "double a = i.b; for (int n = 0; n < 4; ++n) { const double d = a * i.a; if (d > 9) return; if (d < -2) break; "
       "a += d; f.y[n % 3] += d; } f.y[2] += a;"},
      {"LoopsThatEndEachOther", "",
       "bool on = true; for (int n = 0; n < 4 && on; ++n) { const int m = i.u >> n; for (int l = 0; l < 3; ++l) { "
       "const int k = (m >> l) & 3; if (k == 0) break; if (k == 3) { on = false; break; } f.y[l] += k; } f.y[0] += "
       "10; }"},
      {"SwitchInALoop", "",
       "int state = i.k & 3; for (int n = 0; n < 5; ++n) { const int next = i.u >> n & 3; switch (state) { case 0: "
       "state = next; continue; case 1: f.y[0] += next; break; case 2: f.y[1] += next; state = 0; break; default: "
       "return; } state ^= next; } f.y[2] += state;"},
      {"ScopesThatAreLeft", "struct Sum { double& to; double s = 0; ~Sum() { to += s; } };\n",
       "double all = 0; for (int n = 0; n < 4; ++n) { Sum one{all}; one.s = i.a + n; if (one.s > 3) break; if (one.s < "
       "0) continue; one.s *= 2; } f.y[0] += all;"},
      {"Switched", "",
       "int n = 0; switch (i.k & 3) { case 0: n += 1; [[fallthrough]]; case 1: n += 10; break; case 2: n = 5; break; "
       "default: n = -1; } f.y[0] += n;"},
      {"Jump", "", "double x = i.a; if (x > 0) goto out; x = -2 * x; out: f.y[0] += x;"},
      {"ComplexProducts", "",
       "std::complex<double> z(i.a, i.b); z *= std::conj(z) + 1.0; f.y[0] += z.real(); f.y[1] += z.imag(); f.y[2] += "
       "std::norm(z);"},
      {"Polar", "", "const auto z = std::polar(2.0, i.b); f.y[0] += z.real(); f.y[1] += z.imag();"},
      {"RoundedHalves", "",
       "f.y[0] += std::round(i.k * 0.5); f.y[1] += std::nearbyint(i.k * 0.5); f.y[2] += std::llrint(i.k * 0.5);"},
      {"Templates",
       "template <class... T> auto sum(T... t) { return (t + ...); }\ntemplate <class T> T twice(T x) { if constexpr "
       "(sizeof(T) == 8) return 2 * x; else return x; }\n",
       "f.y[0] += sum(i.a, i.b, 1.0, i.k); f.y[1] += twice(i.a) + twice(i.k);"},
      {"Lambdas", "",
       "const auto g = [&](auto x, auto y) { return x * i.b + y; }; f.y[0] += g(i.a, i.k); f.y[1] += g(i.u, 0.5f);"},
      {"LogicalShifts", "",
       "f.y[0] += (i.u << 9) >> 3; f.y[1] += static_cast<unsigned>(i.k) >> 28; f.y[2] += (i.u ^ 0xffffffffu) & "
       "0x0ff0;"},
      {"WrappedDifference", "",
       "f.y[0] += i.u - 6u; f.y[1] += static_cast<double>(i.u) - 6; f.y[2] += (i.u - 6u) / 3;"},
      {"Enumerations", "enum class Kind : unsigned char { a = 3, b = 200 };\n",
       "const Kind q = i.k > 2 ? Kind::a : Kind::b; f.y[0] += static_cast<int>(q);"},
      {"Bitfields", "struct Packed { unsigned low : 5; int high : 7; };\n",
       "Packed q{}; q.low = i.u; q.high = i.k * 9; f.y[0] += q.low; f.y[1] += q.high;"},
      {"Unions", "", "union { double d; double e[1]; } q; q.d = i.a; f.y[0] += q.e[0];"},
      {"Beta", "", "f.y[0] += std::beta(1 + i.a * i.a * 0.001, 2.5); f.y[1] += std::legendre(3, 0.5) * i.a;"}};
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
  const J j{0, {1.5, -2, 7}, {0.25, 3}};
  device.write_j(
      0, std::vector<std::uint64_t>{bits(j.z), bits(j.c[0]), bits(j.c[1]), bits(j.c[2]), bits(j.g[0]), bits(j.g[1])});
  const std::vector<std::uint64_t> got = device.run(words, 1);
  const auto pair = *static_cast<Pair*>(host().symbol(std::string("host_") + one.name));
  ASSERT_EQ(got.size(), 3 * all.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    F f{};
    pair(all[n], j, f);
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
