// Runs inputs on engines in the way that the host library drives them: external memory, i-particles, runs in the
// background, results.
#include <fmt/format.h>

#include <deque>

#include "gdr/selftest/comparison.h"

namespace gdr::selftest {
namespace {

using emulator::BlockRange;
using emulator::BlockState;
using emulator::kPesPerBlock;
using emulator::Session;

constexpr std::size_t kGprWords = isa::kGprShortWords / 2;
constexpr std::size_t kLmWords = isa::kLmShortWords / 2;

BlockState state_of(const InputData& data, unsigned chip, unsigned block) {
  BlockState state;
  state.gpr.resize(kPesPerBlock * kGprWords);
  state.lm.resize(kPesPerBlock * kLmWords);
  state.registers.resize(kPesPerBlock);
  state.bm = data.bm(chip, block);
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    const InputData::PeData& own = data.pe(chip, block, pe);
    const auto gpr = std::span(state.gpr).subspan(pe * kGprWords, kGprWords);
    std::ranges::copy(own.gpr, gpr.begin());
    for (std::size_t n = 0; n < own.shorts.size(); ++n) {
      const std::size_t address = InputData::kFirstShort + n;
      LongWord& word = gpr[address / 2];
      word = address % 2 == 0 ? isa::join(own.shorts[n].upper(), word.lower())
                              : isa::join(word.upper(), own.shorts[n].upper());
    }
    std::ranges::copy(own.lm, state.lm.begin() + static_cast<std::ptrdiff_t>(pe * kLmWords));
  }
  return state;
}

/// The run of an input through a session.
class SessionRun {
 public:
  using Results = std::deque<std::vector<LongWord>>;  // words of each collect, in order

  /// `results` must outlive the session, which writes to them until it is closed.
  SessionRun(Session& session, const Input& input, const InputData& data, Results& results)
      : session_(session), input_(input), data_(data), results_(results) {}

  [[nodiscard]] Outcome outcome() {
    Outcome outcome;
    try {
      write_state();
      session_.initialize();
      for (std::size_t run = 0; run < input_.runs.size(); ++run) this->run(run);
      if (!session_.program().is_type2()) {
        for (unsigned chip = 0; chip < input_.chips; ++chip) {
          collect(chip, live_pes() * isa::kVectorElements, live_pes() * isa::kVectorElements);
        }
      }
      session_.wait(last_);
    } catch (const emulator::Fault& fault) {
      outcome.fault = fault;
      return outcome;
    }
    read_state(outcome);
    for (const auto& words : results_) {
      outcome.results.insert(outcome.results.end(), words.begin(), words.end());
    }
    return outcome;
  }

 private:
  [[nodiscard]] unsigned live_pes() const { return input_.runs.empty() ? kPesPerBlock : input_.runs.back().live_pes; }

  template <class Call>
  void for_blocks(Call call) const {
    for (unsigned chip = 0; chip < input_.chips; ++chip) {
      for (const BlockRange range : input_.ranges) {
        for (unsigned block = range.first; block < range.first + range.count; ++block) call(chip, block);
      }
    }
  }

  void write_state() {
    for_blocks([&](unsigned chip, unsigned block) { session_.set_state(chip, block, state_of(data_, chip, block)); });
  }

  /// A run of all chips. It waits only for the transfers to external memory.
  void run(std::size_t number) {
    const Input::Run& run = input_.runs[number];
    const unsigned record_words = input_.program.record_words;
    session_.write_particles({0, input_.chips}, {0, emulator::kBlocks}, run.live_pes * isa::kVectorElements,
                             data_.particles(number));
    for (unsigned chip = 0; chip < input_.chips; ++chip) {
      session_.write_memory(chip, 0, data_.records(chip, number));
      for (const BlockRange range : input_.ranges) {
        for (const PieceOfRun& part : pieces_of(run)) {
          emulator::Piece piece;
          piece.chip = chip;
          piece.blocks = range;
          piece.address = part.first * emulator::kBlocks * record_words;
          piece.records = part.records;
          piece.live_pes = run.live_pes;
          piece.run = number + 1;
          piece.first_iteration = part.first;
          piece.begins = part.begins;
          piece.ends = part.ends;
          last_ = session_.run({&piece, 1});
          if (session_.program().is_type2()) {
            collect(chip, 0, emulator::words_out(session_.program(), part.count, part.begins, part.ends));
          }
        }
      }
    }
  }

  void collect(unsigned chip, unsigned particles, std::size_t words) {
    last_ = session_.collect(chip, particles, results_.emplace_back(words));
  }

  void read_state(Outcome& outcome) const {
    for_blocks([&](unsigned chip, unsigned block) {
      outcome.blocks.push_back({chip, block, live_pes(), session_.state(chip, block)});
    });
    for (unsigned chip = 0; chip < input_.chips; ++chip) {
      outcome.events.push_back({fmt::format("chip {}", chip), session_.events(chip), {}});
    }
    outcome.events.push_back({"all chips", {}, session_.first_events()});
  }

  Session& session_;
  const Input& input_;
  const InputData& data_;
  Results& results_;
  emulator::Ticket last_;
};

class SessionSubject final : public Subject {
 public:
  SessionSubject(std::unique_ptr<emulator::Engine> engine, std::shared_ptr<emulator::ThreadPool> threads)
      : engine_(std::move(engine)), threads_(std::move(threads)) {}

  [[nodiscard]] std::vector<Outcome> run(const Input& input, const InputData& data) override {
    emulator::SessionOptions options;
    options.chips = input.chips;
    for (const Input::Run& run : input.runs) {
      options.memory_words = std::max(options.memory_words, run.records * input.program.record_words);
    }
    options.threads = threads_;
    SessionRun::Results results;
    const auto session = engine_->open(engine_->lower(with_variables(input.program)), options);
    std::vector<Outcome> outcomes;
    outcomes.push_back(SessionRun(*session, input, data, results).outcome());
    return outcomes;
  }

 private:
  std::unique_ptr<emulator::Engine> engine_;
  std::shared_ptr<emulator::ThreadPool> threads_;
};

}  // namespace

std::unique_ptr<Subject> session_subject(std::unique_ptr<emulator::Engine> engine,
                                         std::shared_ptr<emulator::ThreadPool> threads) {
  return std::make_unique<SessionSubject>(std::move(engine), std::move(threads));
}

}  // namespace gdr::selftest
