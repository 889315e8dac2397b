// Memory, chains and clock of a rank.
#include "tca_rank.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>

#include "../put_checks.h"

namespace gdr::interconnect {
namespace {

constexpr std::size_t kOwnNotices = 65536;  // of a node's own puts that nobody waits for; the oldest are forgotten

Memory memory_of(int kind) { return kind == tcaMemoryGPU ? Memory::gpu : Memory::cpu; }

TcaPut as_put(const RankPut& put) {
  return {{0, put.to.bytes}, put.to_offset,  put.to_pitch, {0, put.from.bytes},
          put.from_offset,   put.from_pitch, put.width,    put.rows};
}

}  // namespace

void TcaRank::require_joined(const tcaHandle& handle, const char* argument) const {
  if (sub_cluster_of(handle.node) == sub_cluster_of(rank_)) return;
  throw TcaRefusal(TCA_ERROR_UNREACHABLE,
                   fmt::format("{} on node {} is refused: it lies in sub-cluster {}, node {} in sub-cluster {}",
                               argument, handle.node, sub_cluster_of(handle.node), rank_, sub_cluster_of(rank_)));
}

// Chains.

void TcaRank::require_channel(int channel) const {
  if (channel < 0 || channel >= TCA_CHANNELS) {
    throw invalid(fmt::format("channel {} is refused: a chip has channels 0 to {}", channel, TCA_CHANNELS - 1));
  }
}

void TcaRank::check(const RankPut& put) const {
  constexpr int kFlags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify | tcaDMANotifySelf | tcaDMAPipeline;
  memory_.require(put.to, "to");
  memory_.require(put.from, "from");
  if (put.from.node != rank_) {
    throw invalid(fmt::format("from on node {} is refused: node {} puts from its own memory", put.from.node, rank_));
  }
  require_joined(put.to, "to");
  const TcaPut rows = as_put(put);
  check_rows(rows);
  check_range(rows.destination, put.to_offset, extent(put.to_pitch, rows), "to");
  check_range(rows.source, put.from_offset, extent(put.from_pitch, rows), "from");
  if ((put.flags & ~kFlags) != 0) {
    throw invalid(fmt::format("flags {:#x} are refused: the flags are {:#x}", put.flags, kFlags));
  }
  if (put.slot < 0 || put.slot >= TCA_SLOTS) {
    throw invalid(fmt::format("slot {} is refused: slots are 0 to {}", put.slot, TCA_SLOTS - 1));
  }
}

TcaRank::Chain TcaRank::ready(std::span<const RankPut> puts) {
  Chain chain;
  chain.set = true;
  TimedChain timed{place_of(rank_), 0, 0, {}};
  const PathModel path = times_.path();
  bool own = true;
  for (const RankPut& put : puts) {
    check(put);
    chain.puts.push_back({put, memory_.place(put.to, "to"), memory_.place(put.from, "from"), 0});
    own = own && (put.flags & tcaDMAUseInternal) != 0;
    timed.puts.push_back(times_.put(place_of(put.to.node), static_cast<double>(put.width),
                                    static_cast<double>(put.rows), memory_of(put.from.kind)));
    chain.busy += timed.puts.back().bytes / std::min(timed.puts.back().rate, path.rate);
  }
  if (puts.empty()) return chain;
  chain.setup = times_.chain_setup(own ? Descriptors::own : Descriptors::host);
  chain.own_descriptors = own ? puts.size() : 0;
  const TimedResult result = run_chains(sub_cluster_, path, {timed}).front();
  for (std::size_t p = 0; p < puts.size(); ++p) chain.puts[p].arrival = result.puts[p];
  return chain;
}

void TcaRank::set_chain(int channel, std::span<const RankPut> puts) {
  require_channel(channel);
  Chain chain = ready(puts);
  std::size_t all = chain.own_descriptors;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    if (c != static_cast<std::size_t>(channel)) all += chains_[c].own_descriptors;
  }
  if (chain.own_descriptors > 0 && all > static_cast<std::size_t>(times_.own_descriptor_max())) {
    throw TcaRefusal(TCA_ERROR_OUT_OF_MEMORY,
                     fmt::format("{} descriptors on node {} are refused: the chip holds {} of all channels; without "
                                 "tcaDMAUseInternal they are in the host's memory",
                                 all, rank_, times_.own_descriptor_max()));
  }
  chains_[static_cast<std::size_t>(channel)] = std::move(chain);
}

