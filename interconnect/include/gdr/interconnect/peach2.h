// PEACH2: a chip that routes packets among four PCIe ports. Cables between chips form rings of nodes, and all chips
// share one window of PCIe addresses. This file models through which port a packet leaves and how long transfers take.
// Times are in seconds, rates in bytes per second.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::interconnect {

/// N leads to the host, E and W to the neighbours in the ring, S to the other ring. Hanawa et al. 2013, section 3.3.
enum class Port { north, east, west, south };
[[nodiscard]] std::string_view name_of(Port port);

/// A PCIe link needs one end of each role.
enum class PortRole { endpoint, root_complex };

/// Devices that have a slot in a node's part of the window. GPUs 2 and 3 lie beyond QPI and have no slot.
enum class Device { host, gpu0, gpu1, chip };
[[nodiscard]] std::string_view name_of(Device device);

/// Node, device and offset of an address in the window that all chips of a sub-cluster share.
struct WindowPlace {
  int node = 0;
  Device device = Device::host;
  std::uint64_t offset = 0;  // bytes from the slot's beginning
};

/// The window is divided into equal aligned parts, one for each node, and each part into one slot for each device. So
/// the high bits of an address give node and device. Hanawa et al. 2013, section 3.4.
class Window {
 public:
  /// Throws gdr::Error unless parts and slots are powers of two and there are at least 4 devices.
  Window(std::uint64_t bytes, int nodes, int devices);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t node_bytes() const { return node_bytes_; }
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
  /// Throws gdr::Error if node, device or offset lie outside.
  [[nodiscard]] std::uint64_t address(const WindowPlace& place) const;
  /// Throws gdr::Error if the address lies outside the window or in a slot without a device.
  [[nodiscard]] WindowPlace place(std::uint64_t address) const;

 private:
  std::uint64_t bytes_;
  int nodes_;
  std::uint64_t node_bytes_;
  std::uint64_t slot_bytes_;
};

/// A packet leaves through `port` if low <= (address & mask) <= high; the first register that matches decides.
struct RoutingRegister {
  std::uint64_t mask = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  Port port = Port::north;
};

/// Thrown when a route leads over a link that is down; the message gives the route.
class LinkDown : public Error {
 public:
  using Error::Error;
};

/// The nodes of one or two rings and the routing registers of their chips. Node = ring x ring_nodes + place in the
/// ring.
class SubCluster {
 public:
  /// `rings` is 1 or 2, `ring_nodes` 2, 4 or 8 (register masks need powers of two). Throws gdr::Error for other values,
  /// and as Window().
  SubCluster(int rings, int ring_nodes, std::uint64_t window_bytes, int devices);

  [[nodiscard]] int nodes() const { return rings_ * ring_nodes_; }
  [[nodiscard]] int rings() const { return rings_; }
  [[nodiscard]] int ring_nodes() const { return ring_nodes_; }
  [[nodiscard]] const Window& window() const { return window_; }

  /// N and E are endpoints (EP), W is a root complex (RC); S is RC in the first ring and EP in the second.
  [[nodiscard]] PortRole role(int node, Port port) const;
  /// The node and port at the other end of a cable. The node is -1 behind N, and behind S if there is a single ring.
  [[nodiscard]] std::pair<int, Port> cable(int node, Port port) const;
  [[nodiscard]] const std::vector<RoutingRegister>& registers(int node) const;
  /// The port through which the chip of `node` sends a packet for `address`. Throws gdr::Error if `address` lies
  /// outside the window.
  [[nodiscard]] Port output(int node, std::uint64_t address) const;

  /// Nodes that a packet passes from source to destination, both included, as the registers route it. Throws LinkDown
  /// if a link on the way is down, and gdr::Error if a node does not exist.
  [[nodiscard]] std::vector<int> route(int from, int to) const;
  [[nodiscard]] int hops(int from, int to) const { return static_cast<int>(route(from, to).size()) - 1; }
  [[nodiscard]] int worst_hops() const;

  /// Takes the cable between two neighbours out of service, in both directions. Throws gdr::Error if no cable joins the
  /// nodes.
  void drop_link(int a, int b);
  /// The same for a text "A-B".
  void drop_link(std::string_view link);
  [[nodiscard]] const std::vector<std::pair<int, int>>& dropped_links() const { return dropped_; }

 private:
  void require_node(int node, std::string_view argument) const;
  [[nodiscard]] bool is_down(int a, int b) const;

  int rings_;
  int ring_nodes_;
  Window window_;
  std::vector<std::vector<RoutingRegister>> registers_;  // by node
  std::vector<std::pair<int, int>> dropped_;
};

