#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "search.h"

namespace gdr::interconnect {

namespace {

constexpr std::uint32_t kBoxesIn = 4;    // one exchange in this many is one of boxes
constexpr unsigned kLinkPollEvery = 64;  // exchanges
// Bytes beyond the bound of a link cost as much as this many hops of theirs: bounds are passed on the way to better
// mappings, but not in the end.
constexpr double kHopsOfExcess = 4;
// The best mapping is looked for each time this many visits per link have been made. A look costs one visit of each
// link.
constexpr double kLookEvery = 4;

double eighth_power(double load) {
  const double square = load * load;
  const double fourth = square * square;
  return fourth * fourth;
}

class LinkSearch {
 public:
  LinkSearch(const TaskGraph& graph, const Grid& grid, const TaskMapping& start, const GridRouting& routing,
             std::uint64_t seed, std::optional<std::uint64_t> bound)
      : grid_(grid),
        routing_(routing),
        neighbours_(graph),
        placement_(graph, grid, start),
        draw_(grid, neighbours_, graph.tasks()),
        dice_(seed),
        tried_(grid.nodes()),
        best_(start),
        tasks_(graph.tasks()) {
    if (bound) bound_ = static_cast<double>(*bound);
    for (const std::uint64_t bytes : link_bytes(graph, start, grid, routing))
      load_.push_back(static_cast<double>(bytes));
    const double directions = 2 * static_cast<double>(graph.transfers().size());
    unit_ = bound_ ? std::max(1.0, 2 * static_cast<double>(graph.total_bytes()) / std::max(1.0, directions))
                   : std::max(1.0, *std::ranges::max_element(load_));
    look();
  }

  /// Simulated annealing. Without a bound, of the mean of the loads in which the largest count most, the eighth root of
  /// the sum of their eighth powers: an exchange that multiplies this mean by 1 + temperature is taken one time in
  /// three. With a bound, of the sum of the loads: an exchange that adds the temperature in units of the mean traffic
  /// of a pair is taken one time in three.
  void run(const SearchBudget& budget) {
    const Annealing& heat = budget.annealing;
    double next_look = 0;
    double temperature = 0;
    for (unsigned tries = 0; visits_ < budget.visits; ++tries) {
      if (tries % kLinkPollEvery == 0) {
        const double done = visits_ / budget.visits;
        if (budget.poll && !budget.poll(done)) break;
        temperature = heat.first_temperature * std::pow(heat.last_temperature / heat.first_temperature, done);
      }
      if (dice_.below(kBoxesIn) == 0) {
        draw_.draw_box(placement_, dice_, exchange_);
      } else if (dice_.below(2) == 0) {
        draw_.draw_pair(placement_, dice_, exchange_);
      } else {
        draw_.draw_any(placement_, dice_, exchange_);
      }
      const double chance = 1 - dice_.uniform();
      try_exchange(bound_ ? -temperature * std::log(chance)
                          : sum_ * (eighth_power(std::pow(chance, -temperature)) - 1));
      if (visits_ >= next_look) {
        look();
        next_look = visits_ + kLookEvery * static_cast<double>(load_.size());
      }
    }
    look();
  }

  [[nodiscard]] const TaskMapping& best() const { return best_; }

 private:
  /// Makes the exchange unless it adds more than `allowed` to the sum.
  void try_exchange(double allowed) {
    visits_ += 1;
    ++trial_;
    for (const std::uint32_t task : exchange_.tasks) tried_[task] = trial_;
    change_ = 0;
    route_traffic(-1);
    old_nodes_.clear();
    for (const std::uint32_t task : exchange_.tasks) old_nodes_.push_back(placement_.node_of(task));
    move_to(exchange_.nodes);
    route_traffic(1);
    if (change_ <= 0 || change_ <= allowed) {
      sum_ += change_;
      if (bound_ && sum_ < least_) look();
      return;
    }
    route_traffic(-1);
    move_to(old_nodes_);
    route_traffic(1);
  }

  void move_to(const std::vector<std::uint32_t>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) placement_.put(exchange_.tasks[i], nodes[i]);
  }

  /// Adds (1) or removes (-1) all traffic of the exchange's tasks.
  void route_traffic(double sign) {
    for (const std::uint32_t task : exchange_.tasks) {
      if (task >= tasks_) continue;
      for (const Neighbour& other : neighbours_.of(task)) {
        if (tried_[other.task] == trial_ && other.task < task) continue;  // counted from the other side
        const std::uint32_t here = placement_.node_of(task);
        const std::uint32_t there = placement_.node_of(other.task);
        if (other.sent > 0) add(here, there, sign * static_cast<double>(other.sent));
        if (other.received > 0) add(there, here, sign * static_cast<double>(other.received));
      }
    }
  }

  void add(std::uint32_t from, std::uint32_t to, double bytes) {
    grid_.for_each_link(from, to, routing_, [&](std::uint32_t link) {
      const double before = load_[link];
      load_[link] = before + bytes;  // exact, because bytes are whole numbers
      change_ += merit(load_[link]) - merit(before);
      visits_ += 1;
    });
  }

  /// What a load adds to the sum.
  [[nodiscard]] double merit(double load) const {
    if (!bound_) return eighth_power(load / unit_);
    return (load + kHopsOfExcess * std::max(0.0, load - *bound_)) / unit_;
  }

  /// Keeps the mapping if it is better than every one before: its busiest link carries less or, with a bound, all links
  /// together do and none more than the bound.
  void look() {
    visits_ += static_cast<double>(load_.size());
    double busiest = 0;
    sum_ = 0;  // anew, because changes add up with rounding errors
    for (const double load : load_) {
      busiest = std::max(busiest, load);
      sum_ += merit(load);
    }
    const double value = bound_ ? sum_ : busiest;
    if (value >= least_ || (bound_ && busiest > *bound_)) return;
    least_ = value;
    best_ = placement_.mapping();
  }

  const Grid& grid_;
  GridRouting routing_;
  Neighbours neighbours_;
  Placement placement_;
  ExchangeDraw draw_;
  Dice dice_;
  Exchange exchange_;
  std::vector<std::uint32_t> old_nodes_;
  std::vector<std::uint64_t> tried_;
  std::uint64_t trial_ = 0;
  std::vector<double> load_;  // by link, in bytes
  std::optional<double> bound_;
  double unit_ = 1;    // bytes of the start's busiest link or, with a bound, of the mean traffic of a pair
  double sum_ = 0;     // of merit()
  double change_ = 0;  // of the sum
  double visits_ = 0;
  double least_ = std::numeric_limits<double>::max();
  TaskMapping best_;
  std::uint32_t tasks_;
};

}  // namespace

TaskMapping search_links(const TaskGraph& graph, const Grid& grid, const TaskMapping& start, const GridRouting& routing,
                         std::uint64_t seed, const SearchBudget& budget, std::optional<std::uint64_t> bound) {
  LinkSearch search(graph, grid, start, routing, seed, bound);
  search.run(budget);
  return search.best();
}

}  // namespace gdr::interconnect
