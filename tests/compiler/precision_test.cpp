// What short words cost on data: kernels whose errors are known by hand.
#include "gdr/compiler/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

using compiler::OperationPrecision;
using compiler::PrecisionReport;
using testing::DoubleNear;
using testing::ElementsAre;

std::vector<std::uint64_t> fields(std::initializer_list<double> numbers) {
  std::vector<std::uint64_t> all;
  for (const double number : numbers) all.push_back(std::bit_cast<std::uint64_t>(number));
  return all;
}

PrecisionReport measured(const std::string& name, const std::string& source, const compiler::PrecisionData& data) {
  const Folder folder;
  base::write_file(folder / name.c_str(), source);
  const auto run = [&](const compiler::CompileResult& compiled) {
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "kernel.vsm");
    EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
    Device device;
    device.load(assembled.program.value());
    for (const auto& [parameter, value] : data.parameters) device.set_parameter(parameter, value);
    device.write_j(0, data.j_fields);
    const std::size_t width = std::max<std::size_t>(device.fields(isa::Transfer::elt), 1);
    return device.run(data.i_fields, data.j_fields.size() / width);
  };
  compiler::CompileOptions options;
  options.effort = 1;
  return compiler::measure_precision(folder / name.c_str(), options, data, run);
}

const OperationPrecision& find(const PrecisionReport& report, const std::string& operation, const std::string& name) {
  const auto found = std::find_if(report.operations.begin(), report.operations.end(),
                                  [&](const auto& one) { return one.operation == operation && one.name == name; });
  EXPECT_NE(found, report.operations.end()) << operation << " " << name;
  return found == report.operations.end() ? report.operations.at(0) : *found;
}

// A short word has 24 fraction bits: it keeps 1 of 1 + 2^-30. The host's doubles keep all of it.
constexpr double kMore = 0x1p-30;
constexpr double kLost = kMore / (1 + kMore);

TEST(PrecisionReport, TellsTheErrorThatTheHandFinds) {
  const PrecisionReport report = measured("one.lsump",
                                          "/VARI x;\n/VARJ y, m;\n/VARF s;\n"
                                          "d = y - x;\n"
                                          "s += long(d) * m;\n",
                                          {fields({0, 1}), fields({1 + kMore, 1}), {}});
  EXPECT_EQ(report.i_particles, 2U);
  EXPECT_EQ(report.j_particles, 1U);
  // For x = 1 the difference is 2^-30, which a short word keeps.
  ASSERT_EQ(report.as_written.size(), 1U);
  EXPECT_EQ(report.as_written[0].result, "s");
  EXPECT_DOUBLE_EQ(report.as_written[0].max, kLost);
  EXPECT_DOUBLE_EQ(report.as_written[0].rms, kLost / std::sqrt(2.0));
  EXPECT_EQ(report.every_long.at(0).max, 0);
  // The product of two long words takes two lines.
  EXPECT_EQ(report.long_lines, report.lines + 1);

  const OperationPrecision& difference = report.operations.at(0);
  EXPECT_EQ(difference.operation, "sub");
  EXPECT_EQ(difference.name, "d");
  EXPECT_EQ(difference.line, 4U);
  EXPECT_TRUE(difference.is_short);
  EXPECT_FALSE(difference.estimated);
  EXPECT_EQ(difference.lines_saved, 1);
  EXPECT_DOUBLE_EQ(difference.errors.at(0).max, kLost);
  EXPECT_DOUBLE_EQ(difference.errors.at(0).rms, kLost / std::sqrt(2.0));
  // All others are long, and have no cost.
  for (std::size_t n = 1; n < report.operations.size(); ++n) {
    EXPECT_FALSE(report.operations[n].is_short) << report.operations[n].operation;
    EXPECT_TRUE(report.operations[n].errors.empty());
    EXPECT_FALSE(report.operations[n].lines_saved);
  }
  EXPECT_EQ(find(report, "sum", "s").line, 5U);
  EXPECT_EQ(find(report, "input", "m").line, 5U);
}

