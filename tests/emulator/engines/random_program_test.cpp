// Random programs on the reference engine, on the vector engine, in lockstep and on the tests' own interpreter. The
// instruction sets of the host take turns. A failing program is shrunk and printed as assembly.
//
// At night it is a million programs that nobody has seen before: the seed is new each time, printed, and taken from the
// environment variable GDR_TEST_SEED where that is set, to see a night again. A failure names the seed of its program
// alone. scripts/soak has every program on all instruction sets.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <tuple>

#include "random_comparison.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

constexpr unsigned kPrograms = kSlowedDown ? 10 : 250;

/// One of the sets that together make five thousand programs.
class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, RunsAlikeOnAllEngines) {
  RandomComparison comparison(InstructionSets::in_turn);
  for (unsigned n = 0; n < kPrograms; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * kPrograms + n;
    ASSERT_TRUE(comparison.agree(seed)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RandomProgram, testing::Range(0U, 20U));

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kShares = 20;  // which run side by side

std::uint64_t seed_of_the_night() {
  if (const char* const given = std::getenv("GDR_TEST_SEED")) return std::stoull(given);
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

class NewRandomProgram : public testing::TestWithParam<std::tuple<InstructionSets, std::uint64_t>> {
 public:
  static auto shares(InstructionSets sets) {
    return testing::Combine(testing::Values(sets), testing::Range(std::uint64_t{0}, kShares));
  }
  static std::string name(const testing::TestParamInfo<ParamType>& tested) {
    return std::to_string(std::get<1>(tested.param));
  }
};

TEST_P(NewRandomProgram, RunsAlikeOnAllEngines) {
  const auto [sets, share] = GetParam();
  const std::uint64_t seed = seed_of_the_night();
  std::cout << "GDR_TEST_SEED=" << seed << std::endl;
  RecordProperty("seed", std::to_string(seed));
  RandomComparison comparison(sets);
  const std::uint64_t first = seed + share * (kMillion / kShares);
  for (std::uint64_t n = 0; n < kMillion / kShares; ++n) {
    ASSERT_TRUE(comparison.agree(first + n)) << "seed " << first + n;
  }
}

INSTANTIATE_TEST_SUITE_P(Nightly, NewRandomProgram, NewRandomProgram::shares(InstructionSets::in_turn),
                         NewRandomProgram::name);
INSTANTIATE_TEST_SUITE_P(Soak, NewRandomProgram, NewRandomProgram::shares(InstructionSets::all),
                         NewRandomProgram::name);

/// One program again: GDR_TEST_SEED is its own seed.
TEST(NightlyRandomProgram, RunsAgainAlikeOnAllEngines) {
  const std::uint64_t seed = seed_of_the_night();
  EXPECT_TRUE(RandomComparison().agree(seed)) << "seed " << seed;
}

}  // namespace
}  // namespace gdr::tests
