// The search for circuits: simulated annealing from several starts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "circuit_graph.h"
#include "gdr/base/error.h"
#include "placement.h"

namespace gdr::interconnect {
namespace {

constexpr NodeId kMostCircuitNodes = 256;

void require_circuits(const TaskGraph& graph, std::uint32_t ports) {
  if (graph.tasks() < 2 || graph.tasks() > kMostCircuitNodes) {
    throw Error(fmt::format("{} tasks are refused: circuits join 2 to {}", graph.tasks(), kMostCircuitNodes));
  }
  if (ports < 1 || (ports < 2 && graph.tasks() > 2)) {
    throw Error(fmt::format("{} ports are refused: with fewer than 2 the {} nodes cannot reach each other", ports,
                            graph.tasks()));
  }
}

class CircuitSearch {
 public:
  CircuitSearch(const TaskGraph& graph, Cable circuit, const CircuitOptions& options,
                const std::function<bool(double)>& progress)
      : graph_(graph),
        options_(options),
        progress_(progress),
        now_(graph, graph.tasks(), circuit),
        dice_(options.seed),
        total_bytes_(static_cast<double>(graph.total_bytes()) + 1),
        scale_(total_bytes_ / graph.tasks()) {}

  Circuits run() {
    std::vector<Circuits> starts{by_traffic(), ring_with_chords(0)};
    for (NodeId chord = 2; chord <= graph_.tasks() / 2; chord *= 2) starts.push_back(ring_with_chords(chord));
    for (const Circuits& start : starts) {
      now_.set_all(start);
      if (now_.evaluate()) take_if_better();
    }
    constexpr unsigned kRounds = 8;
    for (unsigned round = 0; round < kRounds && !ended_; ++round) {
      const bool fresh = round % 2 == 0;
      const Circuits start = fresh ? starts[round / 2 % starts.size()] : best_;
      anneal(start, fresh ? kHot : kWarm, static_cast<double>(round) / kRounds,
             static_cast<double>(round + 1) / kRounds);
    }
    return best_;
  }

 private:
  // Temperatures in units of the energy.
  static constexpr double kHot = 0.3;
  static constexpr double kWarm = 0.05;
  static constexpr double kCold = 5e-4;

  struct Change {
    NodeId a, b;
    bool to;
  };

  [[nodiscard]] NodeId nodes() const { return graph_.tasks(); }
  [[nodiscard]] bool is_free(NodeId node) const { return now_.degree(node) < options_.ports; }

  void take_if_better() {
    if (has_best_ && !(now_.cost() < best_cost_)) return;
    best_cost_ = now_.cost();
    best_ = now_.circuits();
    has_best_ = true;
  }

  /// The ring of all nodes, and circuits to the node `chord` further on as far as there are ports.
  [[nodiscard]] Circuits ring_with_chords(NodeId chord) {
    now_.set_all({nodes(), {}});
    for (NodeId node = 0; node < nodes(); ++node) {
      const NodeId other = (node + 1) % nodes();
      if (is_free(node) && is_free(other)) now_.set(node, other, true);
    }
    for (NodeId node = 0; chord > 0 && node < nodes(); ++node) {
      const NodeId other = (node + chord) % nodes();
      if (other != node && is_free(node) && is_free(other)) now_.set(node, other, true);
    }
    return now_.circuits();
  }

  /// First a tree that joins all nodes over the pairs that exchange most, then the pairs that exchange most.
  [[nodiscard]] Circuits by_traffic() {
    std::vector<std::pair<double, std::pair<NodeId, NodeId>>> pairs;
    std::vector<double> bytes(std::size_t{nodes()} * nodes());
    for (const auto& [from, to, sent] : graph_.transfers()) {
      const auto [a, b] = std::minmax(from, to);
      bytes[std::size_t{a} * nodes() + b] += static_cast<double>(sent);
    }
    for (NodeId a = 0; a < nodes(); ++a) {
      for (NodeId b = a + 1; b < nodes(); ++b) pairs.push_back({bytes[std::size_t{a} * nodes() + b], {a, b}});
    }
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& pair) { return pair.first; });
    std::vector<NodeId> part(nodes());
    std::iota(part.begin(), part.end(), 0);
    now_.set_all({nodes(), {}});
    for (const bool is_tree : {true, false}) {
      for (const auto& [weight, pair] : pairs) {
        const auto [a, b] = pair;
        if (!is_free(a) || !is_free(b) || now_.joined(a, b)) continue;
        if (is_tree && part[a] == part[b]) continue;
        if (!is_tree && weight == 0) continue;
        now_.set(a, b, true);
        const NodeId old = part[b];
        for (NodeId& of : part) of = of == old ? part[a] : of;
      }
    }
    return now_.circuits();
  }

  [[nodiscard]] NodeId any_node() { return dice_.below(nodes()); }
  [[nodiscard]] NodeId any_neighbour(NodeId node) { return now_.neighbours(node)[dice_.below(now_.degree(node))]; }

