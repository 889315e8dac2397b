// What transfers of PEACH2 and of what it was compared with take. Hanawa et al. 2013, section 4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gdr/interconnect/network.h"
#include "gdr/interconnect/peach2.h"
#include "units.h"

namespace gdr::interconnect {

Peach2 load_peach2(std::string_view name_or_file) {
  const base::Description file = load_network(name_or_file, "peach2");
  const auto time = [&](std::string_view key) { return file.value(key) * kMicrosecond; };
  const auto rate = [&](std::string_view key) { return file.value(key) * kMegabyte; };
  const auto whole = [&](std::string_view key) { return static_cast<int>(file.value(key)); };
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  Peach2 p;
  p.rings = whole("rings");
  p.ring_nodes = whole("ring_nodes");
  p.window_bytes = static_cast<std::uint64_t>(file.value("window") * kGibibyte);
  p.devices = whole("devices");
  p.link_rate = rate("link_rate");
  p.payload = file.value("payload");
  p.packet_overhead = file.value("packet_overhead");
  p.channels = whole("channels");
  p.descriptor_bytes = file.value("descriptor");
  p.register_transfers = whole("register_transfers");
  p.pio_latency = time("pio_latency");
  p.pio_payload = file.value("pio_payload");
  p.gpu_latency = time("gpu_latency");
  p.dma_latency = time("dma_latency");
  p.dma_rate = rate("dma_rate");
  p.gpu_read_rate = rate("gpu_read_rate");
  p.local_rate = rate("local_rate");
  p.local_gpu_read_rate = rate("local_gpu_read_rate");
  p.chain_start = time("chain_start");
  p.hop = time("hop");
  p.collision = file.value("collision");
  p.interrupt = time("interrupt");
  p.cuda_uva_start = time("cuda_uva_start");
  p.cuda_start = time("cuda_start");
  p.cuda_rate = rate("cuda_rate");
  p.staged_start = time("staged_start");
  p.mvapich2_start = time("mvapich2_start");
  p.mvapich2_rate = rate("mvapich2_rate");
  p.mvapich2_block = file.value("mvapich2_block");
  p.mvapich2_gdr = time("mvapich2_gdr");
  return p;
}

double Peach2::packet_rate(double bytes) const {
  const double data = std::clamp(bytes, 1.0, payload);
  return link_rate * data / (data + packet_overhead);
}

double Peach2::burst_factor(double burst) const {
  const double data = std::max(burst, 1.0);
  const double packets = std::ceil(data / payload);
  return (data + packets * packet_overhead) / data * peak_rate() / link_rate;
}

double Peach2::pio(double bytes, Memory to) const {
  return (to == Memory::gpu ? gpu_latency : pio_latency) + bytes / packet_rate(pio_payload);
}

double Peach2::dma_register(double bytes, Memory from) const {
  return from == Memory::gpu ? gpu_latency + bytes / gpu_read_rate : dma_latency + bytes / dma_rate;
}

double Peach2::dma_chain(double bytes, int count, Memory from) const {
  // The remote write costs what it costs PIO; the rest is the chain's start as measured in one node.
  return chain_start + pio_latency + count * bytes / (from == Memory::gpu ? gpu_read_rate : dma_rate);
}

double Peach2::local_register(double bytes, Memory from) const {
  return local_register_start() + bytes / (from == Memory::gpu ? local_gpu_read_rate : local_rate);
}

double Peach2::local_chain(double bytes, int count, Memory from) const {
  // Section 4.1.1: for one total, the number of descriptors matters little; they are read ahead. Short transfers are
  // bound by their packets.
  return chain_start + count * bytes * burst_factor(bytes) / (from == Memory::gpu ? local_gpu_read_rate : local_rate);
}

double Peach2::staged(double bytes) const {
  return staged_start + bytes / cuda_rate + dma_register(bytes, Memory::cpu);
}

double Peach2::cuda_peer(double bytes, bool unified) const {
  return (unified ? cuda_uva_start : cuda_start) + bytes / cuda_rate;
}

double Peach2::mvapich2(double bytes) const {
  // Three copies of one block after another; further blocks overlap and the slowest copy bounds them.
  const double first = std::min(bytes, mvapich2_block);
  return mvapich2_start + 2 * first / cuda_rate + first / mvapich2_rate +
         (bytes - first) / std::min(cuda_rate, mvapich2_rate);
}

}  // namespace gdr::interconnect
