#include "gdr/interconnect/tca_times.h"

#include <algorithm>

namespace gdr::interconnect {

TcaTimes::TcaTimes(const Peach2& board, const HaPacsTca& cluster)
    : board_(board),
      wire_(cluster),
      bench_(false),
      own_setup_(cluster.own_descriptors),
      host_setup_(cluster.host_descriptors),
      cpu_rate_(cluster.tca_rate),
      gpu_rate_(cluster.tca_rate),
      collision_(cluster.collision),
      hop_(cluster.hop),
      own_descriptor_max_(cluster.own_descriptor_max) {}

TcaTimes::TcaTimes(const Peach2& bench)
    : board_(bench),
      wire_(bench),
      bench_(true),
      host_setup_(bench.dma_chain(0, 1, Memory::cpu)),
      cpu_rate_(bench.dma_rate),
      gpu_rate_(bench.gpu_read_rate),
      collision_(bench.collision),
      hop_(bench.hop) {}

TimedPut TcaTimes::put(int destination, double burst, double rows, Memory from) const {
  return {destination, rows * burst * wire_.burst_factor(burst), from == Memory::gpu ? gpu_rate_ : cpu_rate_};
}

double TcaTimes::chain_setup(Descriptors where) const {
  if (where == Descriptors::host) return host_setup_;
  if (bench_) throw Error("descriptors in the chip are refused: the board of 2013 has them in the host's memory");
  return own_setup_;
}

double TcaTimes::register_setup(Memory from) const { return board_.dma_register(0, from); }

PathModel TcaTimes::path() const { return {std::max(cpu_rate_, gpu_rate_), collision_, hop_}; }

}  // namespace gdr::interconnect
