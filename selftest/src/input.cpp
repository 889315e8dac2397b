#include "gdr/selftest/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gdr::selftest {
namespace {

// One of so many programs of each kind.
constexpr std::uint64_t kLockstepOneIn = 32;

/// Kinds of programs; each is likely to show another kind of error.
struct Kind {
  ProgramShape shape;
  unsigned most_lines;
};
constexpr Kind kKinds[] = {{{8, false, 24}, 8},      {{2, false, 8}, 10},       {{4, true, 24}, 6},
                           {{0, false, 16}, 6},      {{8, false, 24, true}, 8}, {{2, false, 8, true}, 3},
                           {{4, true, 24, true}, 6}, {{0, false, 16, true}, 4}};

// The data of further chips use other seeds, which chip 0 does not use for nearby seeds.
constexpr std::uint64_t kSeedsOfChips = 1'000'003;

std::vector<LongWord> words(RandomPrograms& random, std::size_t count) {
  std::vector<LongWord> drawn(count);
  for (LongWord& word : drawn) word = random.word();
  return drawn;
}

isa::Variable words_of_pe(std::string name, unsigned address, isa::Transfer transfer, isa::Conversion conversion) {
  isa::Variable variable;
  variable.name = std::move(name);
  variable.address = static_cast<std::uint16_t>(address);
  variable.vector = true;
  variable.dimensions = {1};
  variable.transfer = transfer;
  variable.conversion = conversion;
  return variable;
}

}  // namespace

Input random_input(std::uint64_t seed, unsigned most_chips) {
  constexpr std::uint64_t kRecords[] = {0, 1, 16, 37, 64, 65, 97};
  constexpr unsigned kLive[] = {1, 6, 32, 32};
  const Kind& kind = kKinds[seed % std::size(kKinds)];
  RandomPrograms random(seed);
  Input input;
  input.program = random.next(kind.shape, kind.most_lines);
  input.seed = seed;
  const std::uint64_t of_kind = seed / std::size(kKinds);
  input.chips = static_cast<unsigned>(1 + (of_kind + of_kind / kLockstepOneIn) % most_chips);
  // Ranges of blocks that an engine may run at the same time.
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
    // Words of PEs that were not live in one run are undefined from then on. A PE that is compared must therefore have
    // been live in all runs.
    live = std::min(live, random.one_in(4) ? static_cast<unsigned>(1 + random.below(emulator::kPesPerBlock))
                                           : kLive[random.below(std::size(kLive))]);
    input.runs.push_back({kRecords[random.below(std::size(kRecords))], live, 2 * random.below(3)});
  }
  return input;
}

std::size_t turn_of(std::uint64_t seed, std::size_t engines) { return seed / std::size(kKinds) % engines; }

bool is_for_lockstep(std::uint64_t seed) { return turn_of(seed, kLockstepOneIn) == 0; }

isa::Program with_variables(isa::Program program) {
  if (!program.is_type2()) {
    constexpr unsigned kResultAddress = 0;
    program.variables = {words_of_pe("result", kResultAddress, isa::Transfer::rrn, isa::Conversion::FLT72TO64)};
    program.variables.front().reduction = isa::Op::FADD;
  }
  program.variables.push_back(
      words_of_pe("particle", InputData::kParticleAddress, isa::Transfer::hlt, isa::Conversion::FLT64TO72));
  return program;
}

std::string text_of(const Input& input) {
  std::string text = text_of(input.program);
  for (const emulator::BlockRange range : input.ranges) {
    text += fmt::format("blocks {} + {}\n", range.first, range.count);
  }
  for (const Input::Run& run : input.runs) {
    text += fmt::format("{} records, {} live PEs, pieces of {} iterations\n", run.records, run.live_pes, run.piece);
  }
  if (input.chips > 1) text += fmt::format("{} chips\n", input.chips);
  return text;
}

InputData::InputData(const Input& input) {
  for (unsigned chip = 0; chip < input.chips; ++chip) {
    const std::uint64_t seed = input.seed + chip * kSeedsOfChips;
    std::vector<Block>& blocks = blocks_.emplace_back(emulator::kBlocks);
    for (const emulator::BlockRange range : input.ranges) {
      for (unsigned block = range.first; block < range.first + range.count; ++block) {
        RandomPrograms random(seed * 100 + block);
        blocks[block].bm = words(random, 64);
        for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
          PeData& data = blocks[block].pes.emplace_back();
          data.gpr = words(random, 16);
          data.lm = words(random, 16);
          data.shorts = words(random, 8);
          for (LongWord& word : data.shorts) word = isa::widen(word.upper());
        }
      }
    }
    std::vector<std::vector<LongWord>>& records = records_.emplace_back();
    for (const Input::Run& run : input.runs) {
      RandomPrograms random(seed + run.records);
      records.push_back(words(random, run.records * input.program.record_words));
    }
  }
  for (const Input::Run& run : input.runs) {
    RandomPrograms random(input.seed + run.live_pes);
    particles_.push_back(words(random, run.live_pes * isa::kVectorElements));
  }
}

std::vector<PieceOfRun> pieces_of(const Input::Run& run) {
  const std::uint64_t iterations = (run.records + emulator::kBlocks - 1) / emulator::kBlocks;
  const std::uint64_t longest = run.piece == 0 ? std::max<std::uint64_t>(iterations, 1) : run.piece;
  std::vector<PieceOfRun> pieces;
  std::uint64_t first = 0;
  do {
    PieceOfRun piece;
    piece.first = first;
    piece.count = std::min(longest, iterations - first);
    piece.records = std::min(run.records - first * emulator::kBlocks, piece.count * emulator::kBlocks);
    piece.begins = first == 0;
    piece.ends = first + piece.count == iterations;
    pieces.push_back(piece);
    first += piece.count;
  } while (first < iterations);
  return pieces;
}

}  // namespace gdr::selftest
