// A number that comes with the least or greatest of a key, on the board against the host's compilation of the same
// source.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

using testing::HasSubstr;

constexpr std::size_t kI = 70;
constexpr std::size_t kJ = 150;
constexpr double kFar = std::numeric_limits<double>::infinity();

struct I {
  double x[3];
  int n;
};
struct J {
  double x[3];
  int n;
};
struct F {
  double key;
  int number;
};
using Pair = void (*)(const I&, const J&, F&);

constexpr const char* kNearestHead =
    "#include <gdr/kernel.h>\n"
    "struct I { double x[3]; int n; };\n"
    "struct J { double x[3]; int n; };\n"
    "struct F { double key; int number; };\n";
constexpr const char* kDistance =
    "  double r2 = 0;\n"
    "  for (int k = 0; k < 3; ++k) { const float d = j.x[k] - i.x[k]; r2 += static_cast<double>(d) * d; }\n";

std::string function(const std::string& body, bool distance = true) {
  return std::string(kNearestHead) + "void pair(const I& i, const J& j, F& f) {\n" + (distance ? kDistance : "") +
         body +
         "}\nusing Pair = void (*)(const I&, const J&, F&);\nextern \"C\" Pair host_pair;\nPair host_pair = pair;\n";
}

compiler::CompileResult compile(const HostFunctions& host, unsigned effort = 1) {
  compiler::CompileOptions options;
  options.effort = effort;
  return compiler::compile_ir(host.bitcode(), "pair.bc", options);
}

struct Points {
  std::vector<I> i;
  std::vector<J> j;
  explicit Points(std::uint64_t seed, int grid = 0) {
    std::mt19937_64 random(seed);
    const auto x = [&]() -> double {
      if (grid > 0) return std::uniform_int_distribution(-grid, grid)(random);
      // Differences and their squares are exact in the words of both sides.
      return std::uniform_int_distribution(-1024, 1024)(random) / 1024.0;
    };
    for (int n = 0; n < static_cast<int>(kI); ++n) i.push_back({{x(), x(), x()}, n});
    for (int n = 0; n < static_cast<int>(kJ); ++n) j.push_back({{x(), x(), x()}, n});
  }
};

template <class Record>
std::vector<std::uint64_t> fields_of(const std::vector<Record>& records) {
  std::vector<std::uint64_t> fields;
  for (const Record& one : records) {
    for (const double x : one.x) fields.push_back(bits(x));
    fields.push_back(static_cast<std::uint64_t>(one.n));
  }
  return fields;
}

std::vector<F> on_board(const compiler::CompileResult& compiled, const Points& points, std::size_t nj = kJ) {
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "pair.vsm");
  EXPECT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  Device device;
  device.load(*assembled.program);
  const std::vector<std::uint64_t> j = fields_of(points.j);
  device.write_j(0, std::span(j).first(4 * nj));
  const std::vector<std::uint64_t> words = device.run(fields_of(points.i), nj);
  std::vector<F> results;
  for (std::size_t n = 0; n < points.i.size(); ++n) {
    const auto number = static_cast<std::int64_t>(words[2 * n + 1]);
    results.push_back({std::bit_cast<double>(words[2 * n]), static_cast<int>(number)});
  }
  return results;
}

/// What the host's function makes of one pair alone, from a key that every other one passes.
F alone(Pair pair, const I& i, const J& j, double worst) {
  F f{worst, -1};
  pair(i, j, f);
  return f;
}

