// A sub-cluster whose memories hold real bytes: PEACH2's DMA channels put them from node to node and tell when. What
// the C face tca.h drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/peach2.h"
#include "gdr/interconnect/tca_events.h"

namespace gdr::interconnect {

/// Pinned memory as every node names it: a piece of the window. Plain data, to be passed between nodes.
struct TcaHandle {
  std::uint64_t address = 0;  // in the window
  std::uint64_t bytes = 0;
};

/// One descriptor: `rows` runs of `burst` bytes, `pitch` bytes from one run's beginning to the next's. A gap is
/// pitch - burst. One row is a plain copy.
struct TcaPut {
  TcaHandle destination;
  std::uint64_t destination_offset = 0;  // bytes into the handle
  std::uint64_t destination_pitch = 0;
  TcaHandle source;
  std::uint64_t source_offset = 0;
  std::uint64_t source_pitch = 0;
  std::uint64_t burst = 0;
  std::uint64_t rows = 1;
};

/// Nodes, memories and clocks. Every refusal is a gdr::Error thrown before a byte has moved. Chains run when one of
/// them is waited for: all that have been started by then run at the same time and share the paths.
class TcaMachine {
 public:
  /// 2 nodes (one ring), 4, 8 or 16 (two rings). Throws gdr::Error.
  TcaMachine(const Peach2& board, const HaPacsTca& cluster, int nodes);
  ~TcaMachine();
  TcaMachine(const TcaMachine&) = delete;
  TcaMachine& operator=(const TcaMachine&) = delete;

  [[nodiscard]] const SubCluster& sub_cluster() const;
  [[nodiscard]] const HaPacsTca& cluster() const;
  [[nodiscard]] int channels() const;

  /// Pinned memory of a node, zeroed; it belongs to the machine until release(). Throws gdr::Error if the slot of the
  /// device is full.
  [[nodiscard]] std::span<std::byte> allocate(int node, Device device, std::size_t bytes);
  void release(const std::byte* memory);
  /// Puts refuse memory that is not pinned.
  void pin(const std::byte* memory);
  void unpin(const std::byte* memory);
  /// Throws gdr::Error if `memory` is not pinned memory of the machine.
  [[nodiscard]] TcaHandle handle(const std::byte* memory) const;

  /// Where a channel's descriptors stand; the chip's own memory (the default) holds `own_descriptor_max` of a node's.
  void set_descriptors(int node, int channel, Descriptors where);
  /// Appends a descriptor. Throws gdr::Error for transfers outside their memory, unpinned memory, sources on other
  /// nodes (put only), rows that overlap, too many descriptors.
  void append(int node, int channel, const TcaPut& put);
  void clear(int node, int channel);
  [[nodiscard]] std::size_t descriptors(int node, int channel) const;

  /// Starts a channel's chain; it may be started again after it has finished. Throws gdr::Error if it is empty or still
  /// running, if its transfers overlap, or if memory has been released or unpinned; LinkDown with the route.
  void start(int node, int channel);
  /// Seconds from start to completion; the node's clock moves on to the completion. Throws gdr::Error if not started.
  double wait(int node, int channel);
  /// The node's clock moves on to the arrival of all that has been started towards it. Returns the clock.
  double wait_receive(int node);

  /// Register mode: a few transfers without descriptors, run at once. Returns seconds.
  double put_by_registers(int node, std::span<const TcaPut> puts);
  /// Stores of the CPU into remote memory. Returns seconds.
  double write(int node, const TcaHandle& destination, std::uint64_t offset, std::span<const std::byte> data);
  /// Remote memory into own memory: a request by PIO, an interrupt there, a put back. Returns seconds.
  double read_by_proxy(int node, const TcaPut& put);

  [[nodiscard]] double now(int node) const;
  void drop_link(int a, int b);

  /// Throws as start() does for puts that nobody starts.
  void check(int node, std::span<const TcaPut> puts) const;
  /// The same puts as the event model takes them.
  [[nodiscard]] TimedChain timed(int node, std::span<const TcaPut> puts, Descriptors where, double start) const;
  [[nodiscard]] PathModel path() const;
  /// The bytes of a range of the window. Throws gdr::Error unless it lies in one piece of pinned memory.
  [[nodiscard]] std::byte* at(const TcaHandle& handle, std::uint64_t offset, std::uint64_t bytes,
                              std::string_view argument) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr::interconnect
