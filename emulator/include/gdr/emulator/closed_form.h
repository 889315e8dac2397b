// Emulated time as a closed form of the machine's rates: no queue, no overlap between stages, one run after the other.
// It stands in where no schedule of the board is simulated, and reports say so.
#pragma once

#include <cstdint>

#include "gdr/emulator/machine.h"
#include "gdr/emulator/schedule.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// Seconds by stage, the stages of Koike et al. 2009, figure 9.
struct StageSeconds {
  double i_send = 0;
  double j_send = 0;
  double compute = 0;  // start, loop, collection, result DMA
  double add = 0;      // host: sum of the chips' results
  [[nodiscard]] double total() const { return i_send + j_send + compute + add; }
  StageSeconds& operator+=(const StageSeconds& other);
};

/// Work of one force evaluation or of a whole simulation, added up call by call.
class ClosedForm {
 public:
  ClosedForm(const isa::Program& program, const MachineDescription& machine, unsigned boards, TransferMode mode);

  void send_j(std::uint64_t records);
  /// `particles` i-particles, in runs of 128, against `records` j-particles dealt out to all chips.
  void run(std::uint64_t particles, std::uint64_t records);

  [[nodiscard]] const StageSeconds& seconds() const { return seconds_; }
  /// Of the slowest chip, all runs together.
  [[nodiscard]] const RunClocks& clocks() const { return clocks_; }
  [[nodiscard]] std::uint64_t interactions() const { return interactions_; }

 private:
  isa::Program program_;
  Schedule schedule_;
  MachineDescription machine_;
  unsigned chips_;
  TransferMode mode_;
  StageSeconds seconds_;
  RunClocks clocks_;
  std::uint64_t interactions_ = 0;
};

}  // namespace gdr::emulator
