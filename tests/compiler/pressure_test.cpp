// Functions with more values at once than registers hold, on the board against the host's compilation of the same
// source.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ostream>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

using testing::HasSubstr;

struct Pressure {
  const char* type;
  unsigned values;  // that are all read twice, first in the order against that of their making
};

void PrintTo(const Pressure& one, std::ostream* out) { *out << one.values << " " << one.type; }

std::string source_of(const Pressure& one) {
  std::string source = fmt::format(
      "struct I {{ {0} a[3]; }};\nstruct J {{ {0} x[3]; }};\nstruct F {{ {0} s[2]; }};\n"
      "void pressure(const I& i, const J& j, F& f) {{\n",
      one.type);
  for (unsigned n = 0; n < one.values; ++n) {
    source += fmt::format("  const {} v{} = (i.a[{}] + j.x[{}]) * (j.x[{}] + {}.25f);\n", one.type, n, n % 3,
                          (n + 1) % 3, n % 3, n);
  }
  source += fmt::format("  {} s = 0, t = 0;\n", one.type);
  for (unsigned n = 0; n < one.values; ++n) source += fmt::format("  s += v{} * v{};\n", n, one.values - 1 - n);
  for (unsigned n = 0; n < one.values; ++n) source += fmt::format("  t += v{} * s;\n", n);
  return source + "  f.s[0] += s;\n  f.s[1] += t;\n}\n";
}

class RegisterPressure : public testing::TestWithParam<Pressure> {};

TEST_P(RegisterPressure, ValuesGoToLocalMemory) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  constexpr std::size_t kI = 5;
  constexpr std::size_t kJ = 33;
  const Pressure& one = GetParam();
  const HostFunctions host(
      source_of(one) +
      fmt::format("using Call = void (*)(const double*, const double*, double*);\n"
                  "static void call(const double* i, const double* j, double* f) {{\n"
                  "  using T = {};\n"
                  "  F c{{{{T(f[0]), T(f[1])}}}};\n"
                  "  pressure({{{{T(i[0]), T(i[1]), T(i[2])}}}}, {{{{T(j[0]), T(j[1]), T(j[2])}}}}, c);\n"
                  "  f[0] = c.s[0], f[1] = c.s[1];\n"
                  "}}\nextern \"C\" Call host;\nCall host = call;\n",
                  one.type));
  compiler::CompileOptions options;
  options.effort = 1;
  options.function = "pressure";
  const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "one.bc", options);
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "one.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  std::mt19937_64 random(one.values);
  const auto numbers = [&](std::size_t count) {
    std::vector<double> made;
    for (std::size_t n = 0; n < count; ++n)
      made.push_back(static_cast<float>(std::uniform_real_distribution<double>(0.5, 2)(random)));
    return made;
  };
  const auto words = [](const std::vector<double>& all) {
    std::vector<std::uint64_t> made;
    for (const double number : all) made.push_back(std::bit_cast<std::uint64_t>(number));
    return made;
  };
  const std::vector<double> i = numbers(3 * kI);
  const std::vector<double> j = numbers(3 * kJ);
  Device device;
  device.load(*assembled.program);
  device.write_j(0, words(j));
  const auto got = device.run(words(i), kJ);
  const auto call = *static_cast<void (**)(const double*, const double*, double*)>(host.symbol("host"));
  // Sums of positive numbers: an error of half a unit for each of some operations.
  const double bound = (2 * one.values + kJ + 8) * std::ldexp(1.0, std::string(one.type) == "float" ? -23 : -48);
  for (std::size_t n = 0; n < kI; ++n) {
    double expected[2] = {0, 0};
    for (std::size_t m = 0; m < kJ; ++m) call(&i[3 * n], &j[3 * m], expected);
    for (std::size_t at = 0; at < 2; ++at)
      EXPECT_NEAR(std::bit_cast<double>(got[2 * n + at]), expected[at], bound * expected[at]);
  }
}

// 16 vectors of short words, or 8 of long ones, fill the registers.
INSTANTIATE_TEST_SUITE_P(Functions, RegisterPressure,
                         testing::Values(Pressure{"float", 12}, Pressure{"float", 20}, Pressure{"float", 45},
                                         Pressure{"float", 90}, Pressure{"double", 12}, Pressure{"double", 20},
                                         Pressure{"double", 36}),
                         [](const auto& one) {
                           return std::string(one.param.type) + std::to_string(one.param.values);
                         });

TEST(RegisterPressure, MoreThanLocalMemoryHoldsIsRefused) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  compiler::CompileOptions options;
  options.effort = 1;
  const compiler::CompileResult compiled =
      compiler::compile_ir(llvm_code(source_of({"double", 70}), false), "one.bc", options);
  EXPECT_TRUE(compiled.source.empty());
  ASSERT_EQ(compiled.diagnostics.size(), 1u);
  EXPECT_EQ(compiled.diagnostics[0].line, 4u);
  EXPECT_THAT(compiled.diagnostics[0].message, HasSubstr("472 of local memory"));
}

}  // namespace
}  // namespace gdr::compiler_testing
