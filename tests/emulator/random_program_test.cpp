// Random programs on the reference engine and on the vector engine, on every instruction set of the host. A failing
// program is shrunk and printed as assembly.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "engine_check.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using isa::Section;

void append(std::vector<isa::Step>& code, const std::vector<isa::Step>& more) {
  code.insert(code.end(), more.begin(), more.end());
}

EngineInput input_of(isa::Program program, RandomPrograms& random, std::uint64_t seed) {
  constexpr std::uint64_t kRecords[] = {0, 1, 37, 64, 65};
  constexpr unsigned kLive[] = {1, 6, 32, 32};
  EngineInput input;
  append(program.sections[static_cast<std::size_t>(Section::loop_termination)], code_of(dump_lines()));
  input.program = std::move(program);
  input.blocks = {0, 4, 5};
  for (int run = 0; run < 2; ++run) {
    input.runs.push_back({kRecords[random.below(5)], kLive[random.below(4)]});
  }
  // Words of PEs that were not live are undefined ever after, so a PE that is compared must have been live throughout.
  input.runs[1].live_pes = std::min(input.runs[0].live_pes, input.runs[1].live_pes);
  input.seed = seed;
  return input;
}

/// Shapes that each make another kind of trouble.
struct Kind {
  ProgramShape shape;
  unsigned most_lines;
};
constexpr Kind kKinds[] = {{{8, false, 24}, 8}, {{2, false, 8}, 10}, {{4, true, 24}, 6}, {{0, false, 16}, 6}};

constexpr unsigned kPrograms = kSlowedDown ? 25 : 500;

/// One of the sets that together make ten thousand programs.
class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, RunsAlikeOnAllEngines) {
  for (unsigned n = 0; n < kPrograms; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * kPrograms + n;
    const Kind& kind = kKinds[seed % std::size(kKinds)];
    RandomPrograms random(seed);
    isa::Program program = random.next(kind.shape, kind.most_lines);
    ASSERT_TRUE(engines_agree(input_of(std::move(program), random, seed))) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RandomProgram, testing::Range(0U, 20U));

}  // namespace
}  // namespace gdr::tests
