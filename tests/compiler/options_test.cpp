// What the compiler's steps promise: the same bits with and without them, the same lines for the same seed.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"

namespace gdr::compiler_testing {
namespace {

const std::filesystem::path kJerk = std::filesystem::path(GDR_KERNELS_DIR) / "cc" / "gravity_jerk.cc";

std::vector<std::uint64_t> forces(const compiler::CompileOptions& options) {
  const compiler::CompileResult result = compiler::compile_file(kJerk, options);
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "jerk.vsm");
  EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  Device device;
  device.load(*assembled.program);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto records = [&](std::size_t count, std::size_t width, std::size_t index) {
    std::vector<std::uint64_t> fields;
    for (std::size_t n = 0; n < count * width; ++n) {
      fields.push_back(n % width == index ? n / width : std::bit_cast<std::uint64_t>(number(random)));
    }
    return fields;
  };
  device.write_j(0, records(90, device.fields(isa::Transfer::elt), 0));
  return device.run(records(30, device.fields(isa::Transfer::hlt), 7), 90);
}

TEST(CompilerOptions, StepsThatPromiseItKeepEveryBit) {
  compiler::CompileOptions plain;
  plain.effort = 1;
  const auto expected = forces(plain);
  compiler::CompileOptions one_by_one = plain;
  one_by_one.components = false;
  EXPECT_EQ(forces(one_by_one), expected);
  compiler::CompileOptions each_turn = plain;
  each_turn.hoist = false;
  EXPECT_EQ(forces(each_turn), expected);
  compiler::CompileOptions other_seed = plain;
  other_seed.seed = 2;
  EXPECT_EQ(forces(other_seed), expected);
}

TEST(CompilerOptions, TheSameSeedGivesTheSameLines) {
  compiler::CompileOptions options;
  options.seed = 5;
  EXPECT_EQ(compiler::compile_file(kJerk, options).source, compiler::compile_file(kJerk, options).source);
}

TEST(CompilerOptions, OutOfRangeAreRefusedByValue) {
  compiler::CompileOptions options;
  options.effort = 4;
  EXPECT_THROW(static_cast<void>(compiler::compile_ir("", "x.ll", options)), Error);
}

TEST(CompilerOptions, PrecisionTellsWhichOperationsAreShort) {
  const compiler::CompileResult result = compiler::compile_file(kJerk.parent_path() / "gravity.cc");
  ASSERT_FALSE(result.precision.empty());
  const auto is_short = [&](const std::string& name) {
    for (const compiler::PrecisionRow& row : result.precision) {
      if (row.name == name) return row.is_short;
    }
    ADD_FAILURE() << name;
    return false;
  };
  EXPECT_TRUE(is_short("d0"));
  EXPECT_TRUE(is_short("my3"));
  EXPECT_FALSE(is_short("my"));
  EXPECT_FALSE(is_short("pot"));
}

}  // namespace
}  // namespace gdr::compiler_testing