  /// A random change that leaves no node with more circuits than ports; empty if the draw allows none.
  void draw(std::vector<Change>& changes) {
    changes.clear();
    const NodeId a = any_node();
    const NodeId c = any_node();
    if (a == c || now_.degree(a) == 0 || now_.degree(c) == 0) return;
    const NodeId b = any_neighbour(a);
    const NodeId d = any_neighbour(c);
    constexpr std::uint32_t kParts = 16;
    const std::uint32_t part = dice_.below(kParts);
    if (part < 1) {  // one circuit fewer
      changes = {{a, b, false}};
    } else if (part < 4) {  // one circuit more, or an end moves to a free port
      if (now_.joined(a, c) || !is_free(c)) return;
      if (is_free(a)) {
        changes = {{a, c, true}};
      } else if (b != c) {
        changes = {{a, b, false}, {a, c, true}};
      }
    } else if (part < 10) {  // two circuits exchange an end
      if (b == c || b == d || a == d || now_.joined(a, c) || now_.joined(b, d)) return;
      changes = {{a, b, false}, {c, d, false}, {a, c, true}, {b, d, true}};
    } else if (part < 13) {  // two nodes exchange all their circuits
      for (const NodeId other : now_.neighbours(a)) {
        if (other != c && !now_.joined(c, other)) changes.push_back({a, other, false});
      }
      for (const NodeId other : now_.neighbours(c)) {
        if (other != a && !now_.joined(a, other)) changes.push_back({c, other, false});
      }
      for (std::size_t i = changes.size(); i-- > 0;) {
        const auto [from, other, unused] = changes[i];
        changes.push_back({from == a ? c : a, other, true});
      }
    } else {  // a relay leaves two neighbours, which are joined, and enters a circuit elsewhere
      const NodeId e = any_neighbour(a);
      if (e == b || c == b || c == e || d == a || now_.joined(b, e)) return;
      if (now_.joined(a, c) || now_.joined(a, d)) return;
      changes = {{a, b, false}, {a, e, false}, {c, d, false}, {b, e, true}, {a, c, true}, {a, d, true}};
    }
  }

  /// About 1 for the busiest circuit, and a little for all others so that the search sees where they go.
  [[nodiscard]] double energy() const {
    constexpr double kEighth = 1.0 / 8;
    constexpr double kPowerShare = 0.5;
    constexpr double kHopShare = 0.02;
    return now_.cost().busiest_seconds * now_.rate() / scale_ +
           kPowerShare * std::pow(now_.power_sum(scale_), kEighth) + kHopShare * now_.cost().hop_bytes / total_bytes_;
  }

  void anneal(const Circuits& start, double first, double from, double to) {
    // Changes for each node, usual effort: about a second for 16 nodes. A change takes a time that grows with the
    // square of the nodes, so that there are fewer with more nodes, and the search's time grows as their number.
    constexpr double kTries = 16000;
    constexpr double kUsualNodes = 16;
    constexpr std::uint64_t kPollEvery = 64;
    const double fewer = std::min(1.0, kUsualNodes * kUsualNodes / (double{1} * nodes() * nodes()));
    const auto most = static_cast<std::uint64_t>(options_.effort * kTries * fewer * nodes() * (to - from));
    now_.set_all(start);
    if (!now_.evaluate() || now_.cost().busiest_seconds == 0) return;
    scale_ = best_cost_.busiest_seconds * now_.rate();
    double now = energy();
    double temperature = 0;
    std::vector<Change> changes;
    for (std::uint64_t trial = 0; trial < most && !ended_; ++trial) {
      if (trial % kPollEvery == 0) {
        const double done = static_cast<double>(trial) / static_cast<double>(most);
        temperature = first * std::pow(kCold / first, done);
        if (progress_ && !progress_(from + (to - from) * done)) ended_ = true;
      }
      draw(changes);
      if (changes.empty()) continue;
      for (const Change& change : changes) now_.set(change.a, change.b, change.to);
      if (now_.evaluate()) {
        const double then = energy();
        if (then - now <= -temperature * std::log(1 - dice_.uniform())) {
          now = then;
          take_if_better();
          continue;
        }
      }
      for (std::size_t i = changes.size(); i-- > 0;) now_.set(changes[i].a, changes[i].b, !changes[i].to);
    }
  }

  const TaskGraph& graph_;
  const CircuitOptions& options_;
  const std::function<bool(double)>& progress_;
  CircuitGraph now_;
  Dice dice_;
  Circuits best_;
  CircuitCost best_cost_;
  bool has_best_ = false;
  bool ended_ = false;
  double total_bytes_;
  double scale_;  // bytes
};

}  // namespace

Circuits find_circuits(const TaskGraph& graph, Cable circuit, const CircuitOptions& options,
                       const std::function<bool(double done)>& progress) {
  require_circuits(graph, options.ports);
  if (!(options.effort >= 0 && options.effort <= 1e6)) {
    throw Error(fmt::format("effort {} is refused: it must be from 0 to 1000000", options.effort));
  }
  return CircuitSearch(graph, circuit, options, progress).run();
}

}  // namespace gdr::interconnect