/// Where the bytes of a message come from or go to.
enum class Memory { cpu, gpu };

/// A PCIe link and the size of its packets. A measured rate holds only for the link on which it was measured, which the
/// `measured_*` members describe; rate_of() converts it.
struct PcieWire {
  double eight_lanes = 0;      // bytes/s of a link of eight lanes
  double lanes = 0;            // of this link
  double payload = 0;          // most bytes of data in a packet
  double packet_overhead = 0;  // bytes of a packet beside its data
  double measured_eight_lanes = 0;
  double measured_lanes = 0;
  double measured_payload = 0;

  [[nodiscard]] double link_rate() const { return eight_lanes * lanes / 8; }
  /// Rate of data in packets of `bytes` = b bytes of data: link_rate() x b / (b + packet_overhead); b is at most
  /// `payload`.
  [[nodiscard]] double packet_rate(double bytes) const;
  /// The same for full packets: 3.66 GB/s for PCIe Gen2 x8.
  [[nodiscard]] double peak_rate() const { return packet_rate(payload); }
  /// Factor by which data take longer in runs of `burst` bytes than in full packets; 1 for long runs.
  [[nodiscard]] double burst_factor(double burst) const;
  /// Seconds that `count` runs of `bytes` bytes each take at `rate`, the rate of full packets: runs shorter than a
  /// packet, and the rests of longer ones, carry the overhead of a packet of their own. No run is faster than the wire,
  /// because `rate` is not.
  [[nodiscard]] double data_time(double bytes, double count, double rate) const;
  /// Rate on this link of a path that reached `measured` bytes/s on the measured link. The time per byte is the time on
  /// the wire plus a rest that the wire does not change. Throws gdr::Error naming `what` if the measured link carries
  /// less than `measured`.
  [[nodiscard]] double rate_of(double measured, std::string_view what) const;
};

/// The board and its test bench, as in machines/peach2.toml, which also gives the sources. Rates are those on the
/// board's own link.
struct Peach2 : PcieWire {
  int rings = 0;
  int ring_nodes = 0;
  std::uint64_t window_bytes = 0;
  int devices = 0;
  int channels = 0;
  double descriptor_bytes = 0;
  int register_transfers = 0;
  double pio_latency = 0;
  double pio_payload = 0;
  double gpu_latency = 0;
  double dma_latency = 0;
  double dma_rate = 0;
  double gpu_read_rate = 0;
  double local_rate = 0;
  double local_gpu_read_rate = 0;
  double chain_start = 0;
  double hop = 0;
  double collision = 0;
  double interrupt = 0;
  double cuda_uva_start = 0;
  double cuda_start = 0;
  double cuda_rate = 0;
  double staged_start = 0;
  double mvapich2_start = 0;
  double mvapich2_rate = 0;
  double mvapich2_block = 0;
  double mvapich2_gdr = 0;

  /// PIO (stores by the CPU) between neighbouring nodes: least time from user program to user program. Hanawa et al.
  /// 2013, section 4.2.1.
  [[nodiscard]] double pio(double bytes, Memory to) const;
  /// DMA in register mode between neighbours. Reads of GPU memory run at gpu_read_rate.
  [[nodiscard]] double dma_register(double bytes, Memory from) const;
  /// DMA by a chain of `count` descriptors in host memory, `bytes` each, between neighbours.
  [[nodiscard]] double dma_chain(double bytes, int count, Memory from) const;
  /// Start-up time of a register transfer within one node: the time that DMA adds to a write, which itself takes as
  /// long as by PIO.
  [[nodiscard]] double local_register_start() const { return dma_latency - pio_latency; }
  /// DMA within one node, until the driver sees the completion. Section 4.1.
  [[nodiscard]] double local_register(double bytes, Memory from) const;
  [[nodiscard]] double local_chain(double bytes, int count, Memory from) const;
  /// GPU to GPU through the CPU's memory: copy out of the GPU, then DMA to the other GPU. Section 4.3.
  [[nodiscard]] double staged(double bytes) const;
  /// Peer copy between two GPUs of one node, with or without unified addresses.
  [[nodiscard]] double cuda_peer(double bytes, bool unified) const;
  /// GPU to GPU over InfiniBand through both hosts' memories.
  [[nodiscard]] double mvapich2(double bytes) const;

  [[nodiscard]] SubCluster sub_cluster() const { return {rings, ring_nodes, window_bytes, devices}; }
};

/// Loads a description by name or file. Throws gdr::Error as load_network() does.
[[nodiscard]] Peach2 load_peach2(std::string_view name_or_file = "peach2");

}  // namespace gdr::interconnect
