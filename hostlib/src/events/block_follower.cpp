#include "block_follower.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gdr/base/stopping.h"

namespace gdr::hostlib {

using emulator::Piece;
using emulator::PlacedEvent;
using isa::Section;

namespace {

// In lines of one PE on the reference engine, as measured.
constexpr std::uint64_t kStateWork = 1000;  // all words of a block, from one engine to another
constexpr std::uint64_t kWordsWork = 60;    // those of a PE that are read
constexpr std::uint64_t kLinesOfBlock = 3;  // lines of a block on the vector engine that take as long as one of those

std::uint64_t iterations_of(const Piece& piece) { return (piece.records + isa::kBlocks - 1) / isa::kBlocks; }

}  // namespace

emulator::LoopRun loop_of(const Recording& recording, const Piece& piece, std::uint64_t from,
                          std::optional<std::uint64_t> to) {
  const unsigned record = recording.program.record_words;
  const std::uint64_t skipped = std::min(piece.records, from * isa::kBlocks);
  const std::uint64_t end = to ? std::min(piece.records, *to * isa::kBlocks) : piece.records;
  emulator::LoopRun run;
  run.stream.record_words = record;
  run.stream.records = end - skipped;
  run.stream.words =
      std::span(recording.memory[piece.chip]).subspan(piece.address + skipped * record, run.stream.records * record);
  run.live_pes = piece.live_pes;
  run.begins = piece.begins && from == 0;
  run.ends = piece.ends && !to;
  run.run = piece.run;
  run.first_iteration = piece.first_iteration + from;
  return run;
}

void LoopRunner::run(emulator::Chip& chip, emulator::BlockRange blocks, emulator::LoopRun loop) {
  const std::uint64_t words =
      emulator::collected_words(program_, loop.stream.iterations(), loop.begins, loop.ends) * blocks.count;
  collected_.resize(std::max<std::size_t>(collected_.size(), words));
  loop.collected = std::span(collected_).first(words);
  loop.run = --number_;
  chip.run_loop(blocks, loop);
}

std::vector<PlacedEvent> LoopRunner::first_events(const emulator::Chip& chip, unsigned block) const {
  const emulator::FirstEvents first = chip.first_events(block);
  std::vector<PlacedEvent> events(first.events().begin(), first.events().end());
  std::erase_if(events, [&](const PlacedEvent& event) { return event.place.run != number_; });
  return events;
}

/// One block in one piece. A position is an even iteration of the piece that comes next, or the number of all: then
/// loop termination does.
class BlockFollower::Search {
 public:
  Search(BlockFollower& own, emulator::Chip& chip, const Piece& piece, unsigned block, unsigned collected)
      : own_(own),
        chip_(chip),
        piece_(piece),
        block_(block),
        // What is stored to broadcast memory may be sent by any PE.
        collected_(own.words_.pes_alike() ? collected : emulator::kParticlesPerRun),
        iterations_(iterations_of(piece)) {}

  FollowedBlock follow(std::vector<PlacedEvent> events) {
    know(std::move(events));
    while (!events_.empty()) {
      base::pause();
      if (own_.work_.is_over()) return std::move(followed_);
      const std::uint64_t from = position_of(events_.front());
      advance(from);
      std::optional<std::uint64_t> reached = step(chosen_pes(from));
      if (!reached) reached = step(all_pes());
      if (!reached) return std::move(followed_);
      std::erase_if(events_, [&](const PlacedEvent& event) { return position_of(event) < *reached; });
      if (events_.empty() && !all_known_ && *reached <= iterations_) find_next_events(*reached);
    }
    followed_.complete = true;
    return std::move(followed_);
  }

 private:
  struct Pes {
    std::vector<std::uint8_t> numbers;  // [place in the block stepper]
    bool complete = false;              // no other PE has events in later iterations
  };

  /// The position from which lines are executed to meet the event.
  [[nodiscard]] std::uint64_t position_of(const PlacedEvent& event) const {
    if (!own_.words_.quiet_edge()) return 0;
    if (event.place.section == Section::loop_termination) return iterations_;
    if (event.place.section != Section::loop_body) return 0;
    return (event.place.iteration - piece_.first_iteration) / 2 * 2;
  }

  [[nodiscard]] Pes all_pes() const {
    Pes pes{std::vector<std::uint8_t>(piece_.live_pes), true};
    std::iota(pes.numbers.begin(), pes.numbers.end(), std::uint8_t{0});
    return pes;
  }

  /// The PEs that have events from `from` on, as far as is known.
  [[nodiscard]] Pes chosen_pes(std::uint64_t from) const {
    const bool known_here = all_known_ || position_of(events_.back()) > from;
    if (!known_here || !own_.words_.pes_alike() || own_.words_.live_in_loop().has_registers()) return all_pes();
    Pes pes;
    pes.complete = all_known_;
    for (const PlacedEvent& event : events_) {
      const auto pe = static_cast<std::uint8_t>(event.place.pe);
      if ((all_known_ || position_of(event) == from) && std::ranges::find(pes.numbers, pe) == pes.numbers.end()) {
        pes.numbers.push_back(pe);
      }
    }
    return pes;
  }

  void advance(std::uint64_t to) {
    if (to == at_) return;
    own_.work_.add((to - at_) * own_.words_.lines_of(Section::loop_body) / kLinesOfBlock + 1);
    own_.runner_.run(chip_, {block_, 1}, loop_of(own_.recording_, piece_, at_, to));
    at_ = to;
  }

