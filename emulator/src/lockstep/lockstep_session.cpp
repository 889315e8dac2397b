// Lockstep of any two engines: their sessions get the same commands and are compared after each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "line/decoded_program.h"
#include "lockstep_search.h"

namespace gdr::emulator {
namespace {

using lockstep::BlockView;
using lockstep::Difference;

/// The two engines, expected first.
using Engines = std::array<std::shared_ptr<const Engine>, 2>;

class LoweredOnEach final : public Lowered {
 public:
  LoweredOnEach(const Engines& engines, const isa::Program& program)
      : each{engines[0]->lower(program), engines[1]->lower(program)} {}
  [[nodiscard]] const isa::Program& program() const override { return each[0]->program(); }

  const std::array<std::shared_ptr<const Lowered>, 2> each;
};

/// A block in the same state on two engines. Each run opens sessions with one chip.
class SessionPair final : public lockstep::Pair {
 public:
  SessionPair(Engines engines, const isa::Program& program, const BlockState& state)
      : engines_(std::move(engines)), program_(program), states_{state, state} {}

  [[nodiscard]] std::unique_ptr<Pair> clone() const override { return std::make_unique<SessionPair>(*this); }
  void patch(const isa::Program& program) override { program_ = program; }
  void write_bm(unsigned, unsigned address, std::span<const LongWord> words) override {
    for (BlockState& state : states_) {
      std::ranges::copy(words, state.bm.begin() + static_cast<std::ptrdiff_t>(address));
    }
  }

  [[nodiscard]] std::optional<Difference> run_loop(unsigned block, const LoopRun& run) override {
    std::array<BlockView, 2> views;
    std::array<std::vector<LongWord>, 2> collected;
    for (std::size_t n = 0; n < engines_.size(); ++n) {
      const std::uint64_t words = run.stream.records * run.stream.record_words;
      collected[n].resize(words_out(program_, run.stream.iterations(), run.begins, run.ends));
      const auto session = engines_[n]->open(engines_[n]->lower(program_), {1, words, {}});
      session->set_state(0, block, states_[n]);
      session->write_memory(0, 0, run.stream.words.first(words));
      Piece piece;
      piece.blocks = {block, 1};
      piece.records = run.stream.records;
      piece.live_pes = run.live_pes;
      piece.run = run.run;
      piece.first_iteration = run.first_iteration;
      piece.begins = run.begins;
      piece.ends = run.ends;
      Ticket ticket = session->run({&piece, 1});
      if (program_.is_type2()) ticket = session->collect(0, 0, collected[n]);
      session->wait(ticket);
      views[n] = {session->state(0, block), session->events(0), {}};
      for (const PlacedEvent& event : session->first_events()) views[n].first.add(event);
      states_[n] = views[n].state;
    }
    auto differs = lockstep::difference(views[0], views[1], run.live_pes);
    return differs ? differs : lockstep::difference(collected[0], collected[1]);
  }

 private:
  Engines engines_;
  isa::Program program_;
  std::array<BlockState, 2> states_;
};

class LockstepSession final : public Session {
 public:
  LockstepSession(Engines engines, std::shared_ptr<const LoweredOnEach> program, const SessionOptions& options)
      : engines_(std::move(engines)), program_(std::move(program)) {
    for (std::size_t n = 0; n < engines_.size(); ++n) each_[n] = engines_[n]->open(program_->each[n], options);
  }

  [[nodiscard]] const isa::Program& program() const override { return program_->program(); }
  [[nodiscard]] unsigned chips() const override { return expected().chips(); }

  void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) override {
    for (const auto& session : each_) session->write_memory(chip, address, words);
  }
  [[nodiscard]] std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                  std::uint64_t count) const override {
    return expected().read_memory(chip, address, count);
  }
  void broadcast(unsigned address, std::span<const LongWord> words) override {
    for (const auto& session : each_) session->broadcast(address, words);
  }

  void initialize() override {
    run_both([](Session& session) { session.initialize(); }, {});
    for (unsigned chip = 0; chip < chips(); ++chip) {
      for (unsigned block = 0; block < kBlocks; ++block) {
        if (const auto differs = difference_in(chip, block, kPesPerBlock)) {
          throw Divergence(program(), place_on(chip, block, *differs));
        }
      }
      compare_events(chip);
    }
  }