TEST(PrecisionReport, RanksTheOperationThatCostsMostFirst) {
  // y + 1024 loses the 2^-20 of y, all of what y - 1 is; the products lose 2^-25 at most.
  const PrecisionReport report = measured("two.lsump",
                                          "/VARI x;\n/VARJ y, z;\n/VARF s, t;\n"
                                          "v = z * z;\n"
                                          "w = v * z;\n"
                                          "t += w;\n"
                                          "p = y + 1024;\n"
                                          "q = p - 1024;\n"
                                          "s += long(q) - x;\n",
                                          {fields({0, 1}), fields({1 + 0x1p-20, 1 + 0x1.2345p-3}), {}});
  const OperationPrecision& worst = report.operations.at(0);
  EXPECT_EQ(worst.name, "p");
  EXPECT_EQ(worst.line, 7U);
  // For x = 1 all of s is lost, for x = 0 one part in 2^20.
  EXPECT_EQ(worst.errors.at(0).result, "s");
  EXPECT_DOUBLE_EQ(worst.errors.at(0).max, 1);
  EXPECT_DOUBLE_EQ(worst.errors.at(0).rms, std::sqrt((1 + std::pow(0x1p-20 / (1 + 0x1p-20), 2)) / 2));
  EXPECT_EQ(worst.errors.at(1).max, 0);
  const OperationPrecision& product = find(report, "mul", "w");
  EXPECT_EQ(product.errors.at(0).max, 0);
  EXPECT_GT(product.errors.at(1).max, 0x1p-30);
  EXPECT_LE(product.errors.at(1).max, 0x1p-25);
  // Short ones go by their cost.
  for (std::size_t n = 1; n < report.operations.size(); ++n)
    EXPECT_GE(report.operations[n - 1].is_short, report.operations[n].is_short);
}

TEST(PrecisionReport, CountsDataAndExtremesAsTheirMembers) {
  const PrecisionReport report = measured("three.lsump",
                                          "/VARI x;\n/VARJ short a;\n/VARJ b;\n/VARF f;\n/VARF short least;\n"
                                          "f += long(a) - x;\n"
                                          "c = b - x;\n"
                                          "least = min(least, c);\n",
                                          {fields({0}), fields({1 + kMore, 1 + kMore}), {}});
  const auto costs = [&](const std::string& operation, const std::string& name) {
    std::vector<double> most;
    for (const compiler::ResultError& error : find(report, operation, name).errors) most.push_back(error.max);
    return most;
  };
  const auto lost = DoubleNear(kLost, 0x1p-60);
  EXPECT_THAT(costs("input", "a"), ElementsAre(lost, 0));
  // A minimum is as wide as what it takes the least of.
  EXPECT_THAT(costs("sub", "c"), ElementsAre(0, lost));
  for (const compiler::ResultError& error : report.as_written) EXPECT_THAT(error.max, lost) << error.result;
  for (const compiler::ResultError& error : report.every_long) EXPECT_EQ(error.max, 0) << error.result;
}

TEST(PrecisionReport, CountsASumAsItsMember) {
  // 1000 numbers that are short words, the same in all blocks: only their sum rounds, and that is 1000 times as large.
  std::vector<std::uint64_t> numbers;
  for (int n = 0; n < 1000; ++n) numbers.push_back(std::bit_cast<std::uint64_t>(1 + 0x1p-24));
  const PrecisionReport report = measured("sum.lsump", "/VARI x;\n/VARJ short b;\n/VARF short s;\ns += b - short(x);\n",
                                          {fields({0}), numbers, {}});
  const double cost = find(report, "sum", "s").errors.at(0).max;
  EXPECT_GT(cost, 0);
  EXPECT_LE(cost, 0x1p-24);
  EXPECT_EQ(report.as_written.at(0).max, cost);
  EXPECT_EQ(report.every_long.at(0).max, 0);
}

TEST(PrecisionReport, MeasuresFunctionsInLongWords) {
  const PrecisionReport report =
      measured("four.lsump", "/VARI x;\n/VARJ y;\n/VARF s;\ne = exp(short(y - x));\ns += long(e);\n",
               {fields({0.3}), fields({1}), {}});
  // By hand: e^0.7, where 0.7 is rounded to 25 significant bits, and then the exponential to 24.
  const double exact = std::exp(1 - 0.3);
  const double argument = std::ldexp(std::nearbyint(std::ldexp(1 - 0.3, 25)), -25);
  const double of_argument = std::abs(std::exp(argument) - exact) / exact;
  EXPECT_NEAR(report.as_written.at(0).max, of_argument, 0x1p-24);
  EXPECT_LT(report.every_long.at(0).max, 0x1p-46);  // 4 * 2^-50, and the product of 50 bits
  ASSERT_TRUE(report.long_lines);
  EXPECT_GT(*report.long_lines, report.lines);
  for (const auto& [operation, name] : {std::pair("exp", "e"), std::pair("sub", "")}) {
    EXPECT_FALSE(find(report, operation, name).estimated);
    EXPECT_TRUE(find(report, operation, name).lines_saved);
  }
}

class Functions : public testing::TestWithParam<const char*> {};

