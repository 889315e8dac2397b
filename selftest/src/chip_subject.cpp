// Runs inputs on chips in the way that the control processor drives them.
#include <fmt/format.h>

#include "gdr/selftest/comparison.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::kPesPerBlock;
using isa::Width;

constexpr emulator::PeWords kAllGpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
constexpr emulator::PeWords kAllLm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};

void write(Chip& chip, unsigned block, const InputData& data) {
  chip.write_bm(block, 0, data.bm(0, block));
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    const InputData::PeData& own = data.pe(0, block, pe);
    const auto put = [&](isa::Memory memory, unsigned address, Width width, const std::vector<LongWord>& words) {
      chip.write_pe(block, pe,
                    {memory, static_cast<std::uint16_t>(address), width, static_cast<std::uint16_t>(words.size())},
                    words);
    };
    put(isa::Memory::gpr, 0, Width::long_word, own.gpr);
    put(isa::Memory::lm, 0, Width::long_word, own.lm);
    put(isa::Memory::gpr, InputData::kFirstShort, Width::short_word, own.shorts);
  }
}

/// Appends the words that the blocks collect, ordered by run, piece and block.
void run_loop(Chip& chip, BlockRange range, const Input& input, std::size_t number,
              const std::vector<LongWord>& records, std::vector<LongWord>& collected) {
  const Input::Run& run = input.runs[number];
  const unsigned record_words = input.program.record_words;
  for (const PieceOfRun& piece : pieces_of(run)) {
    emulator::LoopRun loop;
    loop.stream = {
        std::span(records).subspan(piece.first * emulator::kBlocks * record_words, piece.records * record_words),
        record_words, piece.records};
    loop.live_pes = run.live_pes;
    loop.begins = piece.begins;
    loop.ends = piece.ends;
    loop.run = number + 1;
    loop.first_iteration = piece.first;
    std::vector<LongWord> room(range.count *
                               emulator::collected_words(input.program, piece.count, piece.begins, piece.ends));
    loop.collected = room;
    chip.run_loop(range, loop);
    collected.insert(collected.end(), room.begin(), room.end());
  }
}

Outcome::Block block_of(const Chip& chip, unsigned block, unsigned live_pes) {
  Outcome::Block seen{0, block, live_pes, {}};
  seen.state.gpr.reserve(live_pes * std::size_t{kAllGpr.count});
  seen.state.lm.reserve(live_pes * std::size_t{kAllLm.count});
  for (unsigned pe = 0; pe < live_pes; ++pe) {
    for (const auto& [where, words] : {std::pair(kAllGpr, &seen.state.gpr), std::pair(kAllLm, &seen.state.lm)}) {
      const std::vector<LongWord> own = chip.read_pe(block, pe, where);
      words->insert(words->end(), own.begin(), own.end());
    }
    seen.state.registers.push_back(chip.registers(block, pe));
  }
  seen.state.bm = chip.read_bm(block, 0, isa::kBmShortWords / 2);
  return seen;
}

class ChipSubject final : public Subject {
 public:
  explicit ChipSubject(std::unique_ptr<Chip> chip) : chip_(std::move(chip)) {}

  [[nodiscard]] std::vector<Outcome> run(const Input& input, const InputData& data) override {
    chip_->load(input.program);
    std::vector<Outcome> outcomes;
    for (const BlockRange range : input.ranges) outcomes.push_back(run(range, input, data));
    return outcomes;
  }

 private:
  [[nodiscard]] Outcome run(BlockRange range, const Input& input, const InputData& data) {
    Outcome outcome;
    try {
      for (unsigned block = range.first; block < range.first + range.count; ++block) {
        write(*chip_, block, data);
        chip_->run_initialization(block);
      }
      for (std::size_t run = 0; run < input.runs.size(); ++run) {
        const emulator::PeWords where{isa::Memory::lm, InputData::kParticleAddress, Width::long_word,
                                      isa::kVectorElements};
        // One seed in 16 writes to all blocks, as runs of whole chips do; the others spare the blocks that do not run.
        // Kinds of programs and lockstep's turns repeat every 256 seeds, so that seed / 256 is independent of them.
        const BlockRange written = input.seed / 256 % 16 == 0 ? BlockRange{0, emulator::kBlocks} : range;
        chip_->write_pes(written, 0, where, data.particles(run));
        run_loop(*chip_, range, input, run, data.records(0, run), outcome.results);
      }
    } catch (const emulator::Fault& fault) {
      outcome.fault = fault;
      return outcome;
    }
    const unsigned live = input.runs.empty() ? kPesPerBlock : input.runs.back().live_pes;
    for (unsigned block = range.first; block < range.first + range.count; ++block) {
      outcome.blocks.push_back(block_of(*chip_, block, live));
      const emulator::FirstEvents first = chip_->first_events(block);
      outcome.events.push_back({fmt::format("chip 0, block {}", block),
                                chip_->events(block),
                                {first.events().begin(), first.events().end()}});
    }
    return outcome;
  }

  std::unique_ptr<Chip> chip_;
};

}  // namespace

std::unique_ptr<Subject> chip_subject(std::unique_ptr<Chip> chip) {
  return std::make_unique<ChipSubject>(std::move(chip));
}

}  // namespace gdr::selftest
