// Kernels written in C++: their lines, and their results beside those of kernels by hand and of the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "gdr/assembler/analysis.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/compiler/assemble.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/table.h"
#include "host_functions.h"
#include "slowed_down.h"

namespace gdr::compiler_testing {
namespace {

const std::filesystem::path kKernels = GDR_KERNELS_DIR;

isa::Program by_hand(const char* name) {
  assembler::AssembleResult result = assembler::assemble_file(kKernels / (std::string(name) + ".vsm"));
  EXPECT_TRUE(result.program) << assembler::format_diagnostics(result);
  return *std::move(result.program);
}

isa::Program compiled(const std::string& name, unsigned effort = 1) {
  compiler::CompileOptions options;
  options.effort = effort;
  const compiler::CompileResult result = compiler::compile_file(kKernels / "cc" / (name + ".cc"), options);
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  assembler::AssembleResult assembled = assembler::assemble(result.source, name + ".vsm");
  EXPECT_EQ(assembler::format_diagnostics(assembled), "") << result.source;
  return *std::move(assembled.program);
}

/// Records of random numbers, one for each field of the program; integers for those that are none.
std::vector<std::uint64_t> records(const isa::Program& program, isa::Transfer transfer, std::size_t count, double low,
                                   double high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  std::vector<std::uint64_t> fields;
  const auto columns = hostlib::columns_of(program, transfer);
  for (std::size_t n = 0; n < count; ++n) {
    for (const auto& column : columns) {
      const bool floating = column.name.find("index") == std::string::npos;
      fields.push_back(floating ? bits(number(random)) : static_cast<std::uint64_t>(n));
    }
  }
  return fields;
}

std::vector<std::uint64_t> run(const isa::Program& program, const std::vector<std::uint64_t>& i,
                               const std::vector<std::uint64_t>& j, std::size_t nj) {
  Device device;
  device.load(program);
  device.write_j(0, j);
  return device.run(i, nj);
}

TEST(CompiledKernels, VanDerWaalsHasTheBitsOfTheKernelByHand) {
  const isa::Program hand = by_hand("vdw");
  const isa::Program own = compiled("vdw");
  const auto i = records(hand, isa::Transfer::hlt, 100, 0.01, 1, 1);
  const auto j = records(hand, isa::Transfer::elt, 200, 0.01, 1, 2);
  EXPECT_EQ(run(own, i, j, 200), run(hand, i, j, 200));
}

TEST(CompiledKernels, GravityIsThatOfTheKernelByHandUpToItsLastProduct) {
  // The kernel by hand multiplies its sums by a power of two at the end, which cuts them to 50 bits.
  const isa::Program hand = by_hand("gravity");
  const isa::Program own = compiled("gravity");
  const auto i = records(hand, isa::Transfer::hlt, 100, 0.01, 1, 3);
  const auto j = records(hand, isa::Transfer::elt, 200, 0.01, 1, 4);
  const auto expected = run(hand, i, j, 200);
  const auto got = run(own, i, j, 200);
  ASSERT_EQ(got.size(), expected.size());
  double size = 0;
  for (const std::uint64_t word : expected) size = std::max(size, std::abs(std::bit_cast<double>(word)));
  for (std::size_t n = 0; n < got.size(); ++n) {
    // A chip's sum is cut, four chips are added, whose sums may cancel.
    EXPECT_NEAR(std::bit_cast<double>(got[n]), std::bit_cast<double>(expected[n]), std::ldexp(8 * size, -49));
  }
}

struct Lines {
  const char* name;
  unsigned most;  // at effort 2: two more than at effort 3
};

void PrintTo(const Lines& one, std::ostream* out) { *out << one.name; }

class CompiledLines : public testing::TestWithParam<Lines> {};

TEST_P(CompiledLines, AreNoMoreThanByHandAndTwo) {
  const isa::Program own = compiled(GetParam().name, 2);
  EXPECT_LE(own.lines(isa::Section::loop_body).size(), GetParam().most);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompiledLines,
                         testing::Values(Lines{"gravity", 29}, Lines{"gravity_jerk", 50}, Lines{"vdw", 31}),
                         [](const auto& one) { return std::string(one.param.name); });

class Bound : public testing::TestWithParam<const char*> {};

TEST_P(Bound, IsMissedByATenthAtMost) {
  const isa::Program own = compiled(GetParam(), 2);
  const unsigned least = assembler::analyse(own).least_lines();
  EXPECT_LE(10 * own.lines(isa::Section::loop_body).size(), 11 * least);
}

/// Under a sanitizer the search for few lines takes ten times as long: the first kernel is enough.
auto kernels_searched(std::vector<const char*> names) {
  if (tests::kSlowedDown) names.resize(1);
  return testing::ValuesIn(names);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Bound,
                         kernels_searched({"gravity", "gravity_jerk", "vdw", "coulomb", "morse", "sph_density", "oseen",
                                           "debye", "repulsion", "mandelbrot"}),
                         [](const auto& one) { return std::string(one.param); });

class TwoRecords : public testing::TestWithParam<const char*> {};

TEST_P(TwoRecords, KeepEveryBitInFewerLines) {
  compiler::CompileOptions options;
  options.effort = 1;  // of one record; what makes it two is the same at each effort
  const compiler::CompileResult result =
      compiler::compile_file(kKernels / "cc" / (std::string(GetParam()) + ".cc"), options);
  const isa::Program one = *assembler::assemble(result.source, "one.vsm").program;
  options.effort = 3;
  const assembler::AssembleResult assembled = compiler::assemble_compiled(result, options);
  EXPECT_EQ(assembler::format_diagnostics(assembled), "");
  const isa::Program& two = *assembled.program;
  EXPECT_LT(two.lines(isa::Section::loop_body).size(), one.lines(isa::Section::loop_body).size());
  const auto i = records(one, isa::Transfer::hlt, 50, 0.01, 1, 7);
  const auto j = records(one, isa::Transfer::elt, 150, 0.01, 1, 8);
  for (const std::size_t nj : {std::size_t{0}, std::size_t{1}, std::size_t{67}, std::size_t{150}}) {
    const std::vector<std::uint64_t> some(j.begin(), j.begin() + static_cast<std::ptrdiff_t>(j.size() / 150 * nj));
    EXPECT_EQ(run(two, i, some, nj), run(one, i, some, nj)) << nj;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TwoRecords, kernels_searched({"gravity", "vdw", "coulomb", "sph_density"}),
                         [](const auto& one) { return std::string(one.param); });

TEST(CompiledKernels, SumsUnderAConditionAreThoseOfTheHost) {
  // Whole numbers and quarters, all exact on both sides. Of `data` and `twice` others read what is added to.
  const HostFunctions host(R"(
struct I { float a; int n; };
struct J { float x; int k; };
struct F { double sum; float kept; int count; };
void sums(const I& i, const J& j, F& f) {
  int inside = 0;
  inside += j.x < i.a ? 1 : 0;
  inside -= j.k < i.n ? 2 : 0;
  inside += i.n == j.k ? 0 : j.k;
  float data = i.a + (j.x < 1.25f ? j.x : 0);
  data = data - (i.n == j.k ? j.x : 0);
  const float twice = j.x * 2;
  float both = twice + (j.x > 0.5f ? 0 : i.a);
  both += i.n < 3 ? twice : 0;
  f.sum += static_cast<double>(data) * both;
  f.kept += twice;
  f.count += inside;
}
extern "C" void (*host)(const I&, const J&, F&);
void (*host)(const I&, const J&, F&) = sums;
)");
  struct I {
    float a;
    int n;
  };
  struct J {
    float x;
    int k;
  };
  struct F {
    double sum;
    float kept;
    int count;
  };
  const compiler::CompileResult result = compiler::compile_ir(host.bitcode(), "sums.bc");
  ASSERT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "sums.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << result.source;
  const auto sums = *static_cast<void (**)(const I&, const J&, F&)>(host.symbol("host"));
  std::vector<std::uint64_t> i, j;
  std::vector<std::uint64_t> expected;
  for (int n = 0; n < 30; ++n) i.insert(i.end(), {bits(0.25 * n), static_cast<std::uint64_t>(n % 7)});
  for (int n = 0; n < 50; ++n) j.insert(j.end(), {bits(0.25 * (n % 9)), static_cast<std::uint64_t>(n % 7)});
  for (int n = 0; n < 30; ++n) {
    F f{0, 0, 0};
    for (int m = 0; m < 50; ++m)
      sums({0.25F * static_cast<float>(n), n % 7}, {0.25F * static_cast<float>(m % 9), m % 7}, f);
    expected.insert(expected.end(),
                    {bits(f.sum), bits(f.kept), static_cast<std::uint64_t>(static_cast<std::int64_t>(f.count))});
  }
  EXPECT_EQ(run(*assembled.program, i, j, 50), expected) << result.source;
}

struct OfIntegers {
  const char* name;
  const char* type;  // of the integers
  std::vector<std::int64_t> numbers;
};

void PrintTo(const OfIntegers& one, std::ostream* out) { *out << one.name; }

class Integers : public testing::TestWithParam<OfIntegers> {};

TEST_P(Integers, BecomeNumbersAndLongOnesExactly) {
  const std::string source = std::string("struct I { ") + GetParam().type + " n; };\nstruct J { " + GetParam().type +
                             " k; };\n"
                             "struct F { double least, sum; long whole; };\n"
                             "void f(const I& i, const J& j, F& f) {\n"
                             "  f.least = __builtin_fmin(f.least, i.n);\n"
                             "  f.sum += static_cast<double>(j.k) + 0.25;\n"
                             "  f.whole += j.k;\n}\n";
  const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "integers.bc");
  ASSERT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "integers.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << result.source;
  for (const std::int64_t number : GetParam().numbers) {
    const std::vector<std::uint64_t> word{static_cast<std::uint64_t>(number)};
    const auto whole = static_cast<double>(number);  // exact, as is a quarter more
    EXPECT_EQ(run(*assembled.program, word, word, 1),
              (std::vector<std::uint64_t>{bits(whole), bits(whole + 0.25), word[0]}))
        << number << "\n"
        << result.source;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Integers,
                         testing::Values(OfIntegers{"Int",
                                                    "int",
                                                    {0, 1, -1, 5, 131071, 131072, -131072, -131073, 262143, 262144,
                                                     4194303, 4194304, -4194305, 16777217, -2000000001, 2147483647,
                                                     -2147483648}},
                                         OfIntegers{"Long",
                                                    "long",
                                                    {0, 1, -1, 262144, 4194305, -16777217, 2147483648, -2147483649,
                                                     0x4000000000001, -0x4000000000001}}),
                         [](const auto& one) { return std::string(one.param.name); });

// ---- at zero and infinity -------------------------------------------------------------------------------------------

/// Results of one j-record with y = 1 for each x.
std::vector<double> of_each(const compiler::CompileResult& result, const std::vector<double>& x) {
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "ends.vsm");
  EXPECT_EQ(assembler::format_diagnostics(assembled), "");
  std::vector<std::uint64_t> i;
  for (const double value : x) i.push_back(bits(value));
  std::vector<double> found;
  for (const std::uint64_t word : run(*assembled.program, i, {bits(1)}, 1)) {
    found.push_back(std::bit_cast<double>(word));
  }
  return found;
}

TEST(CompiledKernels, RootOfZeroIsZeroAndThatOfInfinityInfinityInEveryWordAndLanguage) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> x{0, kInfinity, 1, 4};
  const std::vector<double> roots{0, kInfinity, 1, 2};
  compiler::CompileOptions options;
  options.effort = 1;
  for (const char* type : {"double", "float"}) {
    const std::string code =
        llvm_code(std::string("#include <cmath>\nstruct I { ") + type + " x; }; struct J { " + type +
                      " y; }; struct F { double r; };\n"
                      "void root(const I& i, const J& j, F& f) { f.r += std::sqrt(i.x * j.y); }\n",
                  false);
    EXPECT_EQ(of_each(compiler::compile_ir(code, "root.bc", options), x), roots) << type;
  }
  const char* const text = "VARI x; VARJ y; VARF f; f += sqrt(x * y);";
  EXPECT_EQ(of_each(compiler::compile_lsump(text, "root.lsump", options), x), roots);
}

TEST(CompiledKernels, OneOverARootOfZeroIsInfinity) {
  const std::string code = llvm_code(
      "#include <cmath>\nstruct I { double x; }; struct J { double y; }; struct F { double r; };\n"
      "void inverse(const I& i, const J& j, F& f) { f.r += 1 / std::sqrt(i.x * j.y); }\n",
      false);
  const std::vector<double> expected{std::numeric_limits<double>::infinity(), 1, 0.5};
  EXPECT_EQ(of_each(compiler::compile_ir(code, "inverse.bc", {}), {0, 1, 4}), expected);
}

// ---- against the host's compilation of the same source --------------------------------------------------------------

struct HostCase {
  const char* name;
  const char* call;  // of the function with arrays of doubles i, j, f, p, one a field
  double bound;      // of results, relative to the largest
};

void PrintTo(const HostCase& one, std::ostream* out) { *out << one.name; }

class CompiledOnHost : public testing::TestWithParam<HostCase> {};

TEST_P(CompiledOnHost, AgreesWithIt) {
  constexpr std::size_t kI = 40;
  constexpr std::size_t kJ = 70;
  const HostCase& one = GetParam();
  const std::string source = base::read_file(kKernels / "cc" / (std::string(one.name) + ".cc")) +
                             "using Call = void (*)(const double*, const double*, double*);\n"
                             "static void call(const double* i, const double* j, double* f) {\n" +
                             one.call + "}\nextern \"C\" Call host;\nCall host = call;\n";
  const HostFunctions host(source);
  compiler::CompileOptions options;
  options.effort = 1;
  options.function = one.name;
  const compiler::CompileResult result = compiler::compile_ir(host.bitcode(), "one.bc", options);
  ASSERT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "one.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  const isa::Program& program = *assembled.program;
  auto i = records(program, isa::Transfer::hlt, kI, 0.25, 1, 5);
  auto j = records(program, isa::Transfer::elt, kJ, 0.25, 1, 6);
  // Numbers of both sides are those of short words.
  for (auto* fields : {&i, &j}) {
    for (std::uint64_t& word : *fields) word = bits(static_cast<float>(std::bit_cast<double>(word)));
  }
  Device device;
  device.load(program);
  for (const auto& parameter : program.parameters) device.set_parameter(parameter.name, 0.75);
  device.write_j(0, j);
  const auto got = device.run(i, kJ);
  const auto call = *static_cast<void (**)(const double*, const double*, double*)>(host.symbol("host"));
  const std::size_t i_width = i.size() / kI;
  const std::size_t j_width = j.size() / kJ;
  const std::size_t width = got.size() / kI;
  const auto columns = hostlib::columns_of(program, isa::Transfer::rrn);
  for (std::size_t n = 0; n < kI; ++n) {
    std::vector<double> expected(width, 0);
    for (std::size_t m = 0; m < kJ; ++m) {
      call(reinterpret_cast<const double*>(&i[n * i_width]), reinterpret_cast<const double*>(&j[m * j_width]),
           expected.data());
    }
    double size = 0;
    for (const double value : expected) size = std::max(size, std::abs(value));
    for (std::size_t at = 0; at < width; ++at) {
      const bool whole = columns[at].name == "neighbours" || columns[at].name == "turns";
      const double value = whole ? static_cast<double>(static_cast<std::int64_t>(got[n * width + at]))
                                 : std::bit_cast<double>(got[n * width + at]);
      EXPECT_NEAR(value, expected[at], one.bound * size) << columns[at].name << " of i-particle " << n;
    }
  }
}

// Errors: some ten roundings to short words (2^-25) on both sides, or functions off by a unit; sines of arguments of
// several.
INSTANTIATE_TEST_SUITE_P(
    Kernels, CompiledOnHost,
    testing::Values(
        HostCase{"coulomb",
                 "I a{{i[0], i[1], i[2]}, float(i[3])}; J b{{j[0], j[1], j[2]}, float(j[3])}; F c{{f[0], f[1], f[2]}, "
                 "f[3]};\n"
                 "coulomb(a, b, c, P{.75f, .75f}); for (int k = 0; k < 3; ++k) f[k] = c.force[k]; f[3] = c.pot;",
                 2e-6},
        HostCase{"morse",
                 "I a{{i[0], i[1], i[2]}}; J b{{j[0], j[1], j[2]}, float(j[3])}; F c{{f[0], f[1], f[2]}, f[3]};\n"
                 "morse(a, b, c, P{.75f, .75f}); for (int k = 0; k < 3; ++k) f[k] = c.force[k]; f[3] = c.pot;",
                 2e-6},
        HostCase{"sph_density",
                 "I a{{i[0], i[1], i[2]}, float(i[3])}; J b{{j[0], j[1], j[2]}, float(j[3])}; F c{f[0], int(f[1])};\n"
                 "sph_density(a, b, c); f[0] = c.density; f[1] = c.neighbours;",
                 2e-6},
        HostCase{"oseen",
                 "I a{{i[0], i[1], i[2]}}; J b{{j[0], j[1], j[2]}, {float(j[3]), float(j[4]), float(j[5])}, 0}; F "
                 "c{{f[0], f[1], f[2]}};\n"
                 "oseen(a, b, c); for (int k = 0; k < 3; ++k) f[k] = c.u[k];",
                 2e-6},
        HostCase{"debye",
                 "I a{{i[0], i[1], i[2]}, float(i[3])}; J b{{j[0], j[1], j[2]}, float(j[3])}; F c{f[0]};\n"
                 "debye(a, b, c); f[0] = c.intensity;",
                 2e-6},
        HostCase{"repulsion",
                 "I a{{i[0], i[1], i[2]}, float(i[3]), float(i[4])}; J b{{j[0], j[1], j[2]}, float(j[3]), "
                 "float(j[4])}; F c{f[0]};\n"
                 "repulsion(a, b, c); f[0] = c.energy;",
                 2e-6},
        HostCase{"mandelbrot",
                 "I a{float(i[0]), float(i[1])}; J b{float(j[0]), float(j[1])}; F c{int(f[0])};\n"
                 "mandelbrot(a, b, c); f[0] = c.turns;",
                 0}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gdr::compiler_testing
