// How near the kernels of applications are to their bounds.
#include <gtest/gtest.h>

#include "compiled.h"
#include "gdr/assembler/analysis.h"

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

}  // namespace
}  // namespace gdr::applications_testing
