// Histories on one object of class Chip, in the way in which the control processor drives it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gdr/emulator/thread_pool.h"
#include "gdr/selftest/history.h"
#include "gdr/selftest/history_face.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::ChipRange;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using isa::Width;

/// What all chips of a history share.
struct ChipSetup {
  HistoryPrograms programs;
  std::function<std::unique_ptr<Chip>()> make;
  std::vector<std::shared_ptr<const emulator::Lowered>> lowered;
  emulator::ThreadPool threads;

  ChipSetup(const HistoryEngine& engine, const HistoryPrograms& of_history, unsigned thread_count)
      : programs(of_history), make(engine.chip), threads(thread_count) {
    const std::unique_ptr<Chip> chip = make();
    for (const auto& program : programs) lowered.push_back(chip->lower(program->program));
  }
};

class ChipFace final : public Face {
 public:
  ChipFace(std::shared_ptr<ChipSetup> setup, std::unique_ptr<Chip> chip)
      : setup_(std::move(setup)), chip_(std::move(chip)) {}

  void load(std::size_t program) override {
    program_ = program;
    chip_->load(setup_->lowered[program]);
    of_tree_ = {};
    memory_.assign(std::size_t{kHistoryRecords} * this->program().record_words, {});
  }

  [[nodiscard]] std::unique_ptr<Face> another() const override {
    return std::make_unique<ChipFace>(setup_, setup_->make());
  }

  [[nodiscard]] std::unique_ptr<Face> clone() const override {
    auto copy = std::make_unique<ChipFace>(setup_, chip_->clone());
    copy->program_ = program_;
    copy->memory_ = memory_;
    copy->of_tree_ = of_tree_;
    return copy;
  }

  /// Without lines, engines may keep words in another form.
  bool patch() override {
    isa::Program empty = program();
    for (std::vector<isa::Step>& section : empty.sections) section.clear();
    chip_->patch(empty);
    chip_->patch(program());
    return true;
  }

  void initialize(ChipRange, BlockRange blocks) override {
    for_blocks(blocks, [&](unsigned block) { chip_->run_initialization(block); });
  }

  [[nodiscard]] bool writes_from_any_pe() const override { return true; }
  void write_particles(ChipRange, BlockRange blocks, unsigned first_pe, unsigned pes,
                       const std::vector<std::vector<LongWord>>& words) override {
    std::size_t number = 0;
    for (const isa::Variable* variable : program().variables_by(isa::Transfer::hlt)) {
      const std::vector<LongWord>& own = words[number++];
      const auto count = static_cast<std::uint16_t>(own.size() / std::max(pes, 1U));
      chip_->write_pes(blocks, first_pe, {variable->memory, variable->address, variable->width, count}, own);
    }
  }

  void write_records(ChipRange, unsigned first, std::span<const LongWord> words) override {
    std::ranges::copy(words, memory_.begin() + static_cast<std::ptrdiff_t>(first * program().record_words));
  }

  void write_pe(ChipRange, BlockRange blocks, unsigned pe, const PeWords& where, LongWord word) override {
    if (blocks.count == 1) {
      chip_->write_pe(blocks.first, pe, where, {&word, 1});
    } else {
      chip_->write_pes(blocks, pe, where, {&word, 1});
    }
  }

  [[nodiscard]] bool writes_bm_of_one_block() const override { return true; }
  void write_bm(ChipRange, BlockRange blocks, unsigned address, LongWord word) override {
    for_blocks(blocks, [&](unsigned block) { chip_->write_bm(block, address, {&word, 1}); });
  }

  void write_registers(ChipRange, unsigned block, unsigned pe, const emulator::PeRegisters& registers) override {
    chip_->write_registers(block, pe, registers);
  }

  std::vector<LongWord> run(const RunAsked& run) override {
    const unsigned share = (run.blocks.count + run.parts - 1) / run.parts;
    const unsigned parts = (run.blocks.count + share - 1) / share;
    std::vector<std::vector<LongWord>> collected(parts);
    setup_->threads.run(parts, [&](unsigned part) {
      const unsigned begin = part * share;
      run_part(run, {run.blocks.first + begin, std::min(share, run.blocks.count - begin)}, collected[part]);
    });
    std::vector<LongWord> all;
    for (const std::vector<LongWord>& part : collected) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  [[nodiscard]] std::vector<LongWord> collect(unsigned, unsigned results, std::size_t number) override {
    const auto variables = program().variables_by(isa::Transfer::rrn);
    if (variables.empty() || program().is_type2()) return {};
    const isa::Variable& variable = *variables[number % variables.size()];
    const PeWords where{variable.memory, variable.address, variable.width, isa::kVectorElements};
    return chip_->collect({where, results, variable.reduction, where.width, variable.block}, of_tree_);
  }

  [[nodiscard]] std::vector<LongWord> read_pe(unsigned, unsigned block, unsigned pe, const PeWords& where) override {
    return chip_->read_pe(block, pe, where);
  }
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned, unsigned block, unsigned address, unsigned count) override {
    return chip_->read_bm(block, address, count);
  }

