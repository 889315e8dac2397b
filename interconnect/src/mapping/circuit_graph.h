// Circuits between nodes while they are searched: neighbours, routes and loads.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "gdr/interconnect/circuits.h"

namespace gdr::interconnect {

/// Circuits that change one after the other, and what the routes over them cost.
class CircuitGraph {
 public:
  static constexpr NodeId kNone = std::numeric_limits<NodeId>::max();

  CircuitGraph(const TaskGraph& graph, NodeId nodes, Cable circuit);

  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] double rate() const { return rate_; }  // bytes per second of a direction
  [[nodiscard]] bool joined(NodeId a, NodeId b) const { return joined_[at(a, b)] != 0; }
  /// Nodes at the other ends of a node's circuits, in ascending order.
  [[nodiscard]] const std::vector<NodeId>& neighbours(NodeId node) const { return neighbours_[node]; }
  [[nodiscard]] std::uint32_t degree(NodeId node) const { return static_cast<std::uint32_t>(neighbours_[node].size()); }

  void set(NodeId a, NodeId b, bool to);
  void set_all(const Circuits& circuits);
  [[nodiscard]] Circuits circuits() const;

  /// Finds all routes; false if a node cannot reach another.
  bool route();
  /// First node on the way from `from` to `to`, kNone if there is no way; valid after route().
  [[nodiscard]] NodeId next(NodeId from, NodeId to) const { return next_[at(to, from)]; }

  /// False if a node cannot reach another, or a direction of a circuit takes longer than `most_seconds`: cost() is not
  /// known then.
  bool evaluate(double most_seconds = std::numeric_limits<double>::infinity());
  [[nodiscard]] const CircuitCost& cost() const { return cost_; }  // valid after evaluate() returned true
  /// Sum of the eighth powers of the loads in units of `scale` bytes, which the busiest ones rule; valid as cost().
  [[nodiscard]] double power_sum(double scale) const;

 private:
  [[nodiscard]] std::size_t at(NodeId row, NodeId column) const { return std::size_t{row} * nodes_ + column; }
  bool route_to(NodeId to);

  NodeId nodes_;
  double rate_;                                  // bytes per second of a direction
  std::vector<double> sent_;                     // bytes; shape: [to][from]
  std::vector<char> joined_;                     // shape: [from][to]
  std::vector<std::vector<NodeId>> neighbours_;  // shape: [nodes]
  std::vector<NodeId> next_;                     // shape: [to][from]
  std::vector<double> bytes_;                    // of each direction; shape: [from][to]
  std::vector<NodeId> steps_, queue_;            // of route_to()
  std::vector<double> flow_;                     // of evaluate(); shape: [nodes]
  CircuitCost cost_;
};

}  // namespace gdr::interconnect
