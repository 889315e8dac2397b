// How near the kernels of applications are to their bounds.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "compiled.h"
#include "gdr/assembler/analysis.h"
#include "slowed_down.h"

namespace gdr::applications_testing {
namespace {

class PackedKernel : public testing::TestWithParam<const char*> {};

TEST_P(PackedKernel, HasAtMostEightPercentMoreLinesThanItsBound) {
  const isa::Program program = compiled(GetParam(), 2);
  const unsigned least = assembler::analyse(program).least_lines();
  EXPECT_LE(100 * program.lines(isa::Section::loop_body).size(), 108 * least);
}

INSTANTIATE_TEST_SUITE_P(Applications, PackedKernel, testing::Values("eri", "sph_density_c4", "sph_force_c4"),
                         [](const auto& one) { return std::string(one.param); });

/// Functions of molecular dynamics in double, which need more registers than there are.
class LongFunction : public testing::TestWithParam<const char*> {};

TEST_P(LongFunction, HasAtMostEightPercentMoreLinesThanItsBound) {
  const std::filesystem::path source = std::filesystem::path(GDR_FUNCTIONS_DIR) / (std::string(GetParam()) + ".cc");
  const compiler::CompileResult result = compiler::compile_file(source, {});
  ASSERT_EQ(compiler::format_diagnostics(result), "");
  const assembler::AssembleResult assembled = assembler::assemble(result.source, GetParam());
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  const unsigned least = assembler::analyse(*assembled.program).least_lines();
  EXPECT_LE(100 * result.lines, 108 * least);
}

/// With sanitizers the search for few lines takes ten times as long: the first function is enough.
auto functions_searched(std::vector<const char*> names) {
  if (tests::kSlowedDown) names.resize(1);
  return testing::ValuesIn(names);
}

INSTANTIATE_TEST_SUITE_P(Applications, LongFunction,
                         functions_searched({"dpd", "ewald_table", "gayberne", "tersoff", "zbl_lj"}),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace gdr::applications_testing