void compare(const std::string& body, double worst, std::uint64_t seed, bool distance = true, double error = 0) {
  SCOPED_TRACE(body);
  const HostFunctions host(function(body, distance));
  const compiler::CompileResult compiled = compile(host);
  ASSERT_FALSE(compiled.source.empty()) << compiler::format_diagnostics(compiled);
  ASSERT_EQ(compiled.numbered.size(), 1u);
  EXPECT_EQ(compiled.numbered[0].word, 1u);
  EXPECT_EQ(compiled.numbered[0].key_word, 0u);
  const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
  const Points points(seed);
  const std::vector<F> board = on_board(compiled, points);
  for (std::size_t n = 0; n < kI; ++n) {
    F expected{worst, -1};
    for (const J& j : points.j) pair(points.i[n], j, expected);
    ASSERT_NEAR(board[n].key, expected.key, error * std::abs(expected.key)) << n;
    if (board[n].number == expected.number) continue;
    // Of keys that agree in 25 bits another one's number may be taken.
    ASSERT_LT(board[n].number, static_cast<int>(kJ)) << n;
    const F other = alone(pair, points.i[n], points.j[static_cast<std::size_t>(board[n].number)], worst);
    ASSERT_NEAR(other.key, expected.key, std::ldexp(std::abs(expected.key), -23)) << n << compiled.source;
  }
}

#define GDR_NEEDS_LLVM() \
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM"

TEST(Nearest, NumberComesWithTheLeastKey) {
  GDR_NEEDS_LLVM();
  compare("  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n", kFar, 1);
  compare("  if (r2 <= f.key) { f.key = r2; f.number = j.n; }\n", kFar, 2);
  compare("  if (f.key > r2) f.number = j.n;\n  f.key = std::fmin(f.key, r2);\n", kFar, 3);
  const char* root = "  const float r = std::sqrt(static_cast<float>(r2));\n";
  compare(std::string(root) + "  if (r < f.key) { f.key = r; f.number = j.n; }\n", kFar, 4, true, 1.2e-7);
}

TEST(Nearest, NumberComesWithTheGreatestKey) {
  GDR_NEEDS_LLVM();
  compare("  if (r2 > f.key) { f.key = r2; f.number = j.n; }\n", -kFar, 5);
  compare("  if (!(r2 <= f.key)) { f.number = j.n; f.key = r2; }\n", -kFar, 6);
}

TEST(Nearest, OtherConditionsHoldAsWell) {
  GDR_NEEDS_LLVM();
  compare("  if (i.n == j.n) return;\n  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n", kFar, 7);
  compare("  if (j.n > 20 && r2 < f.key && (j.n & 1) == 0) { f.key = r2; f.number = j.n; }\n", kFar, 8);
  compare("  if (i.n == j.n || r2 > 2) return;\n  if (r2 > f.key) { f.key = r2; f.number = j.n; }\n", -kFar, 9);
}

TEST(Nearest, KeysMayBeNegative) {
  GDR_NEEDS_LLVM();
  const std::string product = "  const double p = i.x[0] * j.x[0] + i.x[1] * j.x[1];\n";
  compare(product + "  if (p < f.key) { f.key = p; f.number = j.n; }\n", kFar, 10, false);
  compare(product + "  if (p > f.key) { f.key = p; f.number = j.n; }\n", -kFar, 11, false);
}

TEST(Nearest, OfEqualKeysTheLeastNumberIsTaken) {
  GDR_NEEDS_LLVM();
  const HostFunctions host(function("  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n"));
  const compiler::CompileResult compiled = compile(host);
  const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
  const Points points(12, 2);  // of 150 points at 125 places many keys are equal
  const std::vector<F> board = on_board(compiled, points);
  for (std::size_t n = 0; n < kI; ++n) {
    F expected{kFar, -1};
    for (const J& j : points.j) pair(points.i[n], j, expected);  // the first of the least, in the order of numbers
    ASSERT_EQ(board[n].key, expected.key);
    ASSERT_EQ(board[n].number, expected.number);
  }
}

TEST(Nearest, NumberMayBeComputed) {
  GDR_NEEDS_LLVM();
  const HostFunctions host(function("  if (r2 < f.key) { f.key = r2; f.number = (3 * j.n + 1) ^ i.n; }\n"));
  const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
  const Points points(16);
  const std::vector<F> board = on_board(compile(host), points);
  for (std::size_t n = 0; n < kI; ++n) {
    F expected{kFar, -1};
    for (const J& j : points.j) pair(points.i[n], j, expected);
    EXPECT_EQ(board[n].number, expected.number);
  }
}

