// Sessions on objects of class Chip, which threads of the host compute.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "chip/collect.h"
#include "chip/require.h"
#include "gdr/emulator/block_stepper.h"
#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/session.h"
#include "gdr/emulator/thread_pool.h"
#include "transfer.h"

namespace gdr::emulator {
namespace {

// A chip's work is split into four parts: enough to keep every thread busy to the end, and few enough that each part
// still has several blocks for the engine to run side by side.
constexpr unsigned kParts = 4;

class ChipSession final : public Session {
 public:
  ChipSession(std::shared_ptr<const Lowered> program, const SessionOptions& options,
              const std::function<std::unique_ptr<Chip>()>& make_chip)
      : program_(std::move(program)),
        memory_words_(options.memory_words),
        pool_(options.threads ? options.threads : std::make_shared<ThreadPool>(1)),
        chips_(options.chips),
        // If every thread computes whole chips, threads need not wait for one another between the steps of a run.
        parts_(options.chips % pool_->threads() == 0 ? 1 : kParts),
        entries_in_(entries_of(program_->program(), isa::Transfer::hlt)),
        entries_out_(entries_of(program_->program(), isa::Transfer::rrn)) {
    require(options.chips >= 1, "chips", options.chips, 1, ~0u);
    for (OneChip& one : chips_) one.chip = make_chip();
    pool_->run(chips(), [&](unsigned chip) { chips_[chip].chip->load(program_); });
  }
  ~ChipSession() override { finish(); }

  [[nodiscard]] const isa::Program& program() const override { return program_->program(); }
  [[nodiscard]] unsigned chips() const override { return static_cast<unsigned>(chips_.size()); }

  void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) override {
    OneChip& one = at(chip);
    provide_memory(one, address, words.size());
    pool_->wait(one.lane);
    std::copy(words.begin(), words.end(), one.memory.begin() + static_cast<std::ptrdiff_t>(address));
  }

  [[nodiscard]] std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                  std::uint64_t count) const override {
    const OneChip& one = at(chip);
    require_memory(address, count);
    std::vector<LongWord> words(count);
    const std::uint64_t written = one.memory.size();
    for (std::uint64_t n = 0; n < count && address + n < written; ++n) words[n] = one.memory[address + n];
    return words;
  }

  void broadcast(unsigned address, std::span<const LongWord> words) override {
    for (OneChip& one : chips_) {
      pool_->wait(one.lane);
      for (unsigned block = 0; block < kBlocks; ++block) one.chip->write_bm(block, address, words);
    }
  }

  void initialize() override {
    for (unsigned chip = 0; chip < chips(); ++chip) {
      pool_->post(chips_[chip].lane, 1, [this, chip](unsigned) {
        on_chip(chip, [&](Chip& own) {
          for (unsigned block = 0; block < kBlocks; ++block) own.run_initialization(block);
        });
      });
    }
    finish_and_throw();
  }