TEST_P(Functions, AreLongWhereEverythingIs) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::string source = std::string("#include <gdr/kernel.h>\n") +
                             "struct I { double x; };\nstruct J { double y; };\nstruct F { double s; };\n" +
                             "void f(const I& i, const J& j, F& f) {\n  const float a = j.y - i.x;\n" +
                             "  const float b = " + GetParam() + ";\n  f.s += b;\n}\n";
  const PrecisionReport report = measured("f.cc", source, {fields({0.3}), fields({1.17}), {}});
  ASSERT_FALSE(report.every_long.empty()) << report.clang;
  EXPECT_GT(report.as_written.at(0).max, 0x1p-40);
  EXPECT_LT(report.every_long.at(0).max, 0x1p-43);  // the table of errors in docs/kernels/compiler.md
  for (const OperationPrecision& operation : report.operations)
    EXPECT_FALSE(operation.estimated) << operation.operation;
}

INSTANTIATE_TEST_SUITE_P(All, Functions,
                         testing::Values("std::exp(a)", "std::log(a)", "std::sin(a)", "std::cos(a)", "std::tan(a)",
                                         "std::pow(a, a)", "std::cbrt(a)", "std::erf(a)", "std::erfc(a)",
                                         "std::tanh(a)", "std::atan2(a, 2.0f)", "std::hypot(a, 2.0f)", "std::log10(a)",
                                         "std::expm1(a)", "std::log1p(a)", "std::exp2(a)", "std::log2(a)",
                                         "std::sqrt(a)", "1 / a", "gdr::rsqrt(a)"));

TEST(PrecisionReport, LeavesOutWhatTheHostHasAsZero) {
  const PrecisionReport report = measured("five.lsump", "/VARI x;\n/VARJ y;\n/VARF s;\nd = y - x;\ns += long(d);\n",
                                          {fields({1, 2}), fields({1}), {}});
  EXPECT_EQ(report.as_written.at(0).left_out, 1U);
  EXPECT_EQ(report.as_written.at(0).max, 0);
}

TEST(PrecisionReport, RefusesDataThatAreNoRecords) {
  EXPECT_THROW(
      measured("six.lsump", "/VARI x;\n/VARJ y, z;\n/VARF s;\ns += y * z - x;\n", {fields({1}), fields({1, 2, 3}), {}}),
      Error);
}

TEST(PrecisionReport, HasMessagesForAFunctionThatDoesNotCompile) {
  const PrecisionReport report = measured("seven.lsump", "/VARJ y;\n/VARF s;\ns = y;\n", {{}, fields({1}), {}});
  ASSERT_EQ(report.diagnostics.size(), 1U);
  EXPECT_EQ(report.diagnostics[0].line, 3U);
  EXPECT_TRUE(report.operations.empty());
}

/// Two oracles that share no code, the emulated machine in long words and the host's doubles, agree on kernels of ours,
/// and what short words cost is within the stated precision of a short operation.
class OurKernels : public testing::TestWithParam<const char*> {};

TEST_P(OurKernels, AreAsExactAsTheirWordsSay) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::string path = std::string(GDR_KERNELS_DIR) + "/cc/" + GetParam() + ".cc";
  compiler::CompileOptions options;
  options.effort = 1;
  const compiler::CompileResult compiled = compiler::compile_file(path, options);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "kernel.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  Device device;
  device.load(*assembled.program);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  compiler::PrecisionData data;
  for (std::size_t n = 0; n < 40 * device.fields(isa::Transfer::hlt); ++n)
    data.i_fields.push_back(std::bit_cast<std::uint64_t>(number(random)));
  for (std::size_t n = 0; n < 100 * device.fields(isa::Transfer::elt); ++n)
    data.j_fields.push_back(std::bit_cast<std::uint64_t>(number(random)));
  for (const isa::Parameter& parameter : assembled.program->parameters)
    data.parameters.emplace_back(parameter.name, 0.7);
  const PrecisionReport report = measured(std::string(GetParam()) + ".cc", base::read_file(path), data);
  ASSERT_TRUE(report.long_lines);
  EXPECT_GT(*report.long_lines, report.lines);
  // Products of doubles are cut to 50 bits, positions differ by 0.01 of their size or more: 2^-50 and the host's 2^-53
  // are that much larger in a force of 1 / r^6, times the rounds of a kernel.
  for (const compiler::ResultError& error : report.every_long) EXPECT_LT(error.rms, 1e-12) << error.result;
  for (const compiler::ResultError& error : report.as_written) EXPECT_GT(error.rms, 1e-10) << error.result;
}

INSTANTIATE_TEST_SUITE_P(Kernels, OurKernels, testing::Values("gravity", "vdw", "coulomb", "oseen", "repulsion"));

}  // namespace
}  // namespace gdr::compiler_testing
