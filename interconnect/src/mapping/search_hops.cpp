#include <cmath>

#include "search.h"

namespace gdr::interconnect {

namespace {

constexpr unsigned kHopPollEvery = 256;  // exchanges

class HopSearch {
 public:
  HopSearch(const TaskGraph& graph, const Grid& grid, const TaskMapping& start, std::uint64_t seed)
      : neighbours_(graph),
        placement_(graph, grid, start),
        draw_(grid, neighbours_, graph.tasks()),
        dice_(seed),
        begin_(grid.nodes() + 1),
        places_(grid.nodes()),
        now_(grid.nodes()),
        next_(grid.nodes()),
        tried_(grid.nodes()) {
    for (std::uint32_t task = 0; task < grid.nodes(); ++task) {
      begin_[task + 1] = begin_[task];
      if (task >= graph.tasks()) continue;
      for (const Neighbour& other : neighbours_.of(task)) {
        edges_.push_back({other.task, static_cast<double>(other.bytes())});
        ++begin_[task + 1];
      }
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::uint32_t extent = grid.extents()[axis];
      distance_[axis].resize(std::size_t{extent} * extent);
      for (std::uint32_t i = 0; i < extent; ++i) {
        for (std::uint32_t j = 0; j < extent; ++j) {
          GridPosition a{};
          GridPosition b{};
          a[axis] = i;
          b[axis] = j;
          distance_[axis][i * extent + j] = grid.hops(a, b);
        }
      }
    }
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
      const GridPosition at = grid.position(node);
      const GridPosition& extents = grid.extents();
      places_[node] = {at, {at[0] * extents[0], at[1] * extents[1], at[2] * extents[2]}};
    }
    for (std::uint32_t task = 0; task < grid.nodes(); ++task) now_[task] = places_[placement_.node_of(task)];
    mean_traffic_ =
        edges_.empty() ? 0 : 2 * static_cast<double>(graph.total_bytes()) / static_cast<double>(edges_.size());
  }

  /// Boxes change places as long as the sum does not grow.
  void settle_boxes(const SearchBudget& budget) {
    const double most = budget.annealing.box_share * budget.visits;
    while (visits_ < most && goes_on(budget)) {
      draw_.draw_box(placement_, dice_, exchange_);
      try_exchange(0);
    }
  }

  void anneal_pairs(const SearchBudget& budget) {
    const double first = visits_;
    double temperature = 0;
    for (unsigned tries = 0; visits_ < budget.visits && goes_on(budget); ++tries) {
      if (tries % kHopPollEvery == 0) {
        const double done = (visits_ - first) / (budget.visits - first);
        const Annealing& heat = budget.annealing;
        temperature =
            mean_traffic_ * heat.first_temperature * std::pow(heat.last_temperature / heat.first_temperature, done);
      }
      draw_.draw_pair(placement_, dice_, exchange_);
      try_exchange(-temperature * std::log(1 - dice_.uniform()));
    }
  }

  /// Change of bytes x hops since the start.
  [[nodiscard]] double change() const { return change_; }
  [[nodiscard]] TaskMapping mapping() const { return placement_.mapping(); }

 private:
  struct Edge {
    std::uint32_t task;
    double bytes;
  };
  /// A node's coordinates, and where the rows of the distance tables for it begin.
  struct Place {
    GridPosition at{};
    GridPosition row{};
  };

  bool goes_on(const SearchBudget& budget) {
    if (++polls_ % kHopPollEvery == 0 && budget.poll && !budget.poll(visits_ / budget.visits)) ended_ = true;
    return !ended_;
  }

  [[nodiscard]] double hops(const Place& from, const Place& to) const {
    return distance_[0][from.row[0] + to.at[0]] + distance_[1][from.row[1] + to.at[1]] +
           distance_[2][from.row[2] + to.at[2]];
  }

  /// Makes the exchange if it adds no more than `allowed`.
  void try_exchange(double allowed) {
    ++visits_;
    ++trial_;
    for (std::size_t i = 0; i < exchange_.tasks.size(); ++i) {
      tried_[exchange_.tasks[i]] = trial_;
      next_[exchange_.tasks[i]] = places_[exchange_.nodes[i]];
    }
    double added = 0;
    for (const std::uint32_t task : exchange_.tasks) {
      const Place& from = now_[task];
      const Place& to = next_[task];
      for (std::size_t i = begin_[task]; i < begin_[task + 1]; ++i) {
        const auto& [other, bytes] = edges_[i];
        // Traffic between two tasks that both move is counted from both sides, by half each time.
        added += tried_[other] == trial_ ? bytes / 2 * (hops(to, next_[other]) - hops(from, now_[other]))
                                         : bytes * (hops(to, now_[other]) - hops(from, now_[other]));
      }
      visits_ += static_cast<double>(begin_[task + 1] - begin_[task]);
    }
    if (added > allowed) return;
    change_ += added;
    for (std::size_t i = 0; i < exchange_.tasks.size(); ++i) {
      placement_.put(exchange_.tasks[i], exchange_.nodes[i]);
      now_[exchange_.tasks[i]] = next_[exchange_.tasks[i]];
    }
  }

  Neighbours neighbours_;
  Placement placement_;
  ExchangeDraw draw_;
  Dice dice_;
  Exchange exchange_;
  std::vector<std::size_t> begin_;  // by task: its first edge, and one more
  std::vector<Edge> edges_;
  std::array<std::vector<double>, 3> distance_;  // shape: [axis][from][to], in hops
  std::vector<Place> places_;                    // by node
  std::vector<Place> now_;                       // by task
  std::vector<Place> next_;                      // by task; valid for tasks with tried_ == trial_
  std::vector<std::uint64_t> tried_;
  std::uint64_t trial_ = 0;
  std::uint64_t polls_ = 0;
  bool ended_ = false;
  double mean_traffic_ = 0;  // of two tasks that exchange data
  double visits_ = 0;
  double change_ = 0;
};

}  // namespace

TaskMapping search_hops(const TaskGraph& graph, const Grid& grid, const TaskMapping& start, std::uint64_t seed,
                        const SearchBudget& budget) {
  HopSearch search(graph, grid, start, seed);
  search.settle_boxes(budget);
  const TaskMapping settled = search.mapping();
  const double settled_change = search.change();
  search.anneal_pairs(budget);
  return search.change() < settled_change ? search.mapping() : settled;
}

}  // namespace gdr::interconnect
