// All circuits, tried pair after pair with bounds: a branch and bound whose result is the least of all.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "circuit_graph.h"
#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

constexpr NodeId kMostExactNodes = 16;

/// Decides pair after pair whether it has a circuit, those of the nodes with most traffic first. What is decided bounds
/// from below what all circuits that agree with it cost. Sets of nodes are bit masks.
class CircuitTrial {
 public:
  CircuitTrial(const TaskGraph& graph, Cable circuit, std::uint32_t ports, const Circuits& first,
               const std::function<bool(double)>& progress)
      : nodes_(graph.tasks()),
        ports_(std::min(ports, graph.tasks() - 1)),
        progress_(progress),
        now_(graph, nodes_, circuit),
        sent_(std::size_t{nodes_} * nodes_),
        order_(nodes_),
        joined_(nodes_),
        open_(nodes_),
        partners_(nodes_),
        best_(first) {
    for (const auto& [from, to, bytes] : graph.transfers()) {
      sent_[at(from, to)] = static_cast<double>(bytes);
      largest_transfer_ = std::max(largest_transfer_, static_cast<double>(bytes));
    }
    std::vector<double> traffic(nodes_);
    for (NodeId a = 0; a < nodes_; ++a) {
      open_[a] = all() & ~bit(a);
      for (NodeId b = 0; b < nodes_; ++b) {
        traffic[a] += between(a, b);
        if (between(a, b) > 0) partners_[a].push_back(b);
      }
      std::ranges::stable_sort(partners_[a], [&](NodeId b, NodeId c) { return between(a, b) > between(a, c); });
    }
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, [&](NodeId a, NodeId b) { return traffic[a] > traffic[b]; });
    now_.set_all(first);
    GDR_ASSERT(now_.evaluate(), "the first circuits join all nodes");
    best_cost_ = now_.cost();
    now_.set_all({nodes_, {}});
  }

  Circuits run() {
    if (!is_beaten()) go_on(0, 1, 1);
    return best_;
  }

 private:
  using Set = std::uint32_t;

  [[nodiscard]] static Set bit(NodeId node) { return Set{1} << node; }
  [[nodiscard]] Set all() const { return (Set{1} << nodes_) - 1; }
  [[nodiscard]] std::size_t at(NodeId row, NodeId column) const { return std::size_t{row} * nodes_ + column; }
  [[nodiscard]] double between(NodeId a, NodeId b) const { return sent_[at(a, b)] + sent_[at(b, a)]; }
  [[nodiscard]] double most_bytes() const { return best_cost_.busiest_seconds * now_.rate(); }
  [[nodiscard]] std::uint32_t degree(NodeId node) const {
    return static_cast<std::uint32_t>(std::popcount(joined_[node]));
  }
  /// Circuits that a node can have at most.
  [[nodiscard]] std::uint32_t most_circuits(NodeId node) const {
    return std::min(ports_, degree(node) + static_cast<std::uint32_t>(std::popcount(open_[node])));
  }

  /// Decides the pair of the nodes number `first` and `second` of the order, and all after it. `share`: of the sets.
  void go_on(NodeId first, NodeId second, double share) {
    if (ended_) return;
    if (second == nodes_) return first + 2 >= nodes_ ? finish(share) : go_on(first + 1, first + 2, share);
    const NodeId a = order_[first];
    const NodeId b = order_[second];
    const bool is_possible = degree(a) < ports_ && degree(b) < ports_;
    const double half = is_possible ? share / 2 : share;
    open_[a] &= ~bit(b);
    open_[b] &= ~bit(a);
    if (is_possible) {
      joined_[a] |= bit(b);
      joined_[b] |= bit(a);
      if (is_beaten()) {
        tell(half);
      } else {
        go_on(first, second + 1, half);
      }
      joined_[a] &= ~bit(b);
      joined_[b] &= ~bit(a);
    }
    if (is_possible && is_beaten()) {
      tell(half);
    } else {
      go_on(first, second + 1, half);
    }
    open_[a] |= bit(b);
    open_[b] |= bit(a);
  }

  /// All pairs are decided.
  void finish(double share) {
    Circuits circuits{nodes_, {}};
    for (NodeId a = 0; a < nodes_; ++a) {
      for (NodeId b = a + 1; b < nodes_; ++b) {
        if ((joined_[a] & bit(b)) != 0) circuits.pairs.emplace_back(a, b);
      }
    }
    now_.set_all(circuits);
    if (now_.evaluate(best_cost_.busiest_seconds) && now_.cost() < best_cost_) {
      best_cost_ = now_.cost();
      best_ = std::move(circuits);
    }
    tell(share);
  }

  void tell(double share) {
    constexpr std::uint64_t kPollEvery = 4096;
    done_ += share;
    if (++told_ % kPollEvery == 0 && progress_ && !progress_(done_)) ended_ = true;
  }

  /// True if no circuits that agree with what is decided beat the best ones.
  [[nodiscard]] bool is_beaten() {
    for (NodeId node = 0; node < nodes_; ++node) {
      if (is_cut_beaten(node)) return true;
    }
    return are_hops_beaten();
  }

  /// What leaves a set of nodes passes the circuits that leave it. The sets grow from `node` along circuits, by the
  /// node that leaves most bytes for a circuit.
  [[nodiscard]] bool is_cut_beaten(NodeId node) const {
    Set set = 0;
    double out = 0;
    double in = 0;
    int leave = 0;
    const double most = most_bytes();
    for (Set reach = bit(node); set != all();) {
      double best_ratio = -1;
      NodeId best = 0;
      double best_out = 0;
      double best_in = 0;
      int best_leave = 0;
      for (Set rest = reach; rest != 0; rest &= rest - 1) {
        const auto next = static_cast<NodeId>(std::countr_zero(rest));
        double next_out = out;
        double next_in = in;
        for (const NodeId other : partners_[next]) {
          const bool is_inside = (set & bit(other)) != 0;
          next_out += is_inside ? -sent_[at(other, next)] : sent_[at(next, other)];
          next_in += is_inside ? -sent_[at(next, other)] : sent_[at(other, next)];
        }
        const int next_leave = leave + static_cast<int>(most_circuits(next)) - 2 * std::popcount(joined_[next] & set);
        const double ratio = std::max(next_out, next_in) / std::max(next_leave, 1);
        if (ratio <= best_ratio) continue;
        best_ratio = ratio;
        best = next;
        best_out = next_out;
        best_in = next_in;
        best_leave = next_leave;
      }
      set |= bit(best);
      if (set == all()) return false;
      out = best_out;
      in = best_in;
      leave = best_leave;
      if (leave <= 0 || std::max(out, in) > most * leave) return true;
      reach = (reach | joined_[best]) & ~set;
      if (reach == 0) return false;
    }
    return false;
  }

  /// Bytes x circuits cannot be fewer than if each node had its largest partners as near as circuits and ports allow.
  [[nodiscard]] bool are_hops_beaten() const {
    double twice_hops = 0;
    std::uint32_t ends = 0;
    Set free = 0;
    for (NodeId node = 0; node < nodes_; ++node) {
      if (degree(node) < ports_ && open_[node] != 0) free |= bit(node);
      ends += most_circuits(node);
    }
    for (NodeId node = 0; node < nodes_; ++node) twice_hops += hops_of(node, free);
    const double average = twice_hops / 2 / ends;  // each end of a circuit is a direction of one
    if (average > most_bytes()) return true;
    // If no circuit can be less busy than the busiest one now, only fewer hops are better.
    return std::max(average, largest_transfer_) >= most_bytes() && twice_hops / 2 >= best_cost_.hop_bytes;
  }

  /// At most ports x (ports - 1)^(d - 1) nodes are d steps away, and no node is nearer than over all circuits that can
  /// still be.
  [[nodiscard]] double hops_of(NodeId node, Set free) const {
    double hops = 0;
    Set reached = bit(node);
    Set level = bit(node);
    Set waiting = 0;
    for (const NodeId other : partners_[node]) waiting |= bit(other);
    std::size_t room = most_circuits(node);
    for (double steps = 1; waiting != 0; ++steps) {
      Set next = 0;
      for (Set rest = level; rest != 0; rest &= rest - 1) {
        const auto from = static_cast<NodeId>(std::countr_zero(rest));
        next |= joined_[from];
        if ((free & bit(from)) != 0) next |= open_[from] & free;
      }
      level = next & ~reached;
      reached |= level;
      std::size_t used = 0;
      if (steps == 1) {
        const Set fixed = joined_[node];
        used = degree(node);
        for (Set rest = fixed & waiting; rest != 0; rest &= rest - 1) {
          hops += between(node, static_cast<NodeId>(std::countr_zero(rest)));
        }
        waiting &= ~fixed;
      }
      for (const NodeId other : partners_[node]) {
        if (used >= room) break;
        if ((waiting & reached & bit(other)) == 0) continue;
        hops += steps * between(node, other);
        waiting &= ~bit(other);
        ++used;
      }
      if (level == 0 && (waiting & ~reached) != 0) return std::numeric_limits<double>::infinity();  // not joined
      room *= ports_ - 1;
    }
    return hops;
  }

  NodeId nodes_;
  std::uint32_t ports_;
  const std::function<bool(double)>& progress_;
  CircuitGraph now_;
  std::vector<double> sent_;  // bytes; shape: [from][to]
  std::vector<NodeId> order_;
  std::vector<Set> joined_;                    // nodes with a circuit to each; shape: [nodes]
  std::vector<Set> open_;                      // nodes to which it is not decided; shape: [nodes]
  std::vector<std::vector<NodeId>> partners_;  // of each node, most bytes first; shape: [nodes]
  Circuits best_;
  CircuitCost best_cost_;
  double largest_transfer_ = 0;  // bytes; it passes some circuit
  double done_ = 0;
  std::uint64_t told_ = 0;
  bool ended_ = false;
};

}  // namespace

Circuits best_circuits(const TaskGraph& graph, Cable circuit, std::uint32_t ports,
                       const std::function<bool(double done)>& progress) {
  if (graph.tasks() > kMostExactNodes) {
    throw Error(
        fmt::format("{} tasks are refused: all circuits of at most {} are tried", graph.tasks(), kMostExactNodes));
  }
  const Circuits first = find_circuits(graph, circuit, {.ports = ports});
  return CircuitTrial(graph, circuit, ports, first, progress).run();
}

}  // namespace gdr::interconnect
