// Follows the events of one block in a piece of a run: where there are some, the reference engine executes the
// iterations line by line, on the words that the vector engine has reached.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "event_study.h"
#include "gdr/emulator/chip.h"
#include "gdr/emulator/session.h"
#include "gdr/hostlib/recording.h"

namespace gdr::hostlib {

/// The work of following, up to a limit.
class FollowingWork {
 public:
  explicit FollowingWork(std::uint64_t most) : most_(most) {}
  void add(std::uint64_t work) { done_ += work; }
  [[nodiscard]] bool is_over() const { return done_ > most_; }
  [[nodiscard]] std::uint64_t done() const { return done_; }

 private:
  std::uint64_t most_;
  std::uint64_t done_ = 0;
};

/// The loop of a piece from an even iteration of it on, or from its loop termination; `to`: up to before this
/// iteration.
[[nodiscard]] emulator::LoopRun loop_of(const Recording& recording, const emulator::Piece& piece,
                                        std::uint64_t from = 0, std::optional<std::uint64_t> to = std::nullopt);
/// Runs it, and drops the words that it collects. The first events that the chip keeps of a block are those of the
/// loop that was run last, because each gets a lower number of its run than the loops before.
class LoopRunner {
 public:
  explicit LoopRunner(const isa::Program& program) : program_(program) {}
  void run(emulator::Chip& chip, emulator::BlockRange blocks, emulator::LoopRun loop);
  /// Events of the loop that was run last, at most kKeptEvents.
  [[nodiscard]] std::vector<emulator::PlacedEvent> first_events(const emulator::Chip& chip, unsigned block) const;

 private:
  const isa::Program& program_;
  std::vector<isa::LongWord> collected_;
  std::uint64_t number_ = std::uint64_t{1} << 62;
};

struct FollowedBlock {
  emulator::FpEvents all;
  emulator::FpEvents untaken;
  emulator::FirstEvents first;  // of those that were taken
  bool complete = false;        // false: the work was over before
};

class BlockFollower {
 public:
  BlockFollower(const Recording& recording, const KernelWords& words, LoopRunner& runner, FollowingWork& work);
  ~BlockFollower();
  BlockFollower(const BlockFollower&) = delete;
  BlockFollower& operator=(const BlockFollower&) = delete;

  /// `chip` has the words of before the piece; the block's change. `events`: what first_events() gives of the piece.
  /// `collected`: i-particles whose results the host takes.
  [[nodiscard]] FollowedBlock follow(emulator::Chip& chip, const emulator::Piece& piece, unsigned block,
                                     std::vector<emulator::PlacedEvent> events, unsigned collected);

 private:
  class Search;

  /// Words of a PE that are next to each other, and may be read before they are written.
  void find_live_words();
  [[nodiscard]] emulator::BlockStepper& stepper_of(unsigned block);
  [[nodiscard]] emulator::Chip& scratch();

  const Recording& recording_;
  const KernelWords& words_;
  LoopRunner& runner_;
  FollowingWork& work_;
  std::vector<emulator::PeWords> live_words_;
  std::array<std::unique_ptr<emulator::BlockStepper>, isa::kBlocks> steppers_;
  std::unique_ptr<emulator::Chip> scratch_;
};

}  // namespace gdr::hostlib
