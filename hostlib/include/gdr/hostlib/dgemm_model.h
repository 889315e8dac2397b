// How long matrix products take on the board, from the schedule of the kernel and the rates of the machine.
#pragma once

#include <cstdint>

#include "gdr/emulator/machine.h"
#include "gdr/hostlib/dgemm.h"

namespace gdr {

/// Who takes a product of a depth that fewer chips than a board has would hold.
enum class SmallDepths : std::uint8_t {
  own_rows,   // ours, and what BoardDgemm does: as few chips as hold it; the others take rows of their own, and B again
  fixed_unit  // all chips of a board, a part of the depth each: the unit of Koike et al. 2009, section 4.1, is fixed
};

struct DgemmTransfer {
  bool overlap = true;             // the next block of A is uploaded while lines run, if all of it arrives
  std::uint64_t buffer_words = 0;  // long words for it; 0: as many as the machine has
  emulator::TransferMode mode = emulator::TransferMode::as_of_2009;  // what the host writes into all chips together
  SmallDepths small_depths = SmallDepths::own_rows;
};

/// Seconds by what the board waits for, one after the other.
struct DgemmTimes {
  double b_send = 0;          // B to external memory
  double a_send = 0;          // A, as far as lines do not hide it
  double a_load = 0;          // A through IDP into local memories
  double compute = 0;         // turns of the loop, starts of runs
  std::uint64_t clocks = 0;   // of a chip: loads and turns
  double useful_flops = 0;    // 2 m n k
  double executed_flops = 0;  // padding included
  [[nodiscard]] double total() const { return b_send + a_send + a_load + compute; }
};

class DgemmModel {
 public:
  /// Throws gdr::Error if the program multiplies no matrices.
  DgemmModel(const isa::Program& program, const emulator::MachineDescription& machine, unsigned boards);

  [[nodiscard]] DgemmTimes times(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                 const DgemmTransfer& transfer) const;
  /// Clocks of one turn of the loop body, two columns of B, when its turns follow one another.
  [[nodiscard]] std::uint64_t clocks_per_turn() const { return clocks_per_turn_; }
  /// Gflops of a board that does nothing but turns.
  [[nodiscard]] double kernel_gflops() const;
  /// Seconds of one turn, by what binds it: chip, ring or result DMA.
  [[nodiscard]] double turn_seconds(unsigned ring) const;

 private:
  /// Bytes/s into each chip while all are written to.
  [[nodiscard]] double write_rate(emulator::TransferMode mode) const;

  emulator::MachineDescription machine_;
  unsigned boards_;
  DgemmBlocking blocking_;
  unsigned fields_ = 1;  // 8-byte fields of an element of A or B
  std::uint64_t clocks_per_turn_ = 0;
};

}  // namespace gdr