  void write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                       std::span<const LongWord> words) override {
    require(chips.first < this->chips(), "chips.first", chips.first, 0, this->chips() - 1);
    require(chips.count <= this->chips() - chips.first, "chips.count", chips.count, 0, this->chips() - chips.first);
    require(particles <= kParticlesPerRun, "particles", particles, 0, kParticlesPerRun);
    if (particles % isa::kVectorElements != 0) {
      throw Error(
          fmt::format("particles = {} is refused: it must be a multiple of {}", particles, isa::kVectorElements));
    }
    require(words.size() == particles * entries_in_.size(), "words", words.size(), particles * entries_in_.size(),
            particles * entries_in_.size());
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      Command& command = chips_[chip].commands.emplace_back();
      command.piece.chip = chip;
      command.piece.blocks = blocks;
      command.particles = particles;
      command.in = words;
      post<&ChipSession::put_particles>(1, command, ThreadPool::Wakes::nobody);  // run() wakes them
    }
  }

  Ticket run(std::span<const Piece> pieces) override {
    wakes_ = ends_soon(pieces) ? ThreadPool::Wakes::nobody : ThreadPool::Wakes::others;
    for (const Piece& piece : pieces) {
      OneChip& one = at(piece.chip);
      const std::uint64_t record = program().record_words;
      require(record == 0 || piece.records <= memory_words_ / record, "records", piece.records, 0,
              record == 0 ? 0 : memory_words_ / record);
      provide_memory(one, piece.address, piece.records * record);
      const std::uint64_t words = collected_words(program(), iterations_of(piece), piece.begins, piece.ends);
      if (kBlocks * words > one.moved.size()) {
        pool_->wait(one.lane);
        one.moved.resize(kBlocks * words);
      }
      Command& command = one.commands.emplace_back();
      command.piece = piece;
      one.last = piece;
      post<&ChipSession::run_part>(parts_, command, wakes_);
    }
    if (wakes_ == ThreadPool::Wakes::others) pool_->wake();
    return {++tickets_};
  }

  Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) override {
    OneChip& one = at(chip);
    const bool type2 = program().is_type2();
    require(particles <= (type2 ? 0 : kParticlesPerRun), "particles", particles, 0, type2 ? 0 : kParticlesPerRun);
    const std::size_t words = type2 ? words_out(program(), iterations_of(one.last), one.last.begins, one.last.ends)
                                    : particles * entries_out_.size();
    require(into.size() == words, "into", into.size(), words, words);
    Command& command = one.commands.emplace_back();
    command.piece = one.last;
    command.piece.chip = chip;
    command.particles = particles;
    command.out = into;
    if (type2) {
      post<&ChipSession::reduce_moved>(parts_, command, wakes_);
    } else {
      post<&ChipSession::take_results>(1, command, wakes_);
    }
    return {++tickets_};
  }

  void wait(Ticket ticket) override {
    require(ticket.number <= tickets_, "ticket", ticket.number, 0, tickets_);
    finish_and_throw();
  }

  [[nodiscard]] FpEvents events(unsigned chip) const override {
    const OneChip& one = at(chip);
    FpEvents all;
    for (unsigned block = 0; block < kBlocks; ++block) all += one.chip->events(block);
    for (const FpEvents& part : one.tree) all += part;
    return all;
  }

  [[nodiscard]] std::vector<PlacedEvent> first_events() const override {
    FirstEvents first;
    for (unsigned chip = 0; chip < chips(); ++chip) {
      for (unsigned block = 0; block < kBlocks; ++block) {
        const FirstEvents own = chips_[chip].chip->first_events(block);
        for (PlacedEvent event : own.events()) {
          event.place.chip = chip;
          first.add(event);
        }
      }
    }
    return {first.events().begin(), first.events().end()};
  }

  [[nodiscard]] std::vector<JunctionEvent> first_tree_events() const override {
    FirstJunctionEvents first;
    for (const OneChip& one : chips_) {
      for (const FirstJunctionEvents& part : one.tree_events) {
        for (const JunctionEvent& event : part.events()) first.add(event);
      }
    }
    return {first.events().begin(), first.events().end()};
  }

  [[nodiscard]] FpLanes fp_lanes(unsigned chip) const override {
    FpLanes all;
    for (unsigned block = 0; block < kBlocks; ++block) all += at(chip).chip->fp_lanes(block);
    return all;
  }

  [[nodiscard]] std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                              const PeWords& where) const override {
    return at(chip).chip->read_pe(block, pe, where);
  }
  [[nodiscard]] PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const override {
    return at(chip).chip->registers(block, pe);
  }
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                              unsigned count) const override {
    return at(chip).chip->read_bm(block, address, count);
  }

  void set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped) override {
    for (const Breakpoint& breakpoint : lines) {
      const std::size_t code = program().lines(breakpoint.section).size();
      if (breakpoint.line >= code) {
        throw Error(fmt::format("breakpoint: {} has no line {}: it has {}", isa::name_of(breakpoint.section),
                                breakpoint.line, code));
      }
    }
    for (unsigned chip = 0; chip < chips(); ++chip) {
      OneChip& one = chips_[chip];
      auto* const observed = dynamic_cast<ReferenceChip*>(one.chip.get());
      if (observed == nullptr) throw Error("breakpoints: this engine does not stop at lines; engine reference does");
      observed->set_observer(nullptr);
      one.watcher = lines.empty() ? nullptr : std::make_unique<Watcher>(chip, lines, stopped);
      observed->set_observer(one.watcher.get());
    }
  }

  [[nodiscard]] BlockState state(unsigned chip, unsigned block) const override {
    return state_of(*at(chip).chip, block);
  }

  void set_state(unsigned chip, unsigned block, const BlockState& state) override {
    emulator::set_state(*at(chip).chip, block, state);
  }

 private:
  /// Work of one chip: a piece, i-particles for its blocks, or the results of a piece.
  struct Command {
    Piece piece;
    unsigned particles = 0;
    std::span<const LongWord> in;
    std::span<LongWord> out;
  };
  using Part = void (ChipSession::*)(const Command&, unsigned part);

  /// Reports when a chip reaches a breakpoint.
  class Watcher final : public Observer {
   public:
    Watcher(unsigned chip, std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped)
        : chip_(chip), lines_(std::move(lines)), stopped_(std::move(stopped)) {}
    void on_issue(const IssueEvent& event) override {
      const bool stops = std::ranges::any_of(lines_, [&](const Breakpoint& line) {
        return line.section == event.section && line.line == event.line &&
               (!line.iteration || *line.iteration == event.iteration);
      });
      if (stops) stopped_({chip_, event.block, event.section, event.line, event.iteration, event.jvalid});
    }

   private:
    unsigned chip_;
    std::vector<Breakpoint> lines_;
    std::function<void(const Stop&)> stopped_;
  };

  struct OneChip {
    std::unique_ptr<Chip> chip;
    std::vector<LongWord> memory;  // external memory, up to the last word that was written or read
    std::vector<LongWord> moved;   // words that the last piece sent to the tree, [block][word]
    Piece last{0, {0, kBlocks}, 0, 0};
    std::array<FpEvents, kParts> tree;
    std::array<FirstJunctionEvents, kParts> tree_events;
    ThreadPool::Lane lane;
    std::deque<Command> commands;
    std::unique_ptr<Watcher> watcher;
  };

  [[nodiscard]] OneChip& at(unsigned chip) {
    require(chip < chips(), "chip", chip, 0, chips() - 1);
    return chips_[chip];
  }
  [[nodiscard]] const OneChip& at(unsigned chip) const {
    require(chip < chips(), "chip", chip, 0, chips() - 1);
    return chips_[chip];
  }

  void require_memory(std::uint64_t address, std::uint64_t count) const {
    if (address <= memory_words_ && count <= memory_words_ - address) return;
    throw Error(fmt::format("external memory holds {} long words per chip; {} words from word {} on do not fit",
                            memory_words_, count, address));
  }
  void provide_memory(OneChip& one, std::uint64_t address, std::uint64_t count) {
    require_memory(address, count);
    if (address + count <= one.memory.size()) return;
    pool_->wait(one.lane);
    one.memory.resize(address + count);
  }

  static std::uint64_t iterations_of(const Piece& piece) { return (piece.records + kBlocks - 1) / kBlocks; }

  /// Number of words that left the chip in earlier pieces of the run.
  [[nodiscard]] std::uint64_t words_before(const Piece& piece) const {
    return piece.begins ? 0 : words_out(program(), piece.first_iteration, true, false);
  }

  /// Posts a job. The lambda captures only two pointers, which fit into a std::function without an allocation.
  template <void (ChipSession::*part)(const Command&, unsigned)>
  void post(unsigned parts, const Command& command, ThreadPool::Wakes wakes) {
    const ThreadPool::Task task = [this, &command](unsigned n) { (this->*part)(command, n); };
    pool_->post(chips_[command.piece.chip].lane, parts, task, wakes);
  }

  [[nodiscard]] bool ends_soon(std::span<const Piece> pieces) const {
    std::uint64_t interactions = 0;
    for (const Piece& piece : pieces) interactions += piece.records * piece.live_pes * isa::kVectorElements;
    return !pieces.empty() && chips_.front().chip->ends_soon(interactions);
  }

  /// Calls `run` for a chip. The chip does not know its number; it is added to exceptions here.
  void on_chip(unsigned chip, const std::function<void(Chip&)>& run) {
    try {
      run(*chips_[chip].chip);
    } catch (const Fault& fault) {
      throw fault.on_chip(chip);
    } catch (const Divergence& divergence) {
      throw divergence.on_chip(chip);
    }
  }

  void put_particles(const Command& command, unsigned) {
    Chip& chip = *chips_[command.piece.chip].chip;
    for (std::size_t entry = 0; entry < entries_in_.size(); ++entry) {
      chip.write_pes(command.piece.blocks, 0, entries_in_[entry].where,
                     command.in.subspan(entry * command.particles, command.particles));
    }
  }

  /// Runs a share of the piece's blocks.
  void run_part(const Command& command, unsigned part) {
    const Piece& piece = command.piece;
    OneChip& one = chips_[piece.chip];
    const unsigned record = program().record_words;
    LoopRun run;
    run.stream = {std::span<const LongWord>(one.memory).subspan(piece.address, piece.records * record), record,
                  piece.records};
    run.live_pes = piece.live_pes;
    run.begins = piece.begins;
    run.ends = piece.ends;
    run.run = piece.run;
    run.first_iteration = piece.first_iteration;
    const std::uint64_t words = collected_words(program(), iterations_of(piece), piece.begins, piece.ends);
    if (part == 0 && words > 0) {
      const auto moved = [&](unsigned block) { return one.moved.begin() + static_cast<std::ptrdiff_t>(block * words); };
      std::fill(moved(0), moved(piece.blocks.first), LongWord{});
      std::fill(moved(piece.blocks.first + piece.blocks.count), moved(kBlocks), LongWord{});
    }
    const unsigned share = (piece.blocks.count + parts_ - 1) / parts_;
    const unsigned begin = std::min(part * share, piece.blocks.count);
    const BlockRange range{piece.blocks.first + begin, std::min(share, piece.blocks.count - begin)};
    if (range.count == 0) return;
    run.collected = std::span(one.moved).subspan(range.first * words, range.count * words);
    on_chip(piece.chip, [&](Chip& chip) { chip.run_loop(range, run); });
  }

  /// Collects results from the PEs.
  void take_results(const Command& command, unsigned) {
    OneChip& one = chips_[command.piece.chip];
    const std::size_t record = entries_out_.size();
    for (std::size_t field = 0; field < record; ++field) {
      const isa::Variable& variable = *entries_out_[field].variable;
      const Collection collection{entries_out_[field].where, command.particles, variable.reduction,
                                  isa::info_of(*variable.conversion).width, variable.block};
      const FpEvents before = one.tree[0];
      const std::vector<LongWord> words = one.chip->collect(collection, one.tree[0]);
      if (one.tree[0] != before) place_events_of_results(command.piece, variable, collection);
      for (std::size_t particle = 0; particle < words.size(); ++particle) {
        command.out[particle * record + field] = words[particle];
      }
    }
  }

  [[nodiscard]] JunctionEvent place_in_tree(const Piece& piece, const isa::Variable& variable) const {
    JunctionEvent place;
    place.run = piece.run;
    place.chip = piece.chip;
    place.variable = static_cast<std::size_t>(&variable - program().variables.data());
    return place;
  }

  /// Engines only count events of the tree. If there are any, the words are read once more to find the places.
  void place_events_of_results(const Piece& piece, const isa::Variable& variable, const Collection& collection) {
    OneChip& one = chips_[piece.chip];
    std::array<std::vector<LongWord>, kBlocks> words;
    std::array<std::span<const LongWord>, kBlocks> blocks;
    for (unsigned block = 0; block < kBlocks; ++block) {
      for (unsigned pe = 0; words[block].size() < collection.results; ++pe) {
        const std::vector<LongWord> of_pe = one.chip->read_pe(block, pe, collection.where);
        words[block].insert(words[block].end(), of_pe.begin(), of_pe.end());
      }
      blocks[block] = std::span(words[block]).first(collection.results);
    }
    place_tree_events(*collection.reduction, collection.node_width, blocks, place_in_tree(piece, variable),
                      one.tree_events[0]);
  }

  /// Takes the words that the last piece sent to the tree, reduced or as they are. Each part takes every parts_-th
  /// collect.
  void reduce_moved(const Command& command, unsigned part) {
    const Piece& piece = command.piece;
    OneChip& one = chips_[piece.chip];
    const std::size_t of_block = collected_words(program(), iterations_of(piece), piece.begins, piece.ends);
    std::size_t number = 0;
    for (const Collected& batch : collects_of(program(), iterations_of(piece), piece.begins, piece.ends)) {
      if (number++ % parts_ != part) continue;
      const isa::Variable& variable = *batch.result;
      std::array<std::span<const LongWord>, kBlocks> blocks;
      for (unsigned block = 0; block < kBlocks; ++block) {
        blocks[block] = std::span(one.moved).subspan(block * of_block + batch.first, batch.words);
      }
      const std::span<LongWord> sums = command.out.subspan(batch.first_out, batch.words_out);
      if (variable.reduction) {
        const Width width = isa::info_of(*variable.conversion).width;
        const FpEvents before = one.tree[part];
        one.chip->reduce_blocks(*variable.reduction, width, blocks, sums, one.tree[part]);
        if (one.tree[part] != before) {
          JunctionEvent place = place_in_tree(piece, variable);
          place.result = words_before(piece) + batch.first_out;
          place_tree_events(*variable.reduction, width, blocks, place, one.tree_events[part]);
        }
      } else {
        pass_blocks(batch, blocks, sums);
      }
    }
  }

  /// Waits for all work; returns the failure of the first chip that had one.
  std::exception_ptr finish() {
    std::exception_ptr first;
    for (OneChip& one : chips_) {
      try {
        pool_->wait(one.lane);
      } catch (...) {
        if (!first) first = std::current_exception();
      }
      one.commands.clear();
    }
    return first;
  }
  void finish_and_throw() {
    if (const std::exception_ptr failure = finish()) std::rethrow_exception(failure);
  }

  std::shared_ptr<const Lowered> program_;
  std::uint64_t memory_words_;
  std::shared_ptr<ThreadPool> pool_;
  std::deque<OneChip> chips_;
  unsigned parts_;
  std::vector<Entry> entries_in_;
  std::vector<Entry> entries_out_;
  std::uint64_t tickets_ = 0;
  ThreadPool::Wakes wakes_ = ThreadPool::Wakes::others;  // of the last run
};

class ChipEngine final : public Engine {
 public:
  ChipEngine(std::function<std::unique_ptr<Chip>()> make_chip, EngineTraits traits)
      : make_chip_(std::move(make_chip)), traits_(traits) {}
  [[nodiscard]] std::shared_ptr<const Lowered> lower(const isa::Program& program) const override {
    return make_chip_()->lower(program);
  }
  [[nodiscard]] std::unique_ptr<Session> open(std::shared_ptr<const Lowered> program,
                                              const SessionOptions& options) const override {
    return std::make_unique<ChipSession>(std::move(program), options, make_chip_);
  }
  [[nodiscard]] EngineTraits traits() const override { return traits_; }

 private:
  std::function<std::unique_ptr<Chip>()> make_chip_;
  EngineTraits traits_;
};

}  // namespace

std::unique_ptr<Engine> make_chip_engine(std::function<std::unique_ptr<Chip>()> make_chip, EngineTraits traits) {
  return std::make_unique<ChipEngine>(std::move(make_chip), traits);
}

}  // namespace gdr::emulator
