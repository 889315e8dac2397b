// Random pair functions on the board against the host's compilation of the same source.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/compiler/compiler.h"
#include "gdr/compiler/precision.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"
#include "random_functions.h"
#include "slowed_down.h"

namespace gdr::compiler_testing {
namespace {

constexpr std::size_t kI = 36;
constexpr std::size_t kJ = 50;
constexpr double kParameter = 1.375;
constexpr std::size_t kOfOneFile = 100;  // functions
// A function has some 40 operations, of which a quotient or root of long words is off by 8 2^-50
// (docs/kernels/compiler.md).
constexpr double kLongBound = 40 * 8 * 0x1p-50;

// As random_prologue() declares them.
struct I {
  double a[3];
  float b;
  int n;
};
struct J {
  double x[3];
  float m;
  float w;
  int k;
};
struct F {
  double sum;
  double other;
  float brief;
  double least;
  double most;
};
constexpr std::string_view kResultNames[kResults] = {"sum", "other", "brief", "least", "most"};
struct P {
  double s;
};
using Pair = void (*)(const I&, const J&, F&, const P&);

std::uint64_t bits_of(int value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }

struct Data {
  std::vector<I> i;
  std::vector<J> j;

  explicit Data(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto wide = [&] { return std::uniform_real_distribution<double>(0.5, 2)(random); };
    const auto brief = [&] { return static_cast<float>(std::uniform_int_distribution(64, 255)(random)) / 128; };
    const auto whole = [&] { return std::uniform_int_distribution(0, 7)(random); };
    for (std::size_t n = 0; n < kI; ++n) i.push_back({{wide(), wide(), wide()}, brief(), whole()});
    for (std::size_t n = 0; n < kJ; ++n) j.push_back({{wide(), wide(), wide()}, brief(), brief(), whole()});
  }

  std::vector<std::uint64_t> i_fields() const {
    std::vector<std::uint64_t> fields;
    for (const I& one : i)
      fields.insert(fields.end(), {bits(one.a[0]), bits(one.a[1]), bits(one.a[2]), bits(one.b), bits_of(one.n)});
    return fields;
  }
  std::vector<std::uint64_t> j_fields() const {
    std::vector<std::uint64_t> fields;
    for (const J& one : j) {
      fields.insert(fields.end(),
                    {bits(one.x[0]), bits(one.x[1]), bits(one.x[2]), bits(one.m), bits(one.w), bits_of(one.k)});
    }
    return fields;
  }
};

std::vector<double> on_host(Pair pair, const Data& data) {
  std::vector<double> results;
  const double far = std::numeric_limits<double>::infinity();
  for (const I& i : data.i) {
    F f{0, 0, 0, far, -far};
    for (const J& j : data.j) pair(i, j, f, {kParameter});
    results.insert(results.end(), {f.sum, f.other, f.brief, f.least, f.most});
  }
  return results;
}

std::vector<double> on_board(const isa::Program& program, const Data& data) {
  Device device;
  device.load(program);
  device.set_parameter("s", kParameter);
  const std::vector<std::uint64_t> j = data.j_fields();
  device.write_j(0, j);
  std::vector<double> results;
  for (const std::uint64_t word : device.run(data.i_fields(), data.j.size()))
    results.push_back(std::bit_cast<double>(word));
  return results;
}

/// Functions `first` and following, one source for all.
void compare(std::uint64_t first, std::size_t count) {
  std::string source = random_prologue() + "using Pair = void (*)(const I&, const J&, F&, const P&);\n";
  std::vector<RandomFunction> functions;
  for (std::size_t n = 0; n < count; ++n) {
    functions.push_back(random_function(first + n, kJ));
    source += functions.back().source;
    source += fmt::format("extern \"C\" Pair host_{0};\nPair host_{0} = {0};\n", functions.back().name);
  }
  const HostFunctions host(source);
  for (std::size_t n = 0; n < count; ++n) {
    const RandomFunction& function = functions[n];
    SCOPED_TRACE(function.source);
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = function.name;
    const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "all.bc", options);
    ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "random.vsm");
    ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
    EXPECT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
    const Data data(first + n);
    const auto pair = *static_cast<Pair*>(host.symbol("host_" + function.name));
    const std::vector<double> expected = on_host(pair, data);
    const std::vector<double> got = on_board(*assembled.program, data);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t at = 0; at < got.size(); ++at) {
      const double bound = function.bounds[at % kResults];
      ASSERT_LE(std::abs(got[at] - expected[at]), bound * std::abs(expected[at]))
          << "result " << at % kResults << " of i-particle " << at / kResults << ", bound " << bound << "\n"
          << compiled.source;
    }
  }
}

/// The precision report's own run on the host, in doubles, against the machine: as far apart as two machines may be
/// with short words, and no further than long words round where every operation has a long form.
void report(std::uint64_t first, std::size_t count, std::size_t& all_long_functions) {
  std::string source = random_prologue();
  std::vector<RandomFunction> functions;
  for (std::size_t n = 0; n < count; ++n) {
    functions.push_back(random_function(first + n, kJ));
    source += functions.back().source;
  }
  const Folder folder;
  base::write_file(folder / "all.bc", llvm_code(source, false));
  for (std::size_t n = 0; n < count; ++n) {
    const RandomFunction& function = functions[n];
    SCOPED_TRACE(function.source);
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = function.name;
    const Data data(first + n);
    const auto run = [&](const compiler::CompileResult& compiled) {
      const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "random.vsm");
      EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
      Device device;
      device.load(assembled.program.value());
      device.set_parameter("s", kParameter);
      device.write_j(0, data.j_fields());
      return device.run(data.i_fields(), data.j.size());
    };
    const compiler::PrecisionReport report = compiler::measure_precision(
        folder / "all.bc", options, {data.i_fields(), data.j_fields(), {{"s", kParameter}}}, run);
    ASSERT_TRUE(report.diagnostics.empty());
    ASSERT_FALSE(report.as_written.empty());  // a function need not change all results
    for (const compiler::ResultError& error : report.as_written) {
      const auto result = std::find(std::begin(kResultNames), std::end(kResultNames), error.result);
      ASSERT_NE(result, std::end(kResultNames)) << error.result;
      EXPECT_LE(error.max, function.bounds[static_cast<std::size_t>(result - kResultNames)]) << error.result;
    }
    const bool all_long = std::none_of(report.operations.begin(), report.operations.end(),
                                       [](const auto& operation) { return operation.estimated; });
    if (!all_long) continue;
    ++all_long_functions;
    for (const compiler::ResultError& error : report.every_long) EXPECT_LE(error.max, kLongBound) << error.result;
  }
}

/// So many functions.
class RandomFunctions : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Some, RandomFunctions, ::testing::Values(tests::kSlowedDown ? 10 : 24));
INSTANTIATE_TEST_SUITE_P(Nightly, RandomFunctions, ::testing::Values(1000));

TEST_P(RandomFunctions, PairFunctionsInLongWordsAgreeWithTheHostsDoubles) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  std::size_t all_long_functions = 0;
  for (std::size_t n = 0; n < GetParam(); n += kOfOneFile) {
    report(1000 + n, std::min<std::size_t>(kOfOneFile, GetParam() - n), all_long_functions);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(all_long_functions, GetParam() / 4);
}

TEST_P(RandomFunctions, PairFunctionsAgreeWithTheHostsCompilation) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (std::size_t n = 0; n < GetParam(); n += kOfOneFile) {
    compare(1000 + n, std::min<std::size_t>(kOfOneFile, GetParam() - n));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace gdr::compiler_testing
