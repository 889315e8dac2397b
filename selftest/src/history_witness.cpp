// What a session should give, worked out on chips that are asked one after the other in the caller's thread. It shares
// nothing with sessions: neither their queues, nor how they divide work, nor how they reduce what `collect` lines send.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gdr/emulator/block_stepper.h"
#include "gdr/selftest/history.h"
#include "gdr/selftest/history_face.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::ChipRange;
using emulator::kBlocks;
using emulator::PeWords;

struct WitnessSetup {
  HistoryPrograms programs;
  std::function<std::unique_ptr<Chip>()> make;
  std::vector<std::shared_ptr<const emulator::Lowered>> lowered;
  unsigned chips;

  WitnessSetup(const HistoryEngine& engine, const HistoryPrograms& of_history, unsigned chip_count)
      : programs(of_history), make(engine.chip), chips(chip_count) {
    const std::unique_ptr<Chip> chip = make();
    for (const auto& program : programs) lowered.push_back(chip->lower(program->program));
  }
};

class WitnessFace final : public Face {
 public:
  explicit WitnessFace(std::shared_ptr<WitnessSetup> setup) : setup_(std::move(setup)) {}

  void load(std::size_t program) override {
    program_ = program;
    chips_.assign(setup_->chips, {});
    for (OneChip& one : chips_) {
      one.chip = setup_->make();
      one.chip->load(setup_->lowered[program]);
      one.memory.resize(std::size_t{kHistoryRecords} * this->program().record_words);
    }
  }
  [[nodiscard]] std::unique_ptr<Face> another() const override { return std::make_unique<WitnessFace>(setup_); }

  void initialize(ChipRange, BlockRange) override {
    for (unsigned chip = 0; chip < setup_->chips; ++chip) {
      on_chip(chip, [](Chip& own) {
        for (unsigned block = 0; block < kBlocks; ++block) own.run_initialization(block);
      });
    }
  }

