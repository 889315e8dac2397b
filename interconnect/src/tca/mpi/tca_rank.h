// One rank of a TCA program: its memory, its chains, its notifications and its emulated clock.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "gdr/interconnect/tca_times.h"
#include "mailbox.h"
#include "rank_memory.h"
#include "tca_api.h"

namespace gdr::interconnect {

/// A put as the program describes it.
struct RankPut {
  tcaHandle to;
  tcaHandle from;
  std::uint64_t to_offset = 0;
  std::uint64_t to_pitch = 0;
  std::uint64_t from_offset = 0;
  std::uint64_t from_pitch = 0;
  std::uint64_t width = 0;
  std::uint64_t rows = 0;
  int flags = 0;
  int slot = 0;
  int tag = 0;
};

/// The clock's rules: a chain leaves the clock alone and fixes the times at which its puts arrive; a wait moves the
/// clock to what is waited for; stores by the CPU move it by the time that they take. Chains of other nodes do not slow
/// a chain, so that times never depend on the host's; TcaMachine models paths that are shared.
class TcaRank {
 public:
  /// All ranks of MPI_COMM_WORLD make theirs together. Throws TcaRefusal on all ranks if one of them cannot.
  [[nodiscard]] static std::unique_ptr<TcaRank> join();

  [[nodiscard]] RankMemory& memory() { return memory_; }

  /// Throws unless a chain may hold the put.
  void check(const RankPut& put) const;
  void set_chain(int channel, std::span<const RankPut> puts);
  void start(int channel);
  void start_by_registers(int channel, std::span<const RankPut> puts);
  void wait_own(int channel);
  void wait_received(const tcaHandle& sender, int slot, int tag);

  void check_store(const tcaHandle& region, std::uint64_t offset, std::uint64_t bytes) const;
  void store(const tcaHandle& region, std::uint64_t offset, std::span<const std::byte> data);
  void wait_store(const tcaHandle& sender);

  [[nodiscard]] double now() const { return now_; }
  void spend(double seconds);
  /// Brings the clocks of a communicator's ranks to the latest of them; it is a barrier. Returns MPI's status.
  [[nodiscard]] int meet(MPI_Comm communicator);
  void reset();

 private:
  struct ReadyPut {
    RankPut put;
    RankMemory::Place to;
    RankMemory::Place from;
    double arrival = 0;  // s after the chain's first byte
  };
  struct Chain {
    std::vector<ReadyPut> puts;
    std::size_t own_descriptors = 0;
    double setup = 0;
    double busy = 0;  // s that its bytes keep the node's port
    bool set = false;
  };

  TcaRank();
  void meet_others();
  [[nodiscard]] int place_of(int node) const { return node % sub_cluster_.nodes(); }
  [[nodiscard]] int sub_cluster_of(int node) const { return node / sub_cluster_.nodes(); }
  void require_channel(int channel) const;
  void require_joined(const tcaHandle& handle, const char* argument) const;
  [[nodiscard]] double hop_delay(int from, int to) const;
  [[nodiscard]] Chain ready(std::span<const RankPut> puts);
  void run(const Chain& chain, int channel);
  void require_room(const Chain& chain);
  void notify(int node, const RankPut& put, double arrival);
  /// Notifications of a node's puts in a slot that nobody has waited for.
  [[nodiscard]] std::deque<Notice>& queue(int sender, int slot);
  /// Takes them from the mailbox.
  void collect(int sender, int slot);
  /// Calls `is_there` until it returns true. Throws after GDR_TCA_TIMEOUT seconds of the host.
  template <class Condition>
  void await(Condition is_there, const std::string& what);

  int rank_ = 0;
  int size_ = 0;
  double timeout_ = 0;  // s of the host; 0: none
  TcaTimes times_;
  SubCluster sub_cluster_;
  int nodes_;  // of the whole machine

  double now_ = 0;  // s, emulated
  double port_free_ = 0;
  std::array<Chain, TCA_CHANNELS> chains_;
  std::array<double, TCA_CHANNELS> done_{};

  RankMemory memory_;
  std::vector<Mailbox> mailboxes_;           // by rank
  std::vector<std::deque<Notice>> notices_;  // [rank][slot], taken from the mailbox
};

}  // namespace gdr::interconnect
