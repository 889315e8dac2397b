#include "gdr/interconnect/schedule.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// Number of sends minus number of receives with the same piece and size between two ranks, and where the last one is.
struct Balance {
  std::int64_t sends = 0;
  Rank rank = 0;
  std::size_t step = 0;
};
using Balances = std::map<std::tuple<Rank, Rank, std::uint64_t, std::uint64_t>, Balance>;

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
  schedule.ranks[from][step].sends.push_back({to, bytes, piece});
  schedule.ranks[to][step].receives.push_back({from, bytes, piece});
}

void check(const Schedule& schedule) {
  Balances balances;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
      const Step& step = schedule.ranks[rank][i];
      if (!(step.flops >= 0)) {
        throw Error(fmt::format("schedule {}: rank {} step {}: flops {} are refused: they must be at least 0",
                                schedule.name, rank, i, step.flops));
      }
      const auto count = [&](Rank from, Rank to, const Message& message, int direction) {
        check_peer(schedule, rank, i, message);
        Balance& balance = balances[{from, to, message.piece, message.bytes}];
        balance = {balance.sends + direction, rank, i};
      };
      for (const Message& message : step.sends) count(rank, message.peer, message, 1);
      for (const Message& message : step.receives) count(message.peer, rank, message, -1);
    }
  }
  for (const auto& [key, balance] : balances) {
    if (balance.sends == 0) continue;
    const auto& [from, to, piece, bytes] = key;
    throw Error(
        fmt::format("schedule {}: rank {} step {}: a {} of {} bytes of piece {} from rank {} to rank {} has no {}",
                    schedule.name, balance.rank, balance.step, balance.sends > 0 ? "send" : "receive", bytes, piece,
                    from, to, balance.sends > 0 ? "receive" : "send"));
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
