// Model of the time that matrix products take on the board, from the schedule of the kernel and the rates of the
// machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "gdr/emulator/machine.h"
#include "gdr/hostlib/dgemm.h"

namespace gdr {

/// How the chips of a board share a product whose depth fewer of them could hold.
enum class SmallDepths : std::uint8_t {
  own_rows,   // as BoardDgemm: as few chips as hold the depth; the others take other rows, for which B is sent again
  fixed_unit  // all chips of a board, a part of the depth each: the unit of Koike et al. 2009, section 4.1, is fixed
};
[[nodiscard]] std::string_view name_of(SmallDepths small_depths);  // own-rows, fixed-unit

struct DgemmTransfer {
  bool overlap = true;             // the next block of A is uploaded while lines run, if all of it can arrive in time
  std::uint64_t buffer_words = 0;  // long words of the buffer for this upload; 0: as many as the machine has
  emulator::TransferMode mode = emulator::TransferMode::as_of_2009;  // of the host's writes to all chips together
  SmallDepths small_depths = SmallDepths::own_rows;
};

/// Seconds of the stages of a product, which follow one another.
struct DgemmTimes {
  double b_send = 0;          // sending B to external memory
  double a_send = 0;          // sending A, as far as it is not hidden behind lines
  double a_load = 0;          // loading A through IDP into local memories
  double compute = 0;         // turns of the loop and starts of runs
  std::uint64_t clocks = 0;   // of a chip, for loads and turns
  double useful_flops = 0;    // 2 m n k
  double executed_flops = 0;  // including padding
  [[nodiscard]] double total() const { return b_send + a_send + a_load + compute; }
};

/// A product as libgdrblas gives it to the board.
struct BoardProduct {
  bool transposed = false;  // the board computes C^T = B^T A^T
  DgemmTimes times;
};

/// Gflops of boards in doubles if every PE multiplied and added without a pause: a product takes two lines, in which a
/// PE works on four elements in four clocks, so each PE does one product and one sum in two clocks.
[[nodiscard]] double peak_gflops_in_doubles(const emulator::MachineDescription& machine, unsigned boards);

class DgemmModel {
 public:
  /// Throws gdr::Error if dgemm_blocking() refuses the program.
  DgemmModel(const isa::Program& program, const emulator::MachineDescription& machine, unsigned boards);

  [[nodiscard]] DgemmTimes times(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                 const DgemmTransfer& transfer) const;
  /// The whole product in the orientation that suits the board: transposed if that takes at least a tenth less time. A
  /// turn takes two columns of B for 256 rows of A, so tall matrices suit the board better than wide ones. However a
  /// host divides the product to emulate it, this is its time.
  [[nodiscard]] BoardProduct product(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                     const DgemmTransfer& transfer) const;
  /// Clocks of one turn of the loop body (two columns of B) when turns follow one another.
  [[nodiscard]] std::uint64_t clocks_per_turn() const { return clocks_per_turn_; }
  /// Gflops of a board that does nothing but turns.
  [[nodiscard]] double kernel_gflops() const;
  /// Seconds of one turn on rings of `ring` chips: the longest of what the chip, the ring and the result DMA take.
  [[nodiscard]] double turn_seconds(unsigned ring) const;

 private:
  /// Bytes/s that the host writes to each chip while it writes to all.
  [[nodiscard]] double write_rate(emulator::TransferMode mode, unsigned boards) const;

  emulator::MachineDescription machine_;
  unsigned boards_;
  DgemmBlocking blocking_;
  unsigned fields_ = 1;  // 8-byte fields of an element of A or B
  std::uint64_t clocks_per_turn_ = 0;
};

}  // namespace gdr
