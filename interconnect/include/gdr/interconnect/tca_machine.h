// An emulated sub-cluster whose memories hold real bytes. PEACH2's DMA channels move them from node to node, and a
// model gives the times. The C interface tca.h calls this class.
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

/// A piece of pinned memory by its place in the window, which is the same for every node. Plain data, to be passed
/// between nodes.
struct TcaHandle {
  std::uint64_t address = 0;  // in the window
  std::uint64_t bytes = 0;
};

/// One descriptor: `rows` runs of `burst` bytes; a pitch is the distance in bytes from one run's beginning to the
/// next's. The gap between runs is pitch - burst. One row is a plain copy.
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

/// Nodes with their memories and clocks. A call that is refused throws gdr::Error before any byte moves. Chains run
/// when one of them is waited for: all chains that have been started by then run at the same time and share the paths.
class TcaMachine {
 public:
  /// `nodes` is 2 (one ring), 4, 8 or 16 (two rings). Throws gdr::Error for other numbers.
  TcaMachine(const Peach2& board, const HaPacsTca& cluster, int nodes);
  ~TcaMachine();
  TcaMachine(const TcaMachine&) = delete;
  TcaMachine& operator=(const TcaMachine&) = delete;

  [[nodiscard]] const SubCluster& sub_cluster() const;
  [[nodiscard]] const HaPacsTca& cluster() const;
  [[nodiscard]] int channels() const;

  /// Pinned, zeroed memory on a device of a node; it belongs to the machine until release(). Throws gdr::Error if the
  /// device's slot in the window is full.
  [[nodiscard]] std::span<std::byte> allocate(int node, Device device, std::size_t bytes);
  void release(const std::byte* memory);
  /// Puts refuse memory that is not pinned. pin(), unpin() and release() throw gdr::Error unless allocate() returned
  /// `memory`.
  void pin(const std::byte* memory);
  void unpin(const std::byte* memory);
  /// Throws gdr::Error if `memory` is not pinned memory of the machine.
  [[nodiscard]] TcaHandle handle(const std::byte* memory) const;

  /// Chooses where a channel's descriptors lie. The chip's own memory (the default) holds `own_descriptor_max`
  /// descriptors of a node; throws gdr::Error if there would be more.
  void set_descriptors(int node, int channel, Descriptors where);
  /// Appends a descriptor. Throws gdr::Error for transfers outside their memory, unpinned memory, sources on other
  /// nodes (a node can only put), rows that overlap, and too many descriptors.
  void append(int node, int channel, const TcaPut& put);
  void clear(int node, int channel);
  [[nodiscard]] std::size_t descriptors(int node, int channel) const;

  /// Starts a channel's chain; it may be started again after it has finished. Throws gdr::Error if the chain is empty
  /// or still running, if its transfers overlap, or if memory has been released or unpinned; throws LinkDown with the
  /// route if a link on it is down.
  void start(int node, int channel);
  /// Waits for a channel's chain and returns the seconds from its start to its completion. The node's clock advances to
  /// the completion. Throws gdr::Error if the chain was not started.
  double wait(int node, int channel);
  /// Waits for all puts to this node that have been started; the node's clock advances to their arrival. Returns the
  /// clock, s.
  double wait_receive(int node);

  /// Register mode: runs a few transfers without descriptors, immediately. Returns seconds.
  double put_by_registers(int node, std::span<const TcaPut> puts);
  /// Stores by the CPU into remote memory. Returns seconds.
  double write(int node, const TcaHandle& destination, std::uint64_t offset, std::span<const std::byte> data);
  /// Copies remote memory into own memory: a request by PIO, an interrupt at the remote node, and a put back. Returns
  /// seconds.
  double read_by_proxy(int node, const TcaPut& put);

  [[nodiscard]] double now(int node) const;
  void drop_link(int a, int b);

  /// Checks puts without starting them; throws as start() does.
  void check(int node, std::span<const TcaPut> puts) const;
  /// The puts in the form that the event model takes.
  [[nodiscard]] TimedChain timed(int node, std::span<const TcaPut> puts, Descriptors where, double start) const;
  [[nodiscard]] PathModel path() const;
  /// Memory behind a range of the window. Throws gdr::Error, naming `argument`, unless the range lies in one piece of
  /// pinned memory.
  [[nodiscard]] std::byte* at(const TcaHandle& handle, std::uint64_t offset, std::uint64_t bytes,
                              std::string_view argument) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr::interconnect