  [[nodiscard]] emulator::BlockState state(unsigned, unsigned block) override {
    constexpr PeWords kGpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
    constexpr PeWords kLm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};
    emulator::BlockState state;
    state.gpr.reserve(std::size_t{kGpr.count} * kPesPerBlock);
    state.lm.reserve(std::size_t{kLm.count} * kPesPerBlock);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const auto& [where, words] : {std::pair(kGpr, &state.gpr), std::pair(kLm, &state.lm)}) {
        const std::vector<LongWord> own = chip_->read_pe(block, pe, where);
        words->insert(words->end(), own.begin(), own.end());
      }
      state.registers.push_back(chip_->registers(block, pe));
    }
    state.bm = chip_->read_bm(block, 0, isa::kBmShortWords / 2);
    return state;
  }

  [[nodiscard]] std::vector<Outcome::Events> events() override {
    std::vector<Outcome::Events> all;
    for (unsigned block = 0; block < kBlocks; ++block) {
      const emulator::FirstEvents first = chip_->first_events(block);
      all.push_back(
          {fmt::format("block {}", block), chip_->events(block), {first.events().begin(), first.events().end()}});
    }
    all.push_back({"the tree", of_tree_, {}});
    return all;
  }

  bool refuses(unsigned which) override {
    constexpr PeWords kBeyond{isa::Memory::lm, isa::kLmShortWords - 2, Width::long_word, 2};
    constexpr PeWords kOne{};
    const LongWord word{1, 0};
    const std::array<std::function<void()>, 8> calls{
        [&] { chip_->write_bm(kBlocks, 0, {&word, 1}); },
        [&] { chip_->write_pe(0, kPesPerBlock, kOne, {&word, 1}); },
        [&] { chip_->write_bm(0, isa::kBmShortWords / 2, {&word, 1}); },
        [&] { static_cast<void>(chip_->read_pe(0, 0, kBeyond)); },
        [&] { chip_->write_pes({0, kBlocks + 1}, 0, kOne, {&word, 1}); },
        [&] { chip_->run_loop({0, kBlocks}, {{{}, program().record_words, 0}, kPesPerBlock + 1}); },
        [&] { chip_->run_loop({0, kBlocks}, {{{}, program().record_words + 1U, 1}, 1}); },
        [&] { static_cast<void>(chip_->collect({kOne, kPesPerBlock + 1, isa::Op::FADD, {}}, of_tree_)); }};
    try {
      calls[which % calls.size()]();
    } catch (const Error&) {
      return true;
    }
    return false;
  }

 private:
  template <class Call>
  static void for_blocks(BlockRange blocks, Call call) {
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) call(block);
  }

  [[nodiscard]] const isa::Program& program() const { return setup_->programs[program_]->program; }

  void run_part(const RunAsked& asked, BlockRange blocks, std::vector<LongWord>& collected) {
    const unsigned record_words = program().record_words;
    for (const PieceOfRun& piece : pieces_of({asked.records, asked.live_pes, asked.piece})) {
      emulator::LoopRun run;
      run.stream = {std::span<const LongWord>(memory_).subspan(
                        (asked.first_record + piece.first * kBlocks) * record_words, piece.records * record_words),
                    record_words, piece.records};
      run.live_pes = asked.live_pes;
      run.begins = asked.begins && piece.begins;
      run.ends = asked.ends && piece.ends;
      run.run = asked.run;
      run.first_iteration = asked.first_iteration + piece.first;
      std::vector<LongWord> room(blocks.count *
                                 emulator::collected_words(program(), piece.count, run.begins, run.ends));
      run.collected = room;
      chip_->run_loop(blocks, run);
      collected.insert(collected.end(), room.begin(), room.end());
    }
  }

  std::shared_ptr<ChipSetup> setup_;
  std::unique_ptr<Chip> chip_;
  std::size_t program_ = 0;
  std::vector<LongWord> memory_;
  emulator::FpEvents of_tree_;
};

}  // namespace

std::unique_ptr<Face> chip_face(const HistoryEngine& engine, const HistoryPrograms& programs, unsigned threads) {
  auto setup = std::make_shared<ChipSetup>(engine, programs, threads);
  std::unique_ptr<Chip> chip = setup->make();
  return std::make_unique<ChipFace>(std::move(setup), std::move(chip));
}

}  // namespace gdr::selftest
