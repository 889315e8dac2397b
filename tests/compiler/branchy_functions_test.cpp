// Random functions with branches: the compiler takes them, and the board agrees exactly with the host's compiler, which
// optimises nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "branchy_functions.h"
#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::branchy {
namespace {

constexpr std::size_t kI = 9;
constexpr std::size_t kJ = 24;
constexpr std::size_t kResults = 11;
constexpr std::size_t kOfOneFile = 60;  // functions
constexpr double kFar = std::numeric_limits<double>::infinity();

// As branchy_prologue() declares them.
struct I {
  float x, z;
  double w;
  int k;
};
struct J {
  float u, v;
  double t;
  int m;
};
struct F {
  float r0 = 0;
  double r1 = 0, r2 = 0;
  int c0 = 0, c1 = 0;
  float least = std::numeric_limits<float>::infinity();
  double most = -kFar;
  int low = std::numeric_limits<int>::max(), all = -1, any = 0, odd = 0;
};
struct P {
  float a;
  int b;
};
using Pair = void (*)(const I&, const J&, F&, const P&);
constexpr bool kIsInteger[kResults] = {false, false, false, true, true, false, false, true, true, true, true};

struct Data {
  std::vector<I> i;
  std::vector<J> j;
  P p;

  explicit Data(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto quarters = [&] { return 0.25 * std::uniform_int_distribution(-16, 16)(random); };
    const auto whole = [&] { return std::uniform_int_distribution(0, 7)(random); };
    for (std::size_t n = 0; n < kI; ++n) {
      i.push_back({static_cast<float>(quarters()), static_cast<float>(quarters()), quarters(), whole()});
    }
    for (std::size_t n = 0; n < kJ; ++n) {
      j.push_back({static_cast<float>(quarters()), static_cast<float>(quarters()), quarters(), whole()});
    }
    p = {static_cast<float>(quarters()), whole()};
  }
};

std::uint64_t integer(int value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }

std::vector<double> on_host(Pair pair, const Data& data, const I& i) {
  F f;
  for (const J& j : data.j) pair(i, j, f, data.p);
  return {f.r0,
          f.r1,
          f.r2,
          static_cast<double>(f.c0),
          static_cast<double>(f.c1),
          f.least,
          f.most,
          static_cast<double>(f.low),
          static_cast<double>(f.all),
          static_cast<double>(f.any),
          static_cast<double>(f.odd)};
}

/// The results that no pair changed: the board tells the identity of an operation otherwise.
bool is_start(std::size_t result, double value) {
  const F start;
  switch (result) {
    case 5:
      return value == static_cast<double>(start.least);
    case 6:
      return value == start.most;
    case 7:
      return value == start.low;
    case 8:
      return value == start.all;
    default:
      return false;
  }
}

std::vector<double> on_board(const isa::Program& program, const Data& data) {
  Device device;
  device.load(program);
  device.set_parameter("a", data.p.a);
  device.set_parameter("b", data.p.b);
  std::vector<std::uint64_t> i;
  std::vector<std::uint64_t> j;
  for (const I& one : data.i) i.insert(i.end(), {bits(one.x), bits(one.z), bits(one.w), integer(one.k)});
  for (const J& one : data.j) j.insert(j.end(), {bits(one.u), bits(one.v), bits(one.t), integer(one.m)});
  device.write_j(0, j);
  std::vector<double> results;
  for (const std::uint64_t word : device.run(i, kJ)) {
    const bool whole = kIsInteger[results.size() % kResults];
    results.push_back(whole ? static_cast<double>(static_cast<std::int32_t>(word)) : std::bit_cast<double>(word));
  }
  return results;
}

/// So many of the functions `first` and following are refused, which is told of; all others are right.
void check(std::uint64_t first, std::size_t count, std::size_t& refused) {
  std::string source = branchy_prologue() + "using Pair = void (*)(const I&, const J&, F&, const P&);\n";
  std::vector<std::string> functions;
  for (std::size_t n = 0; n < count; ++n) {
    const std::string name = fmt::format("branchy_{}", first + n);
    functions.push_back(branchy_function(name, first + n));
    source += functions.back() + fmt::format("extern \"C\" Pair host_{0};\nPair host_{0} = {0};\n", name);
  }
  const HostFunctions host(source, HostCompiler::plain);
  for (std::size_t n = 0; n < count; ++n) {
    SCOPED_TRACE(functions[n]);
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = fmt::format("branchy_{}", first + n);
    const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "all.bc", options);
    if (compiled.source.empty()) {
      ++refused;
      fmt::print("{} is refused: {}{}\n", options.function, compiler::format_diagnostics(compiled), functions[n]);
      continue;
    }
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "branchy.vsm");
    ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
    const Data data(first + n);
    const auto pair = *static_cast<Pair*>(host.symbol("host_" + options.function));
    const std::vector<double> got = on_board(*assembled.program, data);
    for (std::size_t i = 0; i < kI; ++i) {
      const std::vector<double> expected = on_host(pair, data, data.i[i]);
      for (std::size_t result = 0; result < kResults; ++result) {
        if (is_start(result, expected[result])) continue;
        ASSERT_EQ(got[i * kResults + result], expected[result]) << "result " << result << " of i-particle " << i << "\n"
                                                                << compiled.source;
      }
    }
  }
}

