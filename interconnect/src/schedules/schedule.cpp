#include "gdr/interconnect/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"

namespace gdr::interconnect {
namespace {

/// A send, or the receive of one, of a rank; `to` and the message are the same at both ends.
struct MessageEnd {
  Rank to = 0;
  std::uint64_t piece = 0;
  std::uint64_t bytes = 0;
  int direction = 0;  // 1: a send, -1: a receive
  Rank rank = 0;      // where it is
  std::size_t step = 0;

  [[nodiscard]] auto key() const { return std::tuple(to, piece, bytes); }
};

void check_peer(const Schedule& schedule, Rank rank, std::size_t step, const Message& message) {
  if (message.peer < schedule.ranks.size() && message.peer != rank) return;
  throw Error(fmt::format("schedule {}: rank {} step {}: peer {} is refused: it must be another rank below {}",
                          schedule.name, rank, step, message.peer, schedule.ranks.size()));
}

}  // namespace

void add_message(Schedule& schedule, std::size_t step, Rank from, Rank to, std::uint64_t bytes, std::uint64_t piece) {
  GDR_ASSERT(from < schedule.ranks.size() && to < schedule.ranks.size(),
             "a message runs between ranks of its schedule");
  for (const Rank rank : {from, to}) {
    if (schedule.ranks[rank].size() <= step) schedule.ranks[rank].resize(step + 1);
  }
  constexpr Rank kRanksAPause = 256;
  if (to % kRanksAPause == 0) base::pause();
  schedule.ranks[from][step].sends.push_back({to, bytes, piece});
  schedule.ranks[to][step].receives.push_back({from, bytes, piece});
}

void check(const Schedule& schedule) {
  std::vector<std::vector<MessageEnd>> of_sender(schedule.ranks.size());
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
      base::pause();
      const Step& step = schedule.ranks[rank][i];
      if (!(step.flops >= 0)) {
        throw Error(fmt::format("schedule {}: rank {} step {}: flops {} are refused: they must be at least 0",
                                schedule.name, rank, i, step.flops));
      }
      const auto add = [&](Rank from, Rank to, const Message& message, int direction) {
        check_peer(schedule, rank, i, message);
        of_sender[from].push_back({to, message.piece, message.bytes, direction, rank, i});
      };
      for (const Message& message : step.sends) add(rank, message.peer, message, 1);
      for (const Message& message : step.receives) add(message.peer, rank, message, -1);
    }
  }
  for (Rank from = 0; from < of_sender.size(); ++from) {
    base::pause();
    std::vector<MessageEnd>& ends = of_sender[from];
    std::ranges::stable_sort(ends, {}, &MessageEnd::key);
    for (auto first = ends.begin(); first != ends.end();) {
      std::int64_t balance = 0;
      auto end = first;
      for (; end != ends.end() && end->key() == first->key(); ++end) balance += end->direction;
      if (balance != 0) {
        const MessageEnd& last = *std::prev(end);
        throw Error(
            fmt::format("schedule {}: rank {} step {}: a {} of {} bytes of piece {} from rank {} to rank {} has no {}",
                        schedule.name, last.rank, last.step, balance > 0 ? "send" : "receive", last.bytes, last.piece,
                        from, last.to, balance > 0 ? "receive" : "send"));
      }
      first = end;
    }
    ends = {};
  }
}

Traffic traffic(const Schedule& schedule) {
  Traffic sum;
  for (const auto& steps : schedule.ranks) {
    for (const Step& step : steps) {
      sum.messages += step.sends.size();
      for (const Message& message : step.sends) sum.bytes += message.bytes;
      sum.flops += step.flops;
    }
  }
  return sum;
}

}  // namespace gdr::interconnect
