// A million programs that nobody has seen before: the seed is new each time, printed, and taken from the environment
// variable GDR_TEST_SEED where that is set, to see a night again. A failure names the seed of its program alone. At
// night the instruction sets take turns; scripts/soak has every program on all of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "random_comparison.h"

namespace gdr::tests {
namespace {

constexpr std::uint64_t kPrograms = 1'000'000;
constexpr std::uint64_t kShares = 20;  // which run side by side
#ifdef GDR_ALL_INSTRUCTION_SETS
constexpr InstructionSets kInstructionSets = InstructionSets::all;
#else
constexpr InstructionSets kInstructionSets = InstructionSets::in_turn;
#endif

std::uint64_t seed_of_the_night() {
  if (const char* const given = std::getenv("GDR_TEST_SEED")) return std::stoull(given);
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

class RandomProgramNightly : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProgramNightly, RunsAlikeOnAllEngines) {
  const std::uint64_t seed = seed_of_the_night();
  std::cout << "GDR_TEST_SEED=" << seed << std::endl;
  RecordProperty("seed", std::to_string(seed));
  RandomComparison comparison(kInstructionSets);
  const std::uint64_t first = seed + GetParam() * (kPrograms / kShares);
  for (std::uint64_t n = 0; n < kPrograms / kShares; ++n) {
    ASSERT_TRUE(comparison.agree(first + n)) << "seed " << first + n;
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, RandomProgramNightly, testing::Range(std::uint64_t{0}, kShares));

/// One program again: GDR_TEST_SEED is its own seed.
TEST(RandomProgramAgain, RunsAlikeOnAllEngines) {
  const std::uint64_t seed = seed_of_the_night();
  EXPECT_TRUE(RandomComparison().agree(seed)) << "seed " << seed;
}

}  // namespace
}  // namespace gdr::tests