/// What is beyond the bits of a number changes neither the key nor the number of another j.
TEST(Nearest, ComputedNumbersBeyondTheirBitsAreTheLargest) {
  GDR_NEEDS_LLVM();
  for (const char* computed :
       {"j.n % 3 == 0 ? j.n * 4000000 : j.n", "j.n % 3 == 0 ? -1 - j.n : j.n", "j.n - 40", "(j.n + 1) << 24",
        "std::floor(0.5f * j.n) * 4 - 40", "std::floor(0.5f * j.n) * 0x1p24f"}) {
    SCOPED_TRACE(computed);
    const HostFunctions host(function("  if (r2 < f.key) { f.key = r2; f.number = " + std::string(computed) + "; }\n"));
    const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
    const Points points(17);
    const std::vector<F> board = on_board(compile(host), points);
    bool beyond = false;
    for (std::size_t n = 0; n < kI; ++n) {
      F expected{kFar, -1};
      for (const J& j : points.j) pair(points.i[n], j, expected);
      const bool fits = expected.number >= 0 && expected.number <= compiler::kLargestNumber;
      beyond = beyond || !fits;
      EXPECT_EQ(board[n].key, expected.key);
      EXPECT_EQ(board[n].number, fits ? expected.number : compiler::kLargestNumber);
    }
    EXPECT_TRUE(beyond);
  }
}

/// What a device says of j-records with these numbers; empty if it takes them.
std::string refusal(const isa::Program& program, std::vector<std::uint64_t> numbers) {
  Device device;
  device.load(program);
  std::vector<std::uint64_t> fields;
  for (const std::uint64_t number : numbers) {
    fields.insert(fields.end(), 3, bits(0.5));
    fields.push_back(number);
  }
  try {
    device.write_j(0, fields);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

isa::Program assembled(const compiler::CompileResult& compiled) {
  const assembler::AssembleResult result = assembler::assemble(compiled.source, "pair.vsm");
  EXPECT_EQ(assembler::format_diagnostics(result), "") << compiled.source;
  return *result.program;
}

TEST(Nearest, DeviceRefusesNumbersThatDoNotFitBesideAKey) {
  GDR_NEEDS_LLVM();
  for (const char* type : {"int", "long", "unsigned", "long long", "unsigned long"}) {
    for (const char* body : {"  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n",
                             "  if (i.n == j.n) return;\n  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n",
                             "  if (j.x[0] > 0 && r2 > f.key) { f.key = r2; f.number = j.n; }\n"}) {
      SCOPED_TRACE(std::string(type) + body);
      std::string source = function(body);
      const std::string member = "struct J { double x[3]; int n; };";
      source.replace(source.find(member), member.size(), "struct J { double x[3]; " + std::string(type) + " n; };");
      const isa::Program program = assembled(compiler::compile_ir(llvm_code(source, false), "pair.bc"));
      EXPECT_EQ(refusal(program, {0, 5, 5, 0xfffffff}), "");
      for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{1} << 28, std::int64_t{INT32_MAX},
                                       std::int64_t{INT32_MIN}, std::int64_t{1} << 53, std::int64_t{INT64_MAX}}) {
        EXPECT_EQ(refusal(program, {0, static_cast<std::uint64_t>(wrong)}),
                  fmt::format("j['nj'] is {} at (1,): it must be from 0 to 268435455", wrong));
      }
    }
  }
}

