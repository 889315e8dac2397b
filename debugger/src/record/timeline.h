// One block of one chip at any line of a recording: goes forwards by executing lines, and backwards by executing again
// from an earlier state.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "clock.h"
#include "gdr/emulator/block_stepper.h"

namespace gdr::debugger {

class Timeline {
 public:
  /// `recording` and `clock` must outlive the object. `places`: number of states kept to go back to, a few hundred
  /// thousand bytes each.
  Timeline(const Recording& recording, const Clock& clock, unsigned chip, unsigned block, std::size_t places);

  [[nodiscard]] unsigned chip() const { return chip_; }
  [[nodiscard]] unsigned block_number() const { return number_; }
  [[nodiscard]] Moment now() const { return state_.now; }
  /// The block just before the line that comes next; after the end, as the last line left it.
  [[nodiscard]] const emulator::BlockStepper& block() const { return state_.block; }
  /// Goes to any moment up to the clock's end. Long distances run at the vector engine's speed. Throws Fault if a line
  /// on the way cannot be executed; the block is then just before that line.
  void seek(Moment moment);
  /// Applies patches that were added to the recording for this moment, and forgets later states.
  void take_patches();
  /// Executes the next line. Throws Fault, and gdr::Error at the end.
  void step();

 private:
  struct State {
    emulator::BlockStepper block;
    Moment now = 0;
    std::size_t next_command = 0;
  };

  void enter();
  void apply(const ParticlesCommand& command);
  [[nodiscard]] emulator::LoopRun loop_of(const emulator::Piece& piece, std::uint64_t first_turn) const;
  void advance(Moment moment);
  [[nodiscard]] bool jump(Moment moment);
  void keep_place();
  /// Applies the patches of the current moment. Applying them again changes nothing.
  void patch();
  /// The first moment after the current one that has a patch; `otherwise` if none before it has.
  [[nodiscard]] Moment next_patch(Moment otherwise) const;

  const Recording& recording_;
  const Clock& clock_;
  unsigned chip_;
  unsigned number_;
  std::size_t places_;
  std::uint64_t stride_ = 512;  // lines between kept states
  bool quiet_edge_ = false;     // at the loop's edge no line reads what the line before it wrote
  State state_;
  std::map<Moment, State> kept_;
  std::unique_ptr<emulator::Chip> fast_;
};

}  // namespace gdr::debugger
