// How long chains of puts, register transfers and stores take: what TcaMachine, whose process plays all nodes, and
// libtca, whose ranks are nodes, share.
#pragma once

#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/peach2.h"
#include "gdr/interconnect/tca_events.h"

namespace gdr::interconnect {

/// Times of one machine, in seconds. On HA-PACS/TCA all memories are read at one rate, and descriptors are in the chip
/// or in the host's memory. The bench of 2013 reads a GPU's memory more slowly and has descriptors only in the host's.
class TcaTimes {
 public:
  /// HA-PACS/TCA; registers and stores take the times of the board.
  TcaTimes(const Peach2& board, const HaPacsTca& cluster);
  /// The bench of 2013.
  explicit TcaTimes(const Peach2& bench);

  /// A put of `rows` rows of `burst` bytes from memory of the kind `from`.
  [[nodiscard]] TimedPut put(int destination, double burst, double rows, Memory from) const;
  /// From the start of a chain to the arrival of its first byte at a neighbour. Throws gdr::Error for descriptors in
  /// the chip on the bench.
  [[nodiscard]] double chain_setup(Descriptors where) const;
  /// The same in register mode.
  [[nodiscard]] double register_setup(Memory from) const;
  /// Stores by the CPU, between neighbours.
  [[nodiscard]] double pio(double bytes, Memory to) const { return board_.pio(bytes, to); }
  [[nodiscard]] PathModel path() const;

  [[nodiscard]] int channels() const { return board_.channels; }
  /// Most transfers in register mode.
  [[nodiscard]] int register_transfers() const { return board_.register_transfers; }
  /// Most descriptors in a chip, of all channels.
  [[nodiscard]] int own_descriptor_max() const { return own_descriptor_max_; }

 private:
  Peach2 board_;
  PcieWire wire_;  // of the path between nodes
  bool bench_;
  double own_setup_ = 0;
  double host_setup_ = 0;
  double cpu_rate_ = 0;  // bytes/s of full packets
  double gpu_rate_ = 0;
  double collision_ = 1;
  double hop_ = 0;
  int own_descriptor_max_ = 0;
};

}  // namespace gdr::interconnect
