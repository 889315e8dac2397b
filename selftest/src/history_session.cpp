// Histories on sessions, in the way in which the host library drives them: external memory, i-particles, runs in the
// background.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "gdr/emulator/thread_pool.h"
#include "gdr/selftest/history.h"
#include "gdr/selftest/history_face.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::BlockState;
using emulator::ChipRange;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using emulator::Session;
using isa::Width;

/// What all sessions of a history share.
struct SessionSetup {
  HistoryPrograms programs;
  std::unique_ptr<emulator::Engine> engine;
  std::vector<std::shared_ptr<const emulator::Lowered>> lowered;
  unsigned chips;
  std::shared_ptr<emulator::ThreadPool> threads;

  SessionSetup(const HistoryEngine& made, const HistoryPrograms& of_history, unsigned chip_count, unsigned thread_count)
      : programs(of_history),
        engine(made.engine()),
        chips(chip_count),
        threads(std::make_shared<emulator::ThreadPool>(thread_count)) {
    for (const auto& program : programs) lowered.push_back(engine->lower(program->program));
  }
};

class SessionFace final : public Face {
 public:
  explicit SessionFace(std::shared_ptr<SessionSetup> setup) : setup_(std::move(setup)) {}

  void load(std::size_t program) override {
    session_.reset();
    given_.clear();
    program_ = program;
    emulator::SessionOptions options;
    options.chips = setup_->chips;
    options.memory_words = std::uint64_t{kHistoryRecords} * this->program().record_words;
    options.threads = setup_->threads;
    session_ = setup_->engine->open(setup_->lowered[program], options);
    last_ = {};
  }

  [[nodiscard]] std::unique_ptr<Face> another() const override { return std::make_unique<SessionFace>(setup_); }

  void initialize(ChipRange, BlockRange) override { session_->initialize(); }

  [[nodiscard]] bool writes_from_any_pe() const override { return false; }
  void write_particles(ChipRange chips, BlockRange blocks, unsigned, unsigned pes,
                       const std::vector<std::vector<LongWord>>& words) override {
    const unsigned particles = pes * isa::kVectorElements;
    std::vector<LongWord>& fields = given_.emplace_back();  // [field][particle]
    for (const std::vector<LongWord>& variable : words) {
      const std::size_t per_pe = variable.size() / pes;
      for (std::size_t entry = 0; entry < per_pe; entry += isa::kVectorElements) {
        for (std::size_t pe = 0; pe < pes; ++pe) {
          const auto own = std::span(variable).subspan(pe * per_pe + entry, isa::kVectorElements);
          fields.insert(fields.end(), own.begin(), own.end());
        }
      }
    }
    session_->write_particles(chips, blocks, particles, fields);
  }

  void write_records(ChipRange chips, unsigned first, std::span<const LongWord> words) override {
    for_chips(chips, [&](unsigned chip) {
      session_->write_memory(chip, std::uint64_t{first} * program().record_words, words);
    });
  }

  void write_pe(ChipRange chips, BlockRange blocks, unsigned pe, const PeWords& where, LongWord word) override {
    change(chips, blocks, [&](BlockState& state) {
      const bool in_gpr = where.memory == isa::Memory::gpr;
      const std::size_t words = (in_gpr ? isa::kGprShortWords : isa::kLmShortWords) / 2;
      LongWord& to = (in_gpr ? state.gpr : state.lm)[pe * words + where.address / 2];
      if (where.width == Width::long_word) {
        to = word;
      } else {
        to = where.address % 2 == 0 ? isa::join(word.upper(), to.lower()) : isa::join(to.upper(), word.upper());
      }
    });
  }

  [[nodiscard]] bool writes_bm_of_one_block() const override { return false; }
  void write_bm(ChipRange, BlockRange, unsigned address, LongWord word) override {
    session_->broadcast(address, {&word, 1});
  }

  void write_registers(ChipRange chips, unsigned block, unsigned pe, const emulator::PeRegisters& registers) override {
    change(chips, {block, 1}, [&](BlockState& state) { state.registers[pe] = registers; });
  }

  std::vector<LongWord> run(const RunAsked& run) override {
    std::vector<LongWord> all;
    const std::vector<emulator::Piece> pieces = pieces_of_run(run);
    if (!program().is_type2()) {
      last_ = session_->run(pieces);
      // A fault is the answer to this run, so that the driver knows what is undefined.
      if (setup_->programs[program_]->may_fault) wait();
      return all;
    }
    for (const emulator::Piece& piece : pieces) {
      last_ = session_->run({&piece, 1});
      const std::uint64_t iterations = (piece.records + kBlocks - 1) / kBlocks;
      std::vector<LongWord> words(emulator::words_out(program(), iterations, piece.begins, piece.ends));
      last_ = session_->collect(piece.chip, 0, words);
      wait();
      all.insert(all.end(), words.begin(), words.end());
    }
    return all;
  }

