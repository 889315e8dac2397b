#include "gdr/cluster/summa_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/hpl_model.h"

namespace gdr::cluster {
namespace {

using interconnect::Message;
using interconnect::Step;
using interconnect::SummaPlan;

NodeSeconds seconds_of_product(const Cluster& cluster, const DgemmModel& board, std::uint64_t order,
                               const SummaClusterOptions& options) {
  const auto block = static_cast<double>(order);
  return HplNode(cluster.host, &board, options.transfer, ProductRule::faster).product(block, block, block);
}

/// Walks through the ranks' steps in an order in which every message is sent before it is received.
class Walk {
 public:
  Walk(const Cluster& cluster, const DgemmModel& board, const SummaPlan& plan, const SummaClusterOptions& options)
      : plan_(plan),
        options_(options),
        product_(seconds_of_product(cluster, board, plan.block, options)),
        graph_(cluster, static_cast<Rank>(plan.schedule.ranks.size()), plan.schedule.name),
        places_(graph_.ranks()),
        products_(graph_.ranks()) {}

  RankGraph run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
        while (advance(rank)) moved = true;
      }
    }
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      if (places_[rank].step < steps_of(rank).size()) {
        throw Error(fmt::format("schedule {}: deadlock: rank {} waits forever in step {}", plan_.schedule.name, rank,
                                places_[rank].step));
      }
      graph_.receive(rank, products_[rank]);
    }
    return std::move(graph_);
  }

 private:
  using Key = std::tuple<Rank, Rank, std::uint64_t>;  // from, to, piece

  /// Where a rank is in its schedule.
  struct Place {
    std::size_t step = 0;
    bool sent = false;  // the messages of the step have left
  };

  static bool carries_products(const Message& message) {
    return interconnect::unpack(message.piece).matrix == interconnect::Matrix::c;
  }
  [[nodiscard]] const std::vector<Step>& steps_of(Rank rank) const { return plan_.schedule.ranks[rank]; }

  /// Makes the first or second half of a rank's step. False if the rank must wait or is done.
  bool advance(Rank rank) {
    Place& place = places_[rank];
    if (place.step == steps_of(rank).size()) return false;
    const Step& step = steps_of(rank)[place.step];
    if (!place.sent) {
      // Sums of products are sent only when the products are done.
      if (std::ranges::any_of(step.sends, carries_products)) {
        graph_.receive(rank, products_[rank]);
        products_[rank].clear();
      }
      for (const Message& message : step.sends) {
        const auto bytes = static_cast<double>(message.bytes);
        under_way_[{rank, message.peer, message.piece}].push_back(graph_.send(rank, message.peer, bytes));
      }
      place.sent = true;
      return true;
    }
    for (const Message& message : step.receives) {
      if (under_way_[{message.peer, rank, message.piece}].empty()) return false;
    }
    std::vector<ActivityId> arrivals;
    for (const Message& message : step.receives) {
      std::deque<ActivityId>& queue = under_way_[{message.peer, rank, message.piece}];
      arrivals.push_back(queue.front());
      queue.pop_front();
    }
    graph_.receive(rank, arrivals);
    multiply(rank, place.step);
    ++place.step;
    place.sent = false;
    return true;
  }

  void multiply(Rank rank, std::size_t step) {
    if (step >= plan_.products[rank].size()) return;
    const double seconds = product_.total() * static_cast<double>(plan_.products[rank][step].size());
    if (seconds == 0) return;
    if (product_.board == 0) {
      graph_.host(rank, seconds);
    } else if (options_.overlap) {
      // A board computes one product after another, so waiting for the last one is enough.
      products_[rank] = {graph_.board_beside(rank, seconds, graph_.front(rank))};
    } else {
      graph_.board(rank, seconds);
    }
  }

  const SummaPlan& plan_;
  const SummaClusterOptions& options_;
  NodeSeconds product_;  // of one product, by the host or by the board
  RankGraph graph_;
  std::vector<Place> places_;
  std::vector<std::vector<ActivityId>> products_;  // of each rank: the last one that runs while messages travel
  std::map<Key, std::deque<ActivityId>> under_way_;
};

void require_messages(const SummaPlan& plan) {
  constexpr std::uint64_t kMost = 20'000'000;
  const std::uint64_t messages = traffic(plan.schedule).messages;
  if (messages <= kMost) return;
  throw Error(fmt::format("{} messages of {} are refused: {} can be looked at: take fewer nodes", messages,
                          plan.schedule.name, kMost));
}

/// Refuses matrices of order n for which a node has no room, with the largest n that fits. A rank needs `words` words,
/// whose number grows as n^2, for the order `padded_n`.
void require_memory(const Cluster& cluster, Rank ranks, std::uint64_t n, double padded_n, double words) {
  const double room = cluster.host.memory / cluster.ranks_per_node / kDoubleBytes;
  if (words <= room) return;
  throw Error(fmt::format("n = {} is refused: {}, {} on a node of {:g} GB: matrices of n = {:.0f} at most fit", n,
                          base::counted(ranks, "rank"), cluster.ranks_per_node, cluster.host.memory / 1e9,
                          std::floor(padded_n * std::sqrt(room / words))));
}

void require_memory(const Cluster& cluster, const SummaPlan& plan) {
  const auto n = static_cast<double>(plan.padded_n);
  const double words =
      interconnect::summa_memory_words(plan.options.algorithm, plan.options.layout, plan.options.nodes, n);
  require_memory(cluster, plan.options.nodes, plan.options.n, n, words);
}

}  // namespace

RankGraph summa_graph(const Cluster& cluster, const DgemmModel& board, const SummaPlan& plan,
                      const SummaClusterOptions& options) {
  require_memory(cluster, plan);
  require_messages(plan);
  return Walk(cluster, board, plan, options).run();
}

SummaClusterTimes summa_times(const Cluster& cluster, const interconnect::Topology& topology, const DgemmModel& board,
                              const SummaPlan& plan, const SummaClusterOptions& options) {
  const RankGraph graph = summa_graph(cluster, board, plan, options);
  const interconnect::ActivityTimes path = run_critical_path(graph.graph(), topology, {options.factors});
  SummaClusterTimes times;
  times.seconds = path.seconds;
  times.parts = part_seconds(path);
  double products = 0;
  for (const auto& of_rank : plan.products) {
    for (const auto& of_step : of_rank) products += static_cast<double>(of_step.size());
  }
  times.products = products * seconds_of_product(cluster, board, plan.block, options).total() / graph.ranks();
  times.bytes = static_cast<double>(graph.bytes());
  return times;
}

SummaClusterTimes summa_times_of_one_rank(const Cluster& cluster, const DgemmModel& board, std::uint64_t n,
                                          const SummaClusterOptions& options) {
  if (n == 0) throw Error("n = 0 is refused: it must be at least 1");
  constexpr double kMatrices = 3;
  const auto order = static_cast<double>(n);
  require_memory(cluster, 1, n, order, kMatrices * order * order);
  const NodeSeconds product = seconds_of_product(cluster, board, n, options);
  SummaClusterTimes times;
  times.seconds = times.products = product.total();
  times.parts[static_cast<std::size_t>(Part::board)] = product.board;
  times.parts[static_cast<std::size_t>(Part::host)] = product.host;
  return times;
}

}  // namespace gdr::cluster
