// What a rank's program asks of its communicator, kept as numbers, and the activities that all ranks' numbers are.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gdr/cluster/communicator.h"
#include "gdr/cluster/rank_graph.h"

namespace gdr::tests {

/// Hands calls on to another communicator. A call is its kind, how many numbers follow, and these.
class Recorder final : public cluster::Communicator {
 public:
  static constexpr double kSpend = 0;
  static constexpr double kBegin = 1;  // of messages, which all leave at once
  static constexpr double kEnd = 2;    // they have come

  explicit Recorder(cluster::Communicator& communicator) : communicator_(communicator) {}

  [[nodiscard]] const std::vector<double>& calls() const { return calls_; }

  [[nodiscard]] unsigned rank() const override { return communicator_.rank(); }
  [[nodiscard]] unsigned size() const override { return communicator_.size(); }
  void allgatherv(std::span<const std::byte> own, std::span<const std::size_t> counts,
                  std::span<std::byte> all) override {
    std::vector<double> sent;
    for (unsigned to = 0; to < size(); ++to) {
      if (to != rank()) sent.insert(sent.end(), {double{1} * to, static_cast<double>(own.size())});
    }
    keep(kBegin, sent);
    keep(kEnd, {});
    communicator_.allgatherv(own, counts, all);
  }
  void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    std::vector<double> sent;
    for (const Outgoing& outgoing : sends) {
      if (outgoing.to == rank()) continue;
      sent.insert(sent.end(), {double{1} * outgoing.to, static_cast<double>(outgoing.data.size())});
    }
    keep(kBegin, sent);
    communicator_.begin_exchange(sends, receives);
  }
  void end_exchange() override {
    keep(kEnd, {});
    communicator_.end_exchange();
  }
  void spend(double seconds) override {
    keep(kSpend, {seconds});
    communicator_.spend(seconds);
  }
  void bcast(std::span<std::byte>, unsigned) override { throw std::logic_error("not recorded: bcast"); }
  void barrier() override { throw std::logic_error("not recorded: barrier"); }
  [[noreturn]] void abort(int) override { throw std::logic_error("not recorded: abort"); }

 private:
  void keep(double kind, const std::vector<double>& numbers) {
    calls_.insert(calls_.end(), {kind, static_cast<double>(numbers.size())});
    calls_.insert(calls_.end(), numbers.begin(), numbers.end());
  }

  cluster::Communicator& communicator_;
  std::vector<double> calls_;
};

/// The calls of each rank as activities: what a rank spends is work of its host; of a call all messages leave at once,
/// each with an envelope of so many bytes, and the rank goes on when those to it have come.
inline cluster::RankGraph recorded(const cluster::Cluster& cluster, std::vector<std::span<const double>> calls,
                                   double envelope_bytes) {
  cluster::RankGraph graph(cluster, static_cast<cluster::Rank>(calls.size()), "recorded");
  const auto next = [](std::span<const double>& of) {
    const auto numbers = of.subspan(2, static_cast<std::size_t>(of[1]));
    of = of.subspan(2 + numbers.size());
    return numbers;
  };
  std::vector<std::vector<cluster::ActivityId>> arrivals(calls.size());
  while (!calls.front().empty()) {
    for (cluster::Rank rank = 0; rank < calls.size(); ++rank) {
      while (!calls[rank].empty() && calls[rank].front() == Recorder::kSpend) {
        graph.host(rank, next(calls[rank]).front());
      }
      if (calls[rank].empty()) continue;
      if (calls[rank].front() == Recorder::kEnd) graph.receive(rank, std::exchange(arrivals[rank], {}));
      for (auto sent = next(calls[rank]); !sent.empty(); sent = sent.subspan(2)) {
        const auto to = static_cast<cluster::Rank>(sent[0]);
        arrivals[to].push_back(graph.send(rank, to, sent[1] + envelope_bytes));
      }
    }
  }
  return graph;
}

}  // namespace gdr::tests