void TcaRank::start(int channel) {
  require_channel(channel);
  const Chain& chain = chains_[static_cast<std::size_t>(channel)];
  if (!chain.set) {
    throw invalid(
        fmt::format("channel {} of node {} is refused: it has no chain, tcaDescSet() gives it one", channel, rank_));
  }
  run(chain, channel);
}

void TcaRank::start_by_registers(int channel, std::span<const RankPut> puts) {
  require_channel(channel);
  if (puts.empty() || puts.size() > static_cast<std::size_t>(times_.register_transfers())) {
    throw invalid(fmt::format("{} transfers by registers are refused: it must be 1 to {}", puts.size(),
                              times_.register_transfers()));
  }
  std::vector<RankPut> without_descriptors(puts.begin(), puts.end());
  for (RankPut& put : without_descriptors) put.flags &= ~tcaDMAUseInternal;
  Chain chain = ready(without_descriptors);
  chain.setup = times_.register_setup(memory_of(puts.front().from.kind));
  run(chain, channel);
}

void TcaRank::run(const Chain& chain, int channel) {
  for (const ReadyPut& put : chain.puts) {
    for (const auto& [place, handle] : {std::pair(&put.to, &put.put.to), std::pair(&put.from, &put.put.from)}) {
      if (RankMemory::is_alive(*place)) continue;
      throw invalid(
          fmt::format("channel {} of node {} is refused: memory of node {} is freed", channel, rank_, handle->node));
    }
  }
  require_room(chain);
  if (chain.puts.empty()) return;
  // The chain's first byte leaves when those of an earlier chain have left.
  const double begins = std::max(now_ + chain.setup, port_free_);
  double finished = begins;
  for (const ReadyPut& p : chain.puts) {
    std::byte* to = p.to.data + p.put.to_offset;
    const std::byte* from = p.from.data + p.put.from_offset;
    for (std::uint64_t row = 0; row < p.put.rows; ++row) {
      std::memmove(to + row * p.put.to_pitch, from + row * p.put.from_pitch, p.put.width);
    }
    const double arrival = begins + p.arrival;
    finished = std::max(finished, arrival);
    const bool to_itself = p.put.to.node == rank_;
    if ((p.put.flags & tcaDMANotify) != 0) notify(p.put.to.node, p.put, arrival);
    if ((p.put.flags & tcaDMANotifySelf) != 0 && !(to_itself && (p.put.flags & tcaDMANotify) != 0)) {
      notify(rank_, p.put, arrival);
    }
  }
  port_free_ = begins + chain.busy;
  done_[static_cast<std::size_t>(channel)] = finished;
}

void TcaRank::require_room(const Chain& chain) {
  std::map<std::pair<int, int>, std::uint64_t> needed;
  for (const ReadyPut& p : chain.puts) {
    if ((p.put.flags & tcaDMANotify) != 0 && p.put.to.node != rank_) ++needed[{p.put.to.node, p.put.slot}];
  }
  for (const auto& need : needed) {
    const int node = need.first.first;
    const int slot = need.first.second;
    const std::uint64_t count = need.second;
    if (count > Mailbox::kRoom) {
      throw invalid(fmt::format("{} notifications of one chain in slot {} of node {} are refused: it holds {}", count,
                                slot, node, Mailbox::kRoom));
    }
    const Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(node)];
    await([&] { return mailbox.room(rank_, slot) >= count; },
          fmt::format("slot {} of node {} holds {} notifications of node {} that nobody waited for", slot, node,
                      Mailbox::kRoom - mailbox.room(rank_, slot), rank_));
  }
}

void TcaRank::notify(int node, const RankPut& put, double arrival) {
  if (node != rank_) {
    mailboxes_[static_cast<std::size_t>(node)].post(rank_, put.slot, {arrival, put.tag});
    return;
  }
  std::deque<Notice>& own = queue(rank_, put.slot);
  own.push_back({arrival, put.tag});
  if (own.size() > kOwnNotices) own.pop_front();
}

void TcaRank::wait_own(int channel) {
  require_channel(channel);
  now_ = std::max(now_, done_[static_cast<std::size_t>(channel)]);
}