/// Numbers below 0 may say that a particle is none, if the function looks at them.
TEST(Nearest, ConditionsMayLeaveOutNumbersBelowZero) {
  GDR_NEEDS_LLVM();
  for (const char* condition : {"j.n >= 0", "j.n != -1", "(j.n > -1 && i.n != j.n)", "!(j.n < 0 || r2 > 2)"}) {
    SCOPED_TRACE(condition);
    const HostFunctions host(
        function(fmt::format("  if ({} && r2 < f.key) {{ f.key = r2; f.number = j.n; }}\n", condition)));
    const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
    Points points(18);
    for (std::size_t n = 0; n < kJ; n += 2) points.j[n].n = -1;
    const compiler::CompileResult compiled = compile(host);
    const std::vector<F> board = on_board(compiled, points);
    for (std::size_t n = 0; n < kI; ++n) {
      F expected{kFar, -1};
      for (const J& j : points.j) pair(points.i[n], j, expected);
      EXPECT_EQ(board[n].key, expected.key);
      EXPECT_EQ(board[n].number, expected.number);
    }
    EXPECT_EQ(refusal(assembled(compiled), {std::uint64_t{1} << 28}),
              "j['nj'] is 268435456 at (0,): it must be from -268435456 to 268435455");
  }
}

/// A number below 0 that a condition lets pass changes neither the key nor the number of another j.
TEST(Nearest, NumbersBelowZeroThatConditionsLetPassAreTheLargest) {
  GDR_NEEDS_LLVM();
  const HostFunctions host(function("  if (j.n != -1 && r2 < f.key) { f.key = r2; f.number = j.n; }\n"));
  const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
  Points points(19);
  for (std::size_t n = 0; n < kJ; n += 2) points.j[n].n = -2 - static_cast<int>(n);
  const std::vector<F> board = on_board(compile(host), points);
  bool beyond = false;
  for (std::size_t n = 0; n < kI; ++n) {
    F expected{kFar, -1};
    for (const J& j : points.j) pair(points.i[n], j, expected);
    beyond = beyond || expected.number < 0;
    EXPECT_EQ(board[n].key, expected.key);
    EXPECT_EQ(board[n].number, expected.number < 0 ? compiler::kLargestNumber : expected.number);
  }
  EXPECT_TRUE(beyond);
}

TEST(Nearest, RefusesArraysOfWhichOneElementIsKept) {
  GDR_NEEDS_LLVM();
  std::string source = function("  if (r2 < f.key) { f.key = r2; f.number = j.n[1]; }\n");
  const std::string member = "struct J { double x[3]; int n; };";
  source.replace(source.find(member), member.size(), "struct J { double x[3]; int n[2]; };");
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "pair.bc");
  ASSERT_FALSE(compiled.diagnostics.empty());
  EXPECT_THAT(compiled.diagnostics.front().message, HasSubstr("make them members of their own"));
}

/// A float holds 25 bits of a number of 28; what it rounds up to 2^28 is beyond.
TEST(Nearest, RoundedNumbersBeyondTheirBitsAreTheLargest) {
  GDR_NEEDS_LLVM();
  std::string source = function("  if (r2 < f.key) { f.key = r2; f.number = static_cast<float>(j.n); }\n");
  const std::string member = "struct F { double key; int number; };";
  source.replace(source.find(member), member.size(), "struct F { double key; float number; };");
  const isa::Program program = assembled(compiler::compile_ir(llvm_code(source, false), "pair.bc"));
  const std::uint64_t half = bits(0.5);
  for (const auto& [number, expected] : {std::pair{0xfffffffU, 0xfffffffU}, std::pair{0xfffffe0U, 0xfffffe0U}}) {
    Device device;
    device.load(program);
    device.write_j(0, std::vector<std::uint64_t>{half, half, half, number});
    const std::vector<std::uint64_t> words = device.run(std::vector<std::uint64_t>{0, 0, 0, 0}, 1);
    EXPECT_EQ(std::bit_cast<double>(words[0]), 0.75);
    EXPECT_EQ(static_cast<std::int64_t>(words[1]), expected);
  }
}