TEST(BranchyFunctions, AreTakenAndExact) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  constexpr std::size_t kFunctions = 300;
  // One changes no result, since it always returns before; the others are loops whose turns are too much at once.
  constexpr std::size_t kMostRefused = 7;
  std::size_t refused = 0;
  for (std::size_t n = 0; n < kFunctions; n += kOfOneFile) {
    check(1 + n, kOfOneFile, refused);
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(refused, kMostRefused);
}

/// Lines of the loop of a function with the parameters i, j and f, by the default effort.
unsigned lines_of(const std::string& head, const std::string& body) {
  const std::string source =
      "#include <gdr/kernel.h>\n#include <cmath>\n" + head + "void k(const I& i, const J& j, F& f) {\n" + body + "}\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "k.bc");
  EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled) << source;
  return compiled.lines;
}

TEST(ConditionLines, GrowByOneOperationForEachComparison) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::string head = "struct I { float x; };\nstruct J { float y, k; };\nstruct F { float r; };\n";
  const auto joined = [](const char* by) {
    std::string all = "i.x > j.y + j.k";
    for (int n = 1; n < 12; ++n) all += fmt::format(" {} i.x > {}.5f * j.y + j.k", by, n);
    return "  if (" + all + ") f.r += i.x;\n";
  };
  const unsigned all = lines_of(head, joined("&&"));
  EXPECT_LE(all, 30u);
  EXPECT_LE(all, lines_of(head, joined("&")) + 2);
}

TEST(ConditionLines, OfAChainOfElseAreThoseOfItsComparisons) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  EXPECT_LE(lines_of("struct I { float x; };\nstruct J { float y, m; };\nstruct F { float f, n; };\n",
                     "  const float q = std::fabs(j.y - i.x);\n  float w;\n"
                     "  if (q < 0.5f) w = 1 - 6 * q * q + 6 * q * q * q;\n"
                     "  else if (q < 1) w = 2 * (1 - q) * (1 - q) * (1 - q);\n"
                     "  else if (q < 1.5f) w = -0.01f * (1.5f - q);\n"
                     "  else if (q < 2) w = 0.001f * q;\n  else return;\n  f.f += j.m * w;\n  f.n += 1;\n"),
            17u);
}

std::string histogram(unsigned bins) {
  return fmt::format(
      "#include <gdr/kernel.h>\n#include <cmath>\n"
      "struct I {{ float x[3]; int id; }};\nstruct J {{ float y[3]; int idj; }};\nstruct F {{ int bin[{0}]; }};\n"
      "void hist(const I& i, const J& j, F& f) {{\n  float r2 = 0;\n"
      "  for (int k = 0; k < 3; ++k) {{ const float d = i.x[k] - j.y[k]; r2 += d * d; }}\n"
      "  const int b = static_cast<int>(std::sqrt(r2) * 2.0f);\n"
      "  if (i.id != j.idj) for (int n = 0; n < {0}; ++n) if (b == n) f.bin[n] += 1;\n}}\n",
      bins);
}

TEST(ConditionLines, OfCountersAreTwoOperationsEach) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (const auto& [bins, most] : {std::pair(8U, 48U), std::pair(16U, 56U)}) {
    const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(histogram(bins), false), "hist.bc");
    EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
    EXPECT_LE(compiled.lines, most) << bins;
  }
}

TEST(ConditionLines, CountersCountOnlyWhereTheirConditionHolds) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const compiler::CompileResult compiled = compiler::compile_ir(
      llvm_code("#include <gdr/kernel.h>\n#include <cmath>\nstruct I { float x; int id; };\n"
                "struct J { float y; int idj; };\nstruct F { int bin[8]; };\n"
                "void hist(const I& i, const J& j, F& f) {\n  const int b = static_cast<int>((i.x - j.y) * 2.0f);\n"
                "  if (i.id != j.idj) for (int n = 0; n < 8; ++n) if (b == n) f.bin[n] += 1;\n}\n",
                false),
      "hist.bc");
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "hist.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  constexpr int kPoints = 40;
  // One is far away: its distance in bins has all 32 bits.
  const auto place = [](int n) { return n == kPoints - 1 ? 0x1.23456p29 : 0.125 * (7 * n % 97 - 48); };
  const auto number = [](int n) { return n % 5; };
  std::vector<std::uint64_t> points;
  for (int n = 0; n < kPoints; ++n) points.insert(points.end(), {bits(place(n)), integer(number(n))});
  Device device;
  device.load(*assembled.program);
  device.write_j(0, points);
  const std::vector<std::uint64_t> words = device.run(points, kPoints);
  for (int i = 0; i < kPoints; ++i) {
    std::array<int, 8> expected{};
    for (int j = 0; j < kPoints; ++j) {
      const int bin = static_cast<int>((place(i) - place(j)) * 2);
      if (number(i) != number(j) && bin >= 0 && bin < 8) ++expected[static_cast<std::size_t>(bin)];
    }
    for (std::size_t bin = 0; bin < 8; ++bin) {
      EXPECT_EQ(static_cast<std::int32_t>(words[8 * static_cast<std::size_t>(i) + bin]), expected[bin]) << i;
    }
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::branchy
