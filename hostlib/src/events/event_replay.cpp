#include "event_replay.h"

#include <array>
#include <memory>
#include <utility>
#include <variant>

#include "block_follower.h"
#include "gdr/base/stopping.h"

namespace gdr::hostlib {

using emulator::FpEvents;
using emulator::Piece;

namespace {

// In the unit of `most_work`, as measured.
constexpr std::uint64_t kCopyWork = 3000;     // all words of a chip
constexpr std::uint64_t kLineOfChipWork = 5;  // a line of a chip on the vector engine

std::uint64_t sum_of(const FpEvents& events) { return events.invalid + events.overflow + events.underflow; }

FpEvents difference(const FpEvents& all, const FpEvents& part) {
  return {all.invalid - part.invalid, all.overflow - part.overflow, all.underflow - part.underflow};
}

bool has_at_least(const FpEvents& all, const FpEvents& part) {
  return all.invalid >= part.invalid && all.overflow >= part.overflow && all.underflow >= part.underflow;
}

/// The run again, one chip after the other.
class Replay {
 public:
  Replay(const Recording& recording, const KernelWords& words, const CountedRun& run, std::uint64_t most_work)
      : recording_(recording),
        words_(words),
        run_(run),
        work_(most_work),
        runner_(recording.program),
        follower_(recording, words, runner_, work_),
        lowered_(emulator::make_simd_chip()->lower(recording.program)),
        starts_(run.starts.size()) {
    followed_.unknown_runs.resize(run.starts.size());
  }

  FollowedEvents follow() {
    for (unsigned chip = 0; chip < recording_.chips && !followed_.end; ++chip) follow_chip(chip);
    for (std::size_t start = 0; start < starts_.size(); ++start) {
      const FpEvents& counted = run_.starts[start].counted;
      const Start& own = starts_[start];
      // Without the words that the real run began with, a run has other events.
      const bool matches = followed_.end || run_.junctions ? has_at_least(counted, own.all) : counted == own.all;
      if (sum_of(counted) > 0 && (!matches || own.differs)) {
        followed_.unknown_runs[start] = true;
        followed_.unfollowed += counted;
        continue;
      }
      followed_.untaken += own.untaken;
      for (const emulator::PlacedEvent& event : own.first.events()) followed_.first.add(event);
      if (followed_.end) followed_.unfollowed += difference(counted, own.all);
    }
    followed_.work = work_.done();
    return std::move(followed_);
  }

 private:
  struct Start {
    FpEvents all;  // that were followed
    FpEvents untaken;
    emulator::FirstEvents first;
    bool differs = false;  // the engines do not agree on its events
  };

  void follow_chip(unsigned chip) {
    const std::unique_ptr<emulator::Chip> state = emulator::make_simd_chip();
    state->load(lowered_);
    const isa::Visitor apply{[&](const BroadcastCommand& command) {
                               for (unsigned block = 0; block < isa::kBlocks; ++block) {
                                 state->write_bm(block, command.address, command.words);
                               }
                             },
                             [&](const ParticlesCommand& command) {
                               if (chip - command.chips.first < command.chips.count) apply_to(*state, command);
                             },
                             [&](const InitializeCommand&) {
                               for (unsigned block = 0; block < isa::kBlocks; ++block) state->run_initialization(block);
                             },
                             [&](const Piece& piece) {
                               if (piece.chip == chip) follow_piece(*state, piece);
                             }};
    for (const HostCommand& command : recording_.commands) {
      std::visit(apply, command);
      if (followed_.end) return;
    }
  }

  void apply_to(emulator::Chip& state, const ParticlesCommand& command) const {
    for (const ParticleField& field : fields_of(recording_.program, command)) {
      state.write_pes(command.blocks, 0, field.where, field.words);
    }
  }

  void follow_piece(emulator::Chip& state, const Piece& piece) {
    base::pause();
    const std::size_t number = piece.run - 1;
    const CountedRun::Start& counted = run_.starts[number];
    const bool has_events = sum_of(counted.counted) > 0;
    if (!has_events && words_.runs_apart() && piece.begins && piece.ends) return;
    const emulator::LoopRun loop = loop_of(recording_, piece);
    work_.add(loop.stream.iterations() * words_.lines_of(isa::Section::loop_body) * kLineOfChipWork + 1);
    if (work_.is_over()) return end_at(piece, piece.blocks.first);
    if (!has_events) return runner_.run(state, piece.blocks, loop);
    work_.add(kCopyWork);
    const std::unique_ptr<emulator::Chip> before = state.clone();
    runner_.run(state, piece.blocks, loop);
    struct Found {
      unsigned block;
      FpEvents counts;
      std::vector<emulator::PlacedEvent> first;
    };
    std::vector<Found> found;
    for (unsigned block = piece.blocks.first; block < piece.blocks.first + piece.blocks.count; ++block) {
      const FpEvents counts = difference(state.events(block), before->events(block));
      if (sum_of(counts) > 0) found.push_back({block, counts, runner_.first_events(state, block)});
    }
    Start& start = starts_[number];
    for (Found& of_block : found) {
      const FollowedBlock followed =
          follower_.follow(*before, piece, of_block.block, std::move(of_block.first), counted.collected);
      if (!followed.complete) return end_at(piece, of_block.block);
      if (followed.all != of_block.counts) start.differs = true;
      start.all += followed.all;
      start.untaken += followed.untaken;
      for (const emulator::PlacedEvent& event : followed.first.events()) start.first.add(event);
    }
  }

  void end_at(const Piece& piece, unsigned block) { followed_.end = {piece.chip, piece.run, block}; }

  const Recording& recording_;
  const KernelWords& words_;
  const CountedRun& run_;
  FollowingWork work_;
  LoopRunner runner_;
  BlockFollower follower_;
  std::shared_ptr<const emulator::Lowered> lowered_;
  std::vector<Start> starts_;
  FollowedEvents followed_;
};

}  // namespace

bool FollowedEvents::has_followed(const emulator::PePlace& place) const {
  if (place.run < 1 || place.run > unknown_runs.size() || unknown_runs[place.run - 1]) return false;
  return !end || Place{place.chip, place.run, place.block} < *end;
}

FollowedEvents followed_events(const Recording& recording, const KernelWords& words, const CountedRun& run,
                               std::uint64_t most_work) {
  return Replay(recording, words, run, most_work).follow();
}

}  // namespace gdr::hostlib