void TcaRank::wait_received(const tcaHandle& sender, int slot, int tag) {
  memory_.require(sender, "sender");
  require_joined(sender, "sender");
  if (slot < 0 || slot >= TCA_SLOTS) {
    throw invalid(fmt::format("slot {} is refused: slots are 0 to {}", slot, TCA_SLOTS - 1));
  }
  std::deque<Notice>& waiting = queue(sender.node, slot);
  auto found = waiting.end();
  await(
      [&] {
        collect(sender.node, slot);
        found = std::ranges::find(waiting, tag, &Notice::tag);
        if (found == waiting.end() && sender.node == rank_) {
          throw invalid(
              fmt::format("slot {} of node {} is refused: it holds none of its own notifications with tag {:#x}, and "
                          "none can come; tcaDMANotifySelf sends them",
                          slot, rank_, tag));
        }
        return found != waiting.end();
      },
      fmt::format("node {} waits for a notification of node {} with tag {:#x} in slot {}", rank_, sender.node, tag,
                  slot));
  now_ = std::max(now_, found->arrival);
  waiting.erase(found);
}

std::deque<Notice>& TcaRank::queue(int sender, int slot) {
  return notices_[static_cast<std::size_t>(sender) * (Mailbox::kStores + 1) + static_cast<std::size_t>(slot)];
}

void TcaRank::collect(int sender, int slot) {
  while (const std::optional<Notice> notice = mailboxes_[static_cast<std::size_t>(rank_)].take(sender, slot)) {
    queue(sender, slot).push_back(*notice);
  }
}

template <class Condition>
void TcaRank::await(Condition is_there, const std::string& what) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPatience = 1024;  // turns after which something is done for the others
  const Clock::time_point began = Clock::now();
  for (int turn = 1; !is_there(); ++turn) {
    if (turn % 16 == 0) {
      int gone = 0;
      PMPI_Finalized(&gone);
      // Lets MPI go on with the program's own messages.
      int flag = 0;
      if (gone == 0) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    if (turn % kPatience == 0) {
      // Others may wait for room here.
      for (int sender = 0; sender < size_; ++sender) {
        for (int slot = 0; slot < TCA_SLOTS; ++slot) collect(sender, slot);
      }
      if (timeout_ > 0 && std::chrono::duration<double>(Clock::now() - began).count() > timeout_) {
        throw TcaRefusal(TCA_ERROR_TIMEOUT, fmt::format("{}, {} s long", what, timeout_));
      }
    }
    sched_yield();
  }
}

// Stores by the CPU.

double TcaRank::hop_delay(int from, int to) const {
  return std::max(sub_cluster_.hops(place_of(from), place_of(to)) - 1, 0) * times_.path().hop;
}

void TcaRank::check_store(const tcaHandle& region, std::uint64_t offset, std::uint64_t bytes) const {
  memory_.require(region, "region");
  require_joined(region, "region");
  check_range({0, region.bytes}, offset, bytes, "region");
}

void TcaRank::store(const tcaHandle& region, std::uint64_t offset, std::span<const std::byte> data) {
  check_store(region, offset, data.size());
  const RankMemory::Place to = memory_.place(region, "region");
  if (!data.empty()) std::memmove(to.data + offset, data.data(), data.size());
  std::atomic_thread_fence(std::memory_order_release);
  now_ += times_.pio(static_cast<double>(data.size()), memory_of(region.kind));
  const double arrival = now_ + hop_delay(rank_, region.node);
  mailboxes_[static_cast<std::size_t>(region.node)].post(rank_, Mailbox::kStores, {arrival, 0});
}

void TcaRank::wait_store(const tcaHandle& sender) {
  memory_.require(sender, "sender");
  require_joined(sender, "sender");
  std::optional<Notice> notice;
  await(
      [&] {
        notice = mailboxes_[static_cast<std::size_t>(rank_)].take(sender.node, Mailbox::kStores);
        if (!notice && sender.node == rank_) throw invalid(fmt::format("node {} has stored nothing at itself", rank_));
        return notice.has_value();
      },
      fmt::format("node {} waits for a store of node {}", rank_, sender.node));
  now_ = std::max(now_, notice->arrival);
}

// The clock.

void TcaRank::spend(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) {
    throw invalid(fmt::format("{} s are refused: it must be 0 or more", seconds));
  }
  now_ += seconds;
}

int TcaRank::meet(MPI_Comm communicator) {
  double latest = now_;
  const int status = PMPI_Allreduce(&now_, &latest, 1, MPI_DOUBLE, MPI_MAX, communicator);
  if (status == MPI_SUCCESS) now_ = std::max(now_, latest);
  return status;
}

void TcaRank::reset() {
  PMPI_Barrier(MPI_COMM_WORLD);
  chains_ = {};
  done_ = {};
  for (int sender = 0; sender < size_; ++sender) {
    for (int slot = 0; slot <= Mailbox::kStores; ++slot) collect(sender, slot);
  }
  for (std::deque<Notice>& waiting : notices_) waiting.clear();
  PMPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace gdr::interconnect