TEST(Nearest, RefusesNumbersThatNeverFit) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (const char* computed : {"-1", "0x10000000", "static_cast<signed char>(j.n) - 129"}) {
    const std::string source =
        function("  if (r2 < f.key) { f.key = r2; f.number = " + std::string(computed) + "; }\n");
    const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "pair.bc");
    ASSERT_FALSE(compiled.diagnostics.empty()) << computed;
    EXPECT_THAT(compiled.diagnostics.front().message, HasSubstr("from 0 to 2^28 - 1")) << computed;
  }
}

TEST(Nearest, KeyAloneIsKeptUnderOtherConditions) {
  GDR_NEEDS_LLVM();
  const HostFunctions host(function("  if (j.n > 20 && r2 < f.key) f.key = r2;\n  f.number += 1;\n"));
  const auto pair = *static_cast<Pair*>(host.symbol("host_pair"));
  const Points points(17);
  const std::vector<F> board = on_board(compile(host), points);
  for (std::size_t n = 0; n < kI; ++n) {
    F expected{kFar, 0};
    for (const J& j : points.j) pair(points.i[n], j, expected);
    EXPECT_EQ(board[n].key, expected.key);
    EXPECT_EQ(board[n].number, static_cast<int>(kJ));
  }
}

TEST(Nearest, NobodyIsNearestWithoutPairs) {
  GDR_NEEDS_LLVM();
  for (const char* relation : {"<", ">"}) {
    const HostFunctions host(
        function(fmt::format("  if (j.n >= 1000 && r2 {} f.key) {{ f.key = r2; f.number = j.n; }}\n", relation)));
    const compiler::CompileResult compiled = compile(host);
    for (const std::size_t nj : {std::size_t{0}, std::size_t{3}, kJ}) {
      for (const F& one : on_board(compiled, Points(13), nj)) {
        ASSERT_EQ(one.number, (1 << 28) - 1);
        ASSERT_TRUE(std::isinf(one.key));
      }
    }
  }
}

TEST(Nearest, EffortChangesNoResult) {
  GDR_NEEDS_LLVM();
  const HostFunctions host(function("  if (i.n == j.n) return;\n  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n"));
  const Points points(14);
  const compiler::CompileResult quick = compile(host, 1);
  const compiler::CompileResult best = compile(host, 2);
  EXPECT_LE(best.lines, quick.lines);
  const std::vector<F> one = on_board(quick, points);
  const std::vector<F> other = on_board(best, points);
  for (std::size_t n = 0; n < kI; ++n) {
    ASSERT_EQ(one[n].key, other[n].key);
    ASSERT_EQ(one[n].number, other[n].number);
  }
}

std::string message(const std::string& body, const std::string& end = "") {
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(function(body) + end, false), "pair.bc");
  EXPECT_EQ(compiled.source.empty(), !compiled.diagnostics.empty());
  return compiled.diagnostics.empty() ? "" : compiled.diagnostics.front().message;
}

TEST(Nearest, RefusesWhatDependsOnTheOrderOfPairs) {
  GDR_NEEDS_LLVM();
  // The key that is compared is not the one that is kept.
  EXPECT_THAT(message("  if (r2 < f.key) { f.key = 2 * r2; f.number = j.n; }\n"), HasSubstr("must be accumulated"));
  EXPECT_THAT(message("  if (r2 < f.key) f.number = j.n;\n"), HasSubstr("must be accumulated"));
  EXPECT_THAT(message("  if (r2 < f.key) { f.key = r2; f.number += j.n; }\n"), HasSubstr("must be accumulated"));
  EXPECT_THAT(message("  if (r2 < f.key) { f.key = r2; if (j.n > 3) f.number = j.n; }\n"),
              HasSubstr("must be accumulated"));
  EXPECT_THAT(message("  f.number = j.n;\n"), HasSubstr("must be accumulated"));
}

