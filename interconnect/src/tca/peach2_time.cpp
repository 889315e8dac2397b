// How long transfers take by PEACH2 and by the methods that it was compared with. Hanawa et al. 2013, section 4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gdr/interconnect/network.h"
#include "gdr/interconnect/peach2.h"
#include "kinds.h"
#include "known_parameters.h"

namespace gdr::interconnect {

namespace {

const std::vector<KnownParameter<Peach2>>& peach2_parameters() {
  using P = Peach2;
  static const auto parameters = with_peach2_wire<P>({
      known<P>("window", "GiB", 1, 65536, &P::window_bytes),
      known<P>("devices", "slots per node", 4, 64, &P::devices),
      known<P>("channels", "1", 1, 64, &P::channels),
      known<P>("descriptor", "B", 1, 4096, &P::descriptor_bytes),
      known<P>("register_transfers", "transfers", 1, 1024, &P::register_transfers),
      known<P>("pio_latency", "us", 0, 1e6, &P::pio_latency),
      known<P>("pio_payload", "B", 1, 4096, &P::pio_payload),
      known<P>("gpu_latency", "us", 0, 1e6, &P::gpu_latency),
      known<P>("dma_latency", "us", 0, 1e6, &P::dma_latency),
      known<P>("dma_rate", "MB/s", 1e-3, 1e9, &P::dma_rate),
      known<P>("gpu_read_rate", "MB/s", 1e-3, 1e9, &P::gpu_read_rate),
      known<P>("local_rate", "MB/s", 1e-3, 1e9, &P::local_rate),
      known<P>("local_gpu_read_rate", "MB/s", 1e-3, 1e9, &P::local_gpu_read_rate),
      known<P>("chain_start", "us", 0, 1e6, &P::chain_start),
      known<P>("interrupt", "us", 0, 1e6, &P::interrupt),
      known<P>("cuda_uva_start", "us", 0, 1e6, &P::cuda_uva_start),
      known<P>("cuda_start", "us", 0, 1e6, &P::cuda_start),
      known<P>("cuda_rate", "MB/s", 1e-3, 1e9, &P::cuda_rate),
      known<P>("staged_start", "us", 0, 1e6, &P::staged_start),
      known<P>("mvapich2_start", "us", 0, 1e6, &P::mvapich2_start),
      known<P>("mvapich2_rate", "MB/s", 1e-3, 1e9, &P::mvapich2_rate),
      known<P>("mvapich2_block", "B", 1, 1e12, &P::mvapich2_block),
      known<P>("mvapich2_gdr", "us", 0, 1e6, &P::mvapich2_gdr),
  });
  return parameters;
}

}  // namespace

base::DescriptionKind peach2_kind() { return {"peach2", rules_of(peach2_parameters())}; }

Peach2 load_peach2(std::string_view name_or_file) {
  auto board = read(peach2_parameters(), load_network(name_or_file, "peach2"));
  board.dma_rate = board.rate_of(board.dma_rate, "dma_rate");
  board.gpu_read_rate = board.rate_of(board.gpu_read_rate, "gpu_read_rate");
  board.local_rate = board.rate_of(board.local_rate, "local_rate");
  board.local_gpu_read_rate = board.rate_of(board.local_gpu_read_rate, "local_gpu_read_rate");
  return board;
}

double PcieWire::packet_rate(double bytes) const {
  const double data = std::clamp(bytes, 1.0, payload);
  return link_rate() * data / (data + packet_overhead);
}

double PcieWire::burst_factor(double burst) const {
  const double data = std::max(burst, 1.0);
  const double packets = std::ceil(data / payload);
  return (data + packets * packet_overhead) / data * peak_rate() / link_rate();
}

double PcieWire::data_time(double bytes, double count, double rate) const {
  return count * bytes * burst_factor(bytes) / rate;
}

double PcieWire::rate_of(double measured, std::string_view what) const {
  PcieWire bench = *this;
  bench.eight_lanes = measured_eight_lanes;
  bench.lanes = measured_lanes;
  bench.payload = measured_payload;
  const double wire = bench.peak_rate();
  if (measured > wire) {
    throw Error(fmt::format("{}: {} MB/s is refused: the link that it was measured on carries {:.5g} MB/s", what,
                            measured / kMegabyte, wire / kMegabyte));
  }
  const double here = peak_rate();
  return here == wire ? measured : 1 / (1 / here + (1 / measured - 1 / wire));
}

double Peach2::pio(double bytes, Memory to) const {
  return (to == Memory::gpu ? gpu_latency : pio_latency) + bytes / packet_rate(pio_payload);
}

double Peach2::dma_register(double bytes, Memory from) const {
  return from == Memory::gpu ? gpu_latency + data_time(bytes, 1, gpu_read_rate)
                             : dma_latency + data_time(bytes, 1, dma_rate);
}

double Peach2::dma_chain(double bytes, int count, Memory from) const {
  // The remote write takes as long as by PIO; the rest is the start of the chain as measured within one node.
  return chain_start + pio_latency + data_time(bytes, count, from == Memory::gpu ? gpu_read_rate : dma_rate);
}

double Peach2::local_register(double bytes, Memory from) const {
  return local_register_start() + data_time(bytes, 1, from == Memory::gpu ? local_gpu_read_rate : local_rate);
}

double Peach2::local_chain(double bytes, int count, Memory from) const {
  // Section 4.1.1: for a given total, the number of descriptors matters little, because they are read ahead. Short
  // transfers are bound by their packets.
  return chain_start + data_time(bytes, count, from == Memory::gpu ? local_gpu_read_rate : local_rate);
}

double Peach2::staged(double bytes) const {
  return staged_start + bytes / cuda_rate + dma_register(bytes, Memory::cpu);
}

double Peach2::cuda_peer(double bytes, bool unified) const {
  return (unified ? cuda_uva_start : cuda_start) + bytes / cuda_rate;
}

double Peach2::mvapich2(double bytes) const {
  // The first block takes three copies, one after another. Copies of further blocks overlap, and the slowest copy
  // bounds them.
  const double first = std::min(bytes, mvapich2_block);
  return mvapich2_start + 2 * first / cuda_rate + first / mvapich2_rate +
         (bytes - first) / std::min(cuda_rate, mvapich2_rate);
}

}  // namespace gdr::interconnect