  [[nodiscard]] std::vector<LongWord> collect(unsigned chip, unsigned results, std::size_t) override {
    const std::size_t fields = program().record_fields(isa::Transfer::rrn);
    std::vector<LongWord> words(results * fields);
    last_ = session_->collect(chip, results, words);
    wait();
    return words;
  }

  [[nodiscard]] std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                              const PeWords& where) override {
    wait();
    return session_->read_pe(chip, block, pe, where);
  }
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                              unsigned count) override {
    wait();
    return session_->read_bm(chip, block, address, count);
  }
  [[nodiscard]] BlockState state(unsigned chip, unsigned block) override {
    wait();
    return session_->state(chip, block);
  }

  [[nodiscard]] std::vector<Outcome::Events> events() override {
    wait();
    std::vector<Outcome::Events> all;
    for (unsigned chip = 0; chip < setup_->chips; ++chip) {
      all.push_back({fmt::format("chip {}", chip), session_->events(chip), {}});
    }
    all.push_back({"all chips", {}, session_->first_events()});
    return all;
  }

  bool refuses(unsigned which) override {
    std::array<LongWord, 3> words{};
    const std::uint64_t memory = std::uint64_t{kHistoryRecords} * program().record_words;
    const unsigned chips = setup_->chips;
    emulator::Piece piece;
    piece.records = kHistoryRecords + 1;
    piece.chip = program().record_words == 0 ? chips : 0;
    const std::array<std::function<void()>, 8> calls{
        [&] { session_->write_memory(chips, 0, words); },
        [&] { session_->write_memory(0, memory, words); },
        [&] { session_->write_particles({0, 1}, {0, kBlocks}, 3, words); },
        [&] { session_->write_particles({0, chips + 1}, {0, kBlocks}, 4, words); },
        [&] { last_ = session_->collect(0, emulator::kParticlesPerRun + 1, words); },
        [&] { session_->wait({1ULL << 60}); },
        [&] { static_cast<void>(session_->read_bm(0, kBlocks, 0, 1)); },
        [&] { last_ = session_->run({&piece, 1}); }};
    try {
      calls[which % calls.size()]();
    } catch (const emulator::Fault&) {
      throw;
    } catch (const Error&) {
      return true;
    }
    return false;
  }

  void stop_at(unsigned line) override {
    wait();
    const std::size_t lines = program().lines(isa::Section::loop_body).size();
    std::vector<emulator::Breakpoint> breakpoints;
    if (lines > 0 && line % 2 == 0) breakpoints.push_back({isa::Section::loop_body, line % lines, {}});
    try {
      session_->set_breakpoints(breakpoints, [](const emulator::Stop&) {});
    } catch (const Error&) {
      return;  // this engine does not stop at lines
    }
  }

 private:
  template <class Call>
  static void for_chips(ChipRange chips, Call call) {
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) call(chip);
  }

  [[nodiscard]] const isa::Program& program() const { return setup_->programs[program_]->program; }

  void wait() {
    session_->wait(last_);
    given_.clear();
  }

  /// Reads states, changes them and writes them back.
  template <class Change>
  void change(ChipRange chips, BlockRange blocks, Change change) {
    wait();
    for_chips(chips, [&](unsigned chip) {
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
        BlockState state = session_->state(chip, block);
        change(state);
        session_->set_state(chip, block, state);
      }
    });
  }

  [[nodiscard]] std::vector<emulator::Piece> pieces_of_run(const RunAsked& run) const {
    const unsigned share = (run.blocks.count + run.parts - 1) / run.parts;
    std::vector<emulator::Piece> pieces;
    for_chips(run.chips, [&](unsigned chip) {
      for (unsigned begin = 0; begin < run.blocks.count; begin += share) {
        for (const PieceOfRun& of_run : pieces_of({run.records, run.live_pes, run.piece})) {
          emulator::Piece piece;
          piece.chip = chip;
          piece.blocks = {run.blocks.first + begin, std::min(share, run.blocks.count - begin)};
          piece.address = (run.first_record + of_run.first * kBlocks) * program().record_words;
          piece.records = of_run.records;
          piece.live_pes = run.live_pes;
          piece.run = run.run;
          piece.first_iteration = run.first_iteration + of_run.first;
          piece.begins = run.begins && of_run.begins;
          piece.ends = run.ends && of_run.ends;
          pieces.push_back(piece);
        }
      }
    });
    return pieces;
  }

  std::shared_ptr<SessionSetup> setup_;
  std::deque<std::vector<LongWord>> given_;  // words that the session may still read; it is closed before they go
  std::unique_ptr<Session> session_;
  std::size_t program_ = 0;
  emulator::Ticket last_;
};

}  // namespace

std::unique_ptr<Face> session_face(const HistoryEngine& engine, const HistoryPrograms& programs, unsigned chips,
                                   unsigned threads) {
  return std::make_unique<SessionFace>(std::make_shared<SessionSetup>(engine, programs, chips, threads));
}

}  // namespace gdr::selftest