TEST(Nearest, RefusesNumbersThatMayHaveAFraction) {
  GDR_NEEDS_LLVM();
  const auto beside_key = [](const std::string& value) {
    return message("  if (r2 < f.key) { f.key = r2; f.number = " + value + "; }\n");
  };
  EXPECT_EQ(beside_key("j.n"), "");
  EXPECT_EQ(beside_key("static_cast<int>(j.x[0])"), "");
  const std::string floating =
      "struct G { double key; float number; };\nvoid other(const I& i, const J& j, G& f) {\n" + std::string(kDistance);
  const auto message_of_floating = [&](const std::string& value) {
    compiler::CompileOptions options;
    options.function = "other";
    const compiler::CompileResult compiled =
        compiler::compile_ir(llvm_code(std::string(kNearestHead) + floating +
                                           "  if (r2 < f.key) { f.key = r2; f.number = " + value + "; }\n}\n",
                                       false),
                             "pair.bc", options);
    return compiled.diagnostics.empty() ? "" : compiled.diagnostics.front().message;
  };
  EXPECT_THAT(message_of_floating("static_cast<float>(j.x[0])"), HasSubstr("must be whole"));
  EXPECT_THAT(message_of_floating("0.5f * j.n"), HasSubstr("must be whole"));
  EXPECT_EQ(message_of_floating("std::floor(static_cast<float>(j.x[0]))"), "");
  EXPECT_EQ(message_of_floating("static_cast<float>(2 * j.n + 1)"), "");
}

TEST(Nearest, RefusesNumbersInTheFunctionForTheEnd) {
  GDR_NEEDS_LLVM();
  EXPECT_THAT(
      message("  if (r2 < f.key) { f.key = r2; f.number = j.n; }\n", "void pair_finish(F& f) { f.number += 1; }\n"),
      HasSubstr("can neither read nor write it"));
}

TEST(Nearest, TakesIntegersThatAreMadeOfNumbers) {
  GDR_NEEDS_LLVM();
  compare("  if (static_cast<int>(static_cast<float>(r2)) > 0 && r2 < f.key) { f.key = r2; f.number = j.n; }\n", kFar,
          15);
}