  /// Looks for further events from a position on.
  void find_next_events(std::uint64_t from) {
    advance(from);
    emulator::Chip& scratch = own_.scratch();
    own_.work_.add(2 * kStateWork + (iterations_ - from) * own_.words_.lines_of(Section::loop_body) / kLinesOfBlock);
    emulator::set_state(scratch, block_, emulator::state_of(chip_, block_));
    own_.runner_.run(scratch, {block_, 1}, loop_of(own_.recording_, piece_, from));
    know(own_.runner_.first_events(scratch, block_));
  }

  /// Takes the first events from a position on, which a chip keeps up to a number.
  void know(std::vector<PlacedEvent> events) {
    events_ = std::move(events);
    all_known_ = events_.size() < emulator::kKeptEvents;
  }

  void bring_words(emulator::BlockStepper& stepper, const Pes& pes) {
    if (!own_.words_.pes_alike() || own_.words_.live_in_loop().has_registers()) {
      own_.work_.add(kStateWork);
      stepper.set_state(emulator::state_of(chip_, block_));
      return;
    }
    own_.work_.add(kWordsWork * pes.numbers.size());
    stepper.write_bm(0, chip_.read_bm(block_, 0, isa::kBmShortWords / 2));
    for (unsigned place = 0; place < pes.numbers.size(); ++place) {
      for (const emulator::PeWords& where : own_.live_words_) {
        stepper.set_pe(place, where, chip_.read_pe(block_, pes.numbers[place], where));
      }
    }
  }

  /// Executes lines from the current position on until no word depends on an event. Returns the position reached, after
  /// the last one beyond all; nothing if the work is over, or if other PEs might have events there.
  std::optional<std::uint64_t> step(const Pes& pes) {
    emulator::BlockStepper& stepper = own_.stepper_of(block_);
    bring_words(stepper, pes);
    emulator::LoopRun loop = loop_of(own_.recording_, piece_, at_);
    loop.live_pes = static_cast<unsigned>(pes.numbers.size());
    stepper.begin(loop);
    EventStudy study(own_.words_, loop.live_pes, [&](unsigned place, unsigned element) {
      return pes.numbers[place] * isa::kVectorElements + element < collected_;
    });
    // Where each iteration has events, it is quicker to go on than to look for the next ones.
    const bool goes_on = pes.complete && events_.size() == emulator::kKeptEvents;
    bool has_events = false;  // since the last even iteration
    while (!stepper.done()) {
      const emulator::NextLine line = stepper.next();
      study.look_at(line, stepper);
      stepper.step();
      own_.work_.add(loop.live_pes);
      if (study.follow(line, stepper)) has_events = true;
      if (stepper.done()) break;
      const emulator::NextLine next = stepper.next();
      if (next.line != 0 || next.section == Section::loop_initialization) continue;
      const bool at_termination = next.section == Section::loop_termination;
      const std::uint64_t reached = at_termination ? iterations_ : next.iteration - piece_.first_iteration;
      if (!own_.words_.quiet_edge() || reached <= at_ || (!at_termination && reached % 2 != 0)) continue;
      const bool forgotten = study.forget_all_but(own_.words_.live_in_loop());
      if (forgotten && !(goes_on && std::exchange(has_events, false))) {
        keep(study, pes);
        return reached;
      }
      if (!pes.complete || own_.work_.is_over()) return std::nullopt;
    }
    study.forget_all_but(piece_.ends ? own_.words_.live_in_run() : own_.words_.live_in_loop());
    study.take_the_rest();
    keep(study, pes);
    return iterations_ + 1;
  }

  void keep(const EventStudy& study, const Pes& pes) {
    followed_.all += study.all();
    followed_.untaken += study.untaken();
    emulator::FirstEvents first;
    study.add_taken(first);
    for (PlacedEvent event : first.events()) {
      event.place.chip = piece_.chip;
      event.place.pe = pes.numbers[event.place.pe];
      followed_.first.add(event);
    }
  }

  BlockFollower& own_;
  emulator::Chip& chip_;
  const Piece& piece_;
  unsigned block_;
  unsigned collected_;
  std::uint64_t iterations_;
  std::uint64_t at_ = 0;             // position of the block in chip_
  std::vector<PlacedEvent> events_;  // that are still to be met
  bool all_known_ = false;           // there are no others
  FollowedBlock followed_;
};

BlockFollower::BlockFollower(const Recording& recording, const KernelWords& words, LoopRunner& runner,
                             FollowingWork& work)
    : recording_(recording), words_(words), runner_(runner), work_(work) {
  find_live_words();
}
BlockFollower::~BlockFollower() = default;

void BlockFollower::find_live_words() {
  const auto find = [&](isa::Memory memory, const auto& live) {
    for (std::size_t n = 0; n < live.size(); n += 2) {
      if (!live[n] && !live[n + 1]) continue;
      if (!live_words_.empty() && live_words_.back().memory == memory &&
          live_words_.back().address + 2u * live_words_.back().count == n) {
        ++live_words_.back().count;
      } else {
        live_words_.push_back({memory, static_cast<std::uint16_t>(n), isa::Width::long_word, 1});
      }
    }
  };
  find(isa::Memory::gpr, words_.live_in_loop().gpr);
  find(isa::Memory::lm, words_.live_in_loop().lm);
}

emulator::BlockStepper& BlockFollower::stepper_of(unsigned block) {
  if (!steppers_[block]) steppers_[block] = std::make_unique<emulator::BlockStepper>(recording_.program, block);
  return *steppers_[block];
}

emulator::Chip& BlockFollower::scratch() {
  if (!scratch_) {
    scratch_ = emulator::make_simd_chip();
    scratch_->load(recording_.program);
  }
  return *scratch_;
}

FollowedBlock BlockFollower::follow(emulator::Chip& chip, const Piece& piece, unsigned block,
                                    std::vector<PlacedEvent> events, unsigned collected) {
  return Search(*this, chip, piece, block, collected).follow(std::move(events));
}

}  // namespace gdr::hostlib