  void write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                       std::span<const LongWord> words) override {
    for (const auto& session : each_) session->write_particles(chips, blocks, particles, words);
  }

  /// Done when it returns.
  Ticket run(std::span<const Piece> pieces) override {
    for (const Piece& piece : pieces) run(piece);
    return {++tickets_};
  }

  /// Done when it returns.
  Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) override {
    std::vector<LongWord> of_found(into.size());
    const auto take = [&](Session& session) {
      session.wait(session.collect(chip, particles, &session == each_[1].get() ? std::span(of_found) : into));
    };
    run_both(take, {});
    if (auto differs = lockstep::difference(into, of_found)) {
      differs->destination = "the tree, " + differs->destination;
      throw Divergence(program(), place_on(chip, 0, *differs));
    }
    compare_events(chip);
    return {++tickets_};
  }

  /// run() and collect() are done when they return, so only write_particles() can still be under way.
  void wait(Ticket ticket) override {
    if (ticket.number > tickets_) {
      throw Error(fmt::format("ticket = {} is refused: it must be 0 to {}", ticket.number, tickets_));
    }
    run_both([](Session& session) { session.wait({}); }, {});
  }

  [[nodiscard]] FpEvents events(unsigned chip) const override { return expected().events(chip); }
  [[nodiscard]] std::vector<PlacedEvent> first_events() const override { return expected().first_events(); }
  [[nodiscard]] std::vector<JunctionEvent> first_tree_events() const override { return expected().first_tree_events(); }
  [[nodiscard]] FpLanes fp_lanes(unsigned chip) const override { return each_[1]->fp_lanes(chip); }
  [[nodiscard]] BlockState state(unsigned chip, unsigned block) const override { return expected().state(chip, block); }
  void set_state(unsigned chip, unsigned block, const BlockState& state) override {
    for (const auto& session : each_) session->set_state(chip, block, state);
  }

  [[nodiscard]] std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                              const PeWords& where) const override {
    return expected().read_pe(chip, block, pe, where);
  }
  [[nodiscard]] PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const override {
    return expected().registers(chip, block, pe);
  }
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                              unsigned count) const override {
    return expected().read_bm(chip, block, address, count);
  }
  void set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped) override {
    each_[0]->set_breakpoints(std::move(lines), std::move(stopped));
  }

 private:
  [[nodiscard]] const Session& expected() const { return *each_[0]; }

  void run(const Piece& piece) {
    run_both([](Session& session) { session.wait({}); }, piece);  // for i-particles that are still being written
    std::vector<BlockState> before;
    // Blocks that do not exist are skipped here; the engines refuse them.
    for (unsigned n = 0; n < piece.blocks.count && piece.chip < chips() && piece.blocks.first + n < kBlocks; ++n) {
      before.push_back(expected().state(piece.chip, piece.blocks.first + n));
    }
    run_both([&](Session& session) { session.wait(session.run({&piece, 1})); }, piece);
    for (unsigned n = 0; n < piece.blocks.count; ++n) {
      const unsigned block = piece.blocks.first + n;
      if (const auto differs = difference_in(piece.chip, block, piece.live_pes)) {
        throw Divergence(program(), located(piece, block, before[n], *differs));
      }
      // PEs that were not live hold other undefined words on each engine. They may be live again, and both go on with
      // the same words.
      if (piece.live_pes < kPesPerBlock) each_[1]->set_state(piece.chip, block, expected().state(piece.chip, block));
    }
    compare_events(piece.chip);
  }

  [[nodiscard]] Divergence::Place located(const Piece& piece, unsigned block, const BlockState& before,
                                          const Difference& differs) const {
    const unsigned record = program().record_words;
    const std::vector<LongWord> records = expected().read_memory(piece.chip, piece.address, piece.records * record);
    LoopRun run;
    run.stream = {records, record, piece.records};
    run.live_pes = piece.live_pes;
    run.begins = piece.begins;
    run.ends = piece.ends;
    run.run = piece.run;
    run.first_iteration = piece.first_iteration;
    const SessionPair engines(engines_, program(), before);
    return lockstep::locate(program(), run, engines, place_on(piece.chip, block, differs));
  }

  [[nodiscard]] static Divergence::Place place_on(unsigned chip, unsigned block, const Difference& differs) {
    Divergence::Place place = lockstep::place_of(block, differs);
    place.chip = chip;
    return place;
  }

  /// Compares only words, because sessions count the events of whole chips.
  [[nodiscard]] std::optional<Difference> difference_in(unsigned chip, unsigned block, unsigned live_pes) const {
    return lockstep::difference({each_[0]->state(chip, block), {}, {}}, {each_[1]->state(chip, block), {}, {}},
                                live_pes);
  }

  void compare_events(unsigned chip) const {
    std::array<BlockView, 2> views;
    for (std::size_t n = 0; n < each_.size(); ++n) {
      views[n].counted = each_[n]->events(chip);
      for (const PlacedEvent& event : each_[n]->first_events()) views[n].first.add(event);
    }
    if (const auto differs = lockstep::difference(views[0], views[1], 0)) {
      throw Divergence(program(), place_on(chip, 0, *differs));
    }
  }

  static std::optional<Fault> fault_of(const std::function<void(Session&)>& run, Session& session) {
    try {
      run(session);
    } catch (const Fault& fault) {
      return fault;
    }
    return std::nullopt;
  }

  /// Throws the fault that both end with.
  void run_both(const std::function<void(Session&)>& run, const Piece& piece) {
    const std::optional<Fault> of_expected = fault_of(run, *each_[0]);
    const std::optional<Fault> of_found = fault_of(run, *each_[1]);
    const auto text = [](const std::optional<Fault>& fault) { return fault ? fault->what() : std::string("no fault"); };
    if (text(of_expected) != text(of_found)) {
      throw Divergence(
          program(), place_on(piece.chip, piece.blocks.first, {0, "the run's end", text(of_expected), text(of_found)}));
    }
    if (of_expected) throw Fault(*of_expected);
  }

  Engines engines_;
  std::shared_ptr<const LoweredOnEach> program_;
  std::array<std::unique_ptr<Session>, 2> each_;
  std::uint64_t tickets_ = 0;
};

class LockstepEngine final : public Engine {
 public:
  explicit LockstepEngine(Engines engines) : engines_(std::move(engines)) {}

  [[nodiscard]] std::shared_ptr<const Lowered> lower(const isa::Program& program) const override {
    return std::make_shared<LoweredOnEach>(engines_, program);
  }
  [[nodiscard]] std::unique_ptr<Session> open(std::shared_ptr<const Lowered> program,
                                              const SessionOptions& options) const override {
    return std::make_unique<LockstepSession>(engines_, lowered_here<LoweredOnEach>(program), options);
  }
  /// The host gets the data of the first engine, so the traits are those of the first engine.
  [[nodiscard]] EngineTraits traits() const override { return engines_[0]->traits(); }

 private:
  Engines engines_;
};

}  // namespace

std::unique_ptr<Engine> make_lockstep_engine(std::unique_ptr<Engine> expected, std::unique_ptr<Engine> found) {
  return std::make_unique<LockstepEngine>(Engines{std::move(expected), std::move(found)});
}

}  // namespace gdr::emulator