  [[nodiscard]] bool writes_from_any_pe() const override { return false; }
  void write_particles(ChipRange chips, BlockRange blocks, unsigned, unsigned pes,
                       const std::vector<std::vector<LongWord>>& words) override {
    for_blocks(chips, blocks, [&](Chip& chip, unsigned block) {
      std::size_t number = 0;
      for (const isa::Variable* variable : program().variables_by(isa::Transfer::hlt)) {
        const std::span<const LongWord> own = words[number++];
        const std::size_t count = own.size() / pes;
        const PeWords where{variable->memory, variable->address, variable->width, static_cast<std::uint16_t>(count)};
        for (unsigned pe = 0; pe < pes; ++pe) chip.write_pe(block, pe, where, own.subspan(pe * count, count));
      }
    });
  }
  void write_records(ChipRange chips, unsigned first, std::span<const LongWord> words) override {
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      std::ranges::copy(words,
                        chips_[chip].memory.begin() + static_cast<std::ptrdiff_t>(first) * program().record_words);
    }
  }
  void write_pe(ChipRange chips, BlockRange blocks, unsigned pe, const PeWords& where, LongWord word) override {
    for_blocks(chips, blocks, [&](Chip& chip, unsigned block) {
      set_anew(chip, block);
      chip.write_pe(block, pe, where, {&word, 1});
    });
  }
  [[nodiscard]] bool writes_bm_of_one_block() const override { return false; }
  void write_bm(ChipRange, BlockRange, unsigned address, LongWord word) override {
    for_blocks({0, setup_->chips}, {0, kBlocks},
               [&](Chip& chip, unsigned block) { chip.write_bm(block, address, {&word, 1}); });
  }
  void write_registers(ChipRange chips, unsigned block, unsigned pe, const emulator::PeRegisters& registers) override {
    for_blocks(chips, {block, 1}, [&](Chip& chip, unsigned) {
      set_anew(chip, block);
      chip.write_registers(block, pe, registers);
    });
  }

  std::vector<LongWord> run(const RunAsked& asked) override {
    std::vector<LongWord> all;
    const unsigned share = (asked.blocks.count + asked.parts - 1) / asked.parts;
    for (unsigned chip = asked.chips.first; chip < asked.chips.first + asked.chips.count; ++chip) {
      for (unsigned begin = 0; begin < asked.blocks.count; begin += share) {
        const BlockRange blocks{asked.blocks.first + begin, std::min(share, asked.blocks.count - begin)};
        for (const PieceOfRun& piece : pieces_of({asked.records, asked.live_pes, asked.piece})) {
          run_piece(asked, piece, chip, blocks, all);
        }
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<LongWord> collect(unsigned chip, unsigned results, std::size_t) override {
    std::vector<LongWord> words;  // [result][field]
    std::vector<std::vector<LongWord>> fields;
    for (const isa::Variable* variable : program().variables_by(isa::Transfer::rrn)) {
      const unsigned count = variable->vector ? isa::kVectorElements : 1;
      for (unsigned n = 0; n < variable->elements; ++n) {
        const unsigned address = variable->address + n * count * isa::short_words(variable->width);
        fields.push_back(reduced(chip, *variable, static_cast<std::uint16_t>(address), count, results));
      }
    }
    for (unsigned result = 0; result < results; ++result) {
      for (const std::vector<LongWord>& field : fields) words.push_back(field[result]);
    }
    return words;
  }
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                              const PeWords& where) override {
    return chips_[chip].chip->read_pe(block, pe, where);
  }
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                              unsigned count) override {
    return chips_[chip].chip->read_bm(block, address, count);
  }
  [[nodiscard]] emulator::BlockState state(unsigned chip, unsigned block) override {
    return emulator::state_of(*chips_[chip].chip, block);
  }

  [[nodiscard]] std::vector<Outcome::Events> events() override {
    std::vector<Outcome::Events> all;
    emulator::FirstEvents first;
    for (unsigned chip = 0; chip < setup_->chips; ++chip) {
      emulator::FpEvents counted = chips_[chip].tree;
      for (unsigned block = 0; block < kBlocks; ++block) {
        counted += chips_[chip].chip->events(block);
        const emulator::FirstEvents own = chips_[chip].chip->first_events(block);
        for (emulator::PlacedEvent event : own.events()) {
          event.place.chip = chip;
          first.add(event);
        }
      }
      all.push_back({fmt::format("chip {}", chip), counted, {}});
    }
    all.push_back({"all chips", {}, {first.events().begin(), first.events().end()}});
    return all;
  }
  bool refuses(unsigned) override { return true; }

 private:
  struct OneChip {
    std::shared_ptr<Chip> chip;  // of this face alone
    std::vector<LongWord> memory;
    emulator::FpEvents tree;
  };

  [[nodiscard]] const isa::Program& program() const { return setup_->programs[program_]->program; }

  /// Sets the state that can be read. A word is written to a session with the rest of its block's state; of a short
  /// word of engine native, a host's double, that is only 36 bits.
  static void set_anew(Chip& chip, unsigned block) {
    emulator::set_state(chip, block, emulator::state_of(chip, block));
  }

  template <class Call>
  void for_blocks(ChipRange chips, BlockRange blocks, Call call) {
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
        call(*chips_[chip].chip, block);
      }
    }
  }
  template <class Call>
  void on_chip(unsigned chip, Call call) {
    try {
      call(*chips_[chip].chip);
    } catch (const emulator::Fault& fault) {
      throw fault.on_chip(chip);
    }
  }

  void run_piece(const RunAsked& asked, const PieceOfRun& piece, unsigned chip, BlockRange blocks,
                 std::vector<LongWord>& all) {
    const unsigned record_words = program().record_words;
    emulator::LoopRun run;
    run.stream = {
        std::span<const LongWord>(chips_[chip].memory)
            .subspan((asked.first_record + piece.first * kBlocks) * record_words, piece.records * record_words),
        record_words, piece.records};
    run.live_pes = asked.live_pes;
    run.begins = asked.begins && piece.begins;
    run.ends = asked.ends && piece.ends;
    run.run = asked.run;
    run.first_iteration = asked.first_iteration + piece.first;
    // Blocks that do not run send zeros.
    std::array<std::vector<LongWord>, kBlocks> sent;
    const std::size_t words = emulator::collected_words(program(), piece.count, run.begins, run.ends);
    for (std::vector<LongWord>& block : sent) block.resize(words);
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
      run.collected = sent[block];
      on_chip(chip, [&](Chip& own) { own.run_loop({block, 1}, run); });
    }
    if (words > 0) reduce_sent(chip, piece, run, sent, all);
  }

  /// Goes through the `collect` lines in the order in which they were executed.
  void reduce_sent(unsigned chip, const PieceOfRun& piece, const emulator::LoopRun& run,
                   const std::array<std::vector<LongWord>, kBlocks>& sent, std::vector<LongWord>& all) {
    std::size_t at = 0;
    const auto section = [&](isa::Section of, bool is_first) {
      for (const isa::Step& step : program().steps(of)) {
        const auto* const line = std::get_if<isa::CollectStep>(&step);
        if (line == nullptr || (line->not_first && is_first)) continue;
        const isa::Variable& variable = program().variables[line->variable];
        if (line->blocks.is_separate()) {
          const bool each = line->blocks.kind == isa::BlockChoice::Kind::each;
          for (unsigned block = 0; block < kBlocks; ++block) {
            if (!each && block != line->blocks.block) continue;
            for (unsigned n = 0; n < line->words(); ++n) all.push_back(sent[block][at + n]);
          }
          at += line->words();
          continue;
        }
        for (unsigned n = 0; n < line->words(); ++n, ++at) {
          std::array<LongWord, kBlocks> words;
          for (unsigned block = 0; block < kBlocks; ++block) words[block] = sent[block][at];
          all.push_back(tree(chip, variable, words));
        }
      }
    };
    if (run.begins) section(isa::Section::loop_initialization, false);
    for (std::uint64_t n = 0; n < piece.count; ++n) section(isa::Section::loop_body, run.begins && n == 0);
    if (run.ends) section(isa::Section::loop_termination, false);
  }

  /// On the chip's own tree: that of native adds the host's doubles.
  LongWord tree(unsigned chip, const isa::Variable& variable, const std::array<LongWord, kBlocks>& words) {
    if (!variable.reduction) return words[variable.block];
    std::array<std::span<const LongWord>, kBlocks> blocks;
    for (unsigned block = 0; block < kBlocks; ++block) blocks[block] = {&words[block], 1};
    LongWord sum;
    OneChip& one = chips_[chip];
    one.chip->reduce_blocks(*variable.reduction, isa::info_of(*variable.conversion).width, blocks, {&sum, 1}, one.tree);
    return sum;
  }

  std::vector<LongWord> reduced(unsigned chip, const isa::Variable& variable, std::uint16_t address, unsigned count,
                                unsigned results) {
    std::vector<LongWord> words;
    const PeWords where{variable.memory, address, variable.width, static_cast<std::uint16_t>(count)};
    for (unsigned pe = 0; words.size() < results; ++pe) {
      std::array<std::vector<LongWord>, kBlocks> of_blocks;
      for (unsigned block = 0; block < kBlocks; ++block) {
        of_blocks[block] = chips_[chip].chip->read_pe(block, pe, where);
      }
      for (unsigned n = 0; n < count && words.size() < results; ++n) {
        std::array<LongWord, kBlocks> one;
        for (unsigned block = 0; block < kBlocks; ++block) one[block] = of_blocks[block][n];
        words.push_back(tree(chip, variable, one));
      }
    }
    return words;
  }

  std::shared_ptr<WitnessSetup> setup_;
  std::vector<OneChip> chips_;
  std::size_t program_ = 0;
};

}  // namespace

std::unique_ptr<Face> session_witness(const HistoryEngine& engine, const HistoryPrograms& programs, unsigned chips) {
  return std::make_unique<WitnessFace>(std::make_shared<WitnessSetup>(engine, programs, chips));
}

}  // namespace gdr::selftest
