#include "random_input.h"

#include <algorithm>
#include <iterator>

namespace gdr::tests {
namespace {

/// Shapes that each make another kind of trouble.
struct Kind {
  ProgramShape shape;
  unsigned most_lines;
};
constexpr Kind kKinds[] = {{{8, false, 24}, 8},      {{2, false, 8}, 10},       {{4, true, 24}, 6},
                           {{0, false, 16}, 6},      {{8, false, 24, true}, 8}, {{2, false, 8, true}, 3},
                           {{4, true, 24, true}, 6}, {{0, false, 16, true}, 4}};

EngineInput input_of(std::uint64_t seed) {
  constexpr std::uint64_t kRecords[] = {0, 1, 16, 37, 64, 65, 97};
  constexpr unsigned kLive[] = {1, 6, 32, 32};
  const Kind& kind = kKinds[seed % std::size(kKinds)];
  RandomPrograms random(seed);
  EngineInput input;
  input.program = random.next(kind.shape, kind.most_lines);
  input.seed = seed;
  // Blocks that an engine may run side by side.
  if (random.one_in(16)) {
    input.ranges = {{0, emulator::kBlocks}};
  } else {
    const auto first = static_cast<unsigned>(1 + random.below(3));
    const auto second = static_cast<unsigned>(1 + random.below(3));
    input.ranges = {{static_cast<unsigned>(random.below(6)), first},
                    {static_cast<unsigned>(8 + random.below(6)), second}};
  }
  unsigned live = emulator::kPesPerBlock;
  for (int run = 0; run < 2; ++run) {
    // Words of PEs that were not live are undefined ever after, so a PE that is compared must have been live
    // throughout.
    live = std::min(live, random.one_in(4) ? static_cast<unsigned>(1 + random.below(emulator::kPesPerBlock))
                                           : kLive[random.below(std::size(kLive))]);
    input.runs.push_back({kRecords[random.below(std::size(kRecords))], live, 2 * random.below(3)});
  }
  return input;
}

std::vector<ExactEngine> others(bool lockstep) {
  std::vector<ExactEngine> engines = exact_engines();
  std::erase_if(engines, [&](const ExactEngine& engine) {
    return engine.name == "reference" || (engine.name == "lockstep" && !lockstep);
  });
  return engines;
}

}  // namespace

RandomComparison::RandomComparison() : all_(others(true)), without_lockstep_(others(false)) {}

testing::AssertionResult RandomComparison::agree(std::uint64_t seed) {
  const Kind& kind = kKinds[seed % std::size(kKinds)];
  // Of several elements with an address outside local memory the engines name different ones.
  const bool lockstep = seed / std::size(kKinds) % 8 == 0 && !kind.shape.indirect;
  return (lockstep ? all_ : without_lockstep_).agree(input_of(seed));
}

}  // namespace gdr::tests