/// Compares integer keys, of which `least` or the greatest is kept, with those of the host. `key` is computed twice: by
/// the board from its text, by the host.
void compare_integers(const std::string& text, bool least, int (*key)(int i, int j)) {
  SCOPED_TRACE(text);
  const std::string source =
      "#include <gdr/kernel.h>\n#include <cstdlib>\nstruct I { double x[3]; int n; };\nstruct J { double x[3]; int n; "
      "};\n"
      "struct F { int key; int number; };\nvoid pair(const I& i, const J& j, F& f) {\n  const int key = " +
      text + ";\n  if (key " + (least ? "<" : ">") + " f.key) { f.key = key; f.number = j.n; }\n}\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "pair.bc");
  ASSERT_FALSE(compiled.source.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "pair.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  const Points points(17);
  Device device;
  device.load(*assembled.program);
  std::vector<std::uint64_t> i = fields_of(points.i);
  device.write_j(0, fields_of(points.j));
  const std::vector<std::uint64_t> words = device.run(i, kJ);
  for (std::size_t n = 0; n < kI; ++n) {
    std::pair<int, int> best{key(points.i[n].n, points.j[0].n), points.j[0].n};
    for (const J& j : points.j) {
      const std::pair<int, int> next{key(points.i[n].n, j.n), j.n};
      best = least ? std::min(best, next) : std::max(best, next);
    }
    EXPECT_EQ(static_cast<std::int64_t>(words[2 * n]), best.first) << n;
    EXPECT_EQ(static_cast<std::int64_t>(words[2 * n + 1]), best.second) << n;
  }
}

TEST(Nearest, KeysMayBeIntegers) {
  GDR_NEEDS_LLVM();
  compare_integers("std::abs(i.n - 3 * j.n)", true, [](int i, int j) { return std::abs(i - 3 * j); });
  compare_integers("i.n * 1000003 - j.n * 7919", true, [](int i, int j) { return i * 1000003 - j * 7919; });
  compare_integers("(i.n ^ j.n) - 64", false, [](int i, int j) { return (i ^ j) - 64; });
  compare_integers("-j.n * 1000", false, [](int, int j) { return -j * 1000; });
}

TEST(Nearest, RefusesKeysOfMoreThan36Bits) {
  GDR_NEEDS_LLVM();
  const std::string source =
      "#include <gdr/kernel.h>\nstruct I { long n; };\nstruct J { long n; int id; };\nstruct F { long key; int number; "
      "};\n"
      "void pair(const I& i, const J& j, F& f) {\n"
      "  if (j.n - i.n < f.key) { f.key = j.n - i.n; f.number = j.id; }\n}\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "pair.bc");
  ASSERT_FALSE(compiled.diagnostics.empty());
  EXPECT_THAT(compiled.diagnostics.front().message, HasSubstr("36 bits"));
}

TEST(Nearest, DeviceRefusesRealNumbersThatDoNotFitBesideAKey) {
  const auto program = [](const std::string& width) {
    return assembled(
        compiler::compile_lsump("/VARI x[3];\n/VARJ y[3];\n/VARJ " + width +
                                    "n;\n/VARF key, number;\nd = y[0] - x[0] + y[1] - x[1] + y[2] - x[2];"
                                    "\nr2 = d * d;\nnumber = r2 < key ? n : number;\nkey = min(key, r2);\n",
                                "near.lsump"));
  };
  const auto refused = [&](const std::string& width, double number) {
    return refusal(program(width), {bits(0.0), bits(number)});
  };
  EXPECT_EQ(refused("", 0x1p28 - 1), "");
  EXPECT_EQ(refused("short ", 0x1p25 - 1), "");  // a short word rounds some of the numbers above
  for (const double wrong : {-1.0, 2.5, 0x1p28, 0x1p31 - 1, 0x1p53, kFar}) {
    EXPECT_EQ(refused("", wrong),
              fmt::format("j['n'] is {} at (1,): it must be a whole number from 0 to 268435455", wrong));
  }
  EXPECT_EQ(refused("short ", 0x1p25), "j['n'] is 33554432 at (1,): it must be a whole number from 0 to 33554431");
}

TEST(Nearest, LsumpTakesAWholeNumber) {
  const compiler::CompileResult compiled = compiler::compile_lsump(
      "/VARI x[3], other;\n/VARJ y[3], n;\n/VARF key, number;\n"
      "d0 = y[0] - x[0];\nd1 = y[1] - x[1];\nd2 = y[2] - x[2];\nlong r2 = long(d0)*d0 + long(d1)*d1 + long(d2)*d2;\n"
      "number = r2 < key ? n : number;\nkey = min(key, r2);\n",
      "near.lsump");
  ASSERT_FALSE(compiled.source.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "near.vsm");
  EXPECT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  const Points points(15);
  Device device;
  device.load(*assembled.program);
  std::vector<std::uint64_t> j = fields_of(points.j);
  for (std::size_t n = 0; n < kJ; ++n) j[4 * n + 3] = bits(static_cast<double>(n));
  std::vector<std::uint64_t> i = fields_of(points.i);
  device.write_j(0, j);
  const std::vector<std::uint64_t> words = device.run(i, kJ);
  for (std::size_t n = 0; n < kI; ++n) {
    std::size_t nearest = 0;
    double least = kFar;
    for (std::size_t at = 0; at < kJ; ++at) {
      double r2 = 0;
      for (int k = 0; k < 3; ++k) {
        const auto d = static_cast<double>(static_cast<float>(points.j[at].x[k] - points.i[n].x[k]));
        r2 += d * d;
      }
      if (r2 < least) least = r2, nearest = at;
    }
    EXPECT_EQ(static_cast<std::int64_t>(words[2 * n + 1]), static_cast<std::int64_t>(nearest));
  }
}

}  // namespace
}  // namespace gdr::compiler_testing
