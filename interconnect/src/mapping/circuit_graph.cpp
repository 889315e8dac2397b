#include "circuit_graph.h"

#include <algorithm>

namespace gdr::interconnect {

CircuitGraph::CircuitGraph(const TaskGraph& graph, NodeId nodes, Cable circuit)
    : nodes_(nodes),
      rate_(circuit.bytes_per_second),
      sent_(std::size_t{nodes} * nodes),
      joined_(sent_.size()),
      neighbours_(nodes),
      next_(sent_.size()),
      bytes_(sent_.size()),
      steps_(nodes),
      flow_(nodes) {
  for (const auto& [from, to, bytes] : graph.transfers()) sent_[at(to, from)] = static_cast<double>(bytes);
}

void CircuitGraph::set(NodeId a, NodeId b, bool to) {
  if (joined(a, b) == to) return;
  joined_[at(a, b)] = joined_[at(b, a)] = static_cast<char>(to);
  for (const auto& [from, other] : {std::pair(a, b), std::pair(b, a)}) {
    std::vector<NodeId>& list = neighbours_[from];
    const auto place = std::ranges::lower_bound(list, other);
    if (to) {
      list.insert(place, other);
    } else {
      list.erase(place);
    }
  }
}

void CircuitGraph::set_all(const Circuits& circuits) {
  std::ranges::fill(joined_, char{0});
  for (std::vector<NodeId>& list : neighbours_) list.clear();
  for (const auto& [a, b] : circuits.pairs) set(a, b, true);
}

Circuits CircuitGraph::circuits() const {
  Circuits found{nodes_, {}};
  for (NodeId a = 0; a < nodes_; ++a) {
    for (const NodeId b : neighbours_[a]) {
      if (a < b) found.pairs.emplace_back(a, b);
    }
  }
  return found;
}

// Breadth first from the end of the routes; nodes take the neighbour with the smallest number that is one step nearer.
bool CircuitGraph::route_to(NodeId to) {
  NodeId* const next = &next_[at(to, 0)];
  std::fill(next, next + nodes_, kNone);
  std::ranges::fill(steps_, kNone);
  steps_[to] = 0;
  queue_.assign(1, to);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const NodeId node = queue_[head];
    for (const NodeId other : neighbours_[node]) {
      if (steps_[other] == kNone) {
        steps_[other] = steps_[node] + 1;
        queue_.push_back(other);
        next[other] = node;
      } else if (steps_[other] == steps_[node] + 1 && node < next[other]) {
        next[other] = node;
      }
    }
  }
  return queue_.size() == nodes_;
}

bool CircuitGraph::route() {
  bool all = true;
  for (NodeId to = 0; to < nodes_; ++to) all = route_to(to) && all;
  return all;
}

bool CircuitGraph::evaluate(double most_seconds) {
  std::ranges::fill(bytes_, 0.0);
  const double most_bytes = most_seconds * rate_;
  double busiest = 0;
  cost_.hop_bytes = 0;
  for (NodeId to = 0; to < nodes_; ++to) {
    if (!route_to(to)) return false;
    // Nodes that are farther hand their bytes on before those that are nearer.
    std::copy_n(&sent_[at(to, 0)], nodes_, flow_.begin());
    for (std::size_t i = queue_.size() - 1; i > 0; --i) {
      const NodeId node = queue_[i];
      if (flow_[node] == 0) continue;
      const NodeId after = next(node, to);
      double& bytes = bytes_[at(node, after)];
      bytes += flow_[node];
      busiest = std::max(busiest, bytes);
      flow_[after] += flow_[node];
      cost_.hop_bytes += flow_[node];
    }
    if (busiest > most_bytes) return false;
  }
  cost_.busiest_seconds = busiest / rate_;
  return true;
}

double CircuitGraph::power_sum(double scale) const {
  double sum = 0;
  for (NodeId node = 0; node < nodes_; ++node) {
    for (const NodeId other : neighbours_[node]) {
      const double square = bytes_[at(node, other)] / scale * (bytes_[at(node, other)] / scale);
      sum += square * square * square * square;
    }
  }
  return sum;
}

}  // namespace gdr::interconnect
