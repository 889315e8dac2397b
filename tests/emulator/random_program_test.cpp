// Random programs on the reference engine, on the vector engine, in lockstep and on the tests' own interpreter. The
// instruction sets of the host take turns. A failing program is shrunk and printed as assembly.
#include <gtest/gtest.h>

#include "random_comparison.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

constexpr unsigned kPrograms = kSlowedDown ? 25 : 500;

/// One of the sets that together make ten thousand programs.
class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, RunsAlikeOnAllEngines) {
  RandomComparison comparison(InstructionSets::in_turn);
  for (unsigned n = 0; n < kPrograms; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * kPrograms + n;
    ASSERT_TRUE(comparison.agree(seed)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RandomProgram, testing::Range(0U, 20U));

}  // namespace
}  // namespace gdr::tests
