#include "run_mpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// A tag for each different message between two ranks: its index among them, sorted by piece and bytes. Both ranks
/// compute the same tag from their own half of the schedule.
class Tags {
 public:
  void add(const Message& message) { of_peer_[message.peer].emplace_back(message.piece, message.bytes); }

  /// To be called after the last add() and before the first of().
  void number(const Schedule& schedule, Rank rank) {
    constexpr std::size_t kMostTags = 32768;  // MPI 4.0, section 9.1.2: MPI_TAG_UB is at least 32767
    for (auto& [peer, messages] : of_peer_) {
      std::ranges::sort(messages);
      const auto [first, last] = std::ranges::unique(messages);
      messages.erase(first, last);
      if (messages.size() <= kMostTags) continue;
      throw Error(
          fmt::format("schedule {}: {} different messages between ranks {} and {} are refused: MPI has tags for "
                      "{}",
                      schedule.name, messages.size(), rank, peer, kMostTags));
    }
  }

  [[nodiscard]] int of(const Message& message) const {
    const auto& messages = of_peer_.at(message.peer);
    return static_cast<int>(std::ranges::lower_bound(messages, std::pair(message.piece, message.bytes)) -
                            messages.begin());
  }

 private:
  std::map<Rank, std::vector<std::pair<std::uint64_t, std::uint64_t>>> of_peer_;  // piece, bytes
};

int count_of(const Schedule& schedule, const Message& message) {
  constexpr int kMost = std::numeric_limits<int>::max();
  if (message.bytes <= kMost) return static_cast<int>(message.bytes);
  throw Error(fmt::format("schedule {}: a message of {} bytes is refused: MPI counts to {}", schedule.name,
                          message.bytes, kMost));
}

Rank own_rank(const Schedule& schedule, MPI_Comm communicator) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  if (static_cast<std::size_t>(size) == schedule.ranks.size()) return static_cast<Rank>(rank);
  throw Error(fmt::format("schedule {}: {} processes are refused: it has {} ranks", schedule.name, size,
                          schedule.ranks.size()));
}

}  // namespace

void run_mpi(const Schedule& schedule, MPI_Comm communicator, Payload& payload) {
  const Rank rank = own_rank(schedule, communicator);
  const std::vector<Step>& steps = schedule.ranks[rank];
  Tags sent;
  Tags received;
  for (const Step& step : steps) {
    for (const Message& message : step.sends) sent.add(message);
    for (const Message& message : step.receives) received.add(message);
  }
  sent.number(schedule, rank);
  received.number(schedule, rank);

  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    requests.clear();
    for (const Message& message : steps[i].receives) {
      MPI_Irecv(payload.place_for(message), count_of(schedule, message), MPI_BYTE, static_cast<int>(message.peer),
                received.of(message), communicator, &requests.emplace_back());
    }
    for (const Message& message : steps[i].sends) {
      MPI_Isend(payload.outgoing(message), count_of(schedule, message), MPI_BYTE, static_cast<int>(message.peer),
                sent.of(message), communicator, &requests.emplace_back());
    }
    // MPI_Waitall() of SMPI looks through all open requests whenever one of them is done.
    for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
    payload.finish_step(i);
  }
}

}  // namespace gdr::interconnect
