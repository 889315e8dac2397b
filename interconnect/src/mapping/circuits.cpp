#include "gdr/interconnect/circuits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "circuit_graph.h"
#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

void require_pairs(const Circuits& circuits) {
  std::set<std::pair<NodeId, NodeId>> known;
  for (const auto& [a, b] : circuits.pairs) {
    if (a >= circuits.nodes || b >= circuits.nodes || a == b) {
      throw Error(fmt::format("circuit {}-{} is refused: it must join two of {} nodes", a, b, circuits.nodes));
    }
    if (!known.insert(std::minmax(a, b)).second) throw Error(fmt::format("circuit {}-{} is there twice", a, b));
  }
}

}  // namespace

Topology circuit_network(const Circuits& circuits, Cable circuit) {
  require_pairs(circuits);
  const TaskGraph nothing(circuits.nodes, {});
  CircuitGraph routed(nothing, circuits.nodes, circuit);
  routed.set_all(circuits);
  if (!routed.route()) throw Error("the circuits are refused: some nodes cannot reach each other");
  std::vector<Link> links;
  std::vector<LinkId> link_of(std::size_t{circuits.nodes} * circuits.nodes);
  for (const auto& [a, b] : circuits.pairs) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      link_of[std::size_t{from} * circuits.nodes + to] = static_cast<LinkId>(links.size());
      links.push_back({fmt::format("{}>{}", from, to), circuit.bytes_per_second, circuit.latency_seconds});
    }
  }
  std::vector<NodeId> next(link_of.size());
  for (NodeId from = 0; from < circuits.nodes; ++from) {
    for (NodeId to = 0; to < circuits.nodes; ++to) {
      if (from != to) next[std::size_t{from} * circuits.nodes + to] = routed.next(from, to);
    }
  }
  const NodeId nodes = circuits.nodes;
  return {fmt::format("{} circuits between {} nodes", circuits.pairs.size(), nodes), nodes, std::move(links),
          [nodes, link_of = std::move(link_of), next = std::move(next)](NodeId from, NodeId to,
                                                                        std::vector<LinkId>& route) {
            while (from != to) {
              const NodeId after = next[std::size_t{from} * nodes + to];
              route.push_back(link_of[std::size_t{from} * nodes + after]);
              from = after;
            }
          }};
}

CircuitCost circuit_cost(const TaskGraph& graph, const Circuits& circuits, Cable circuit) {
  require_pairs(circuits);
  if (graph.tasks() > circuits.nodes) {
    throw Error(fmt::format("{} tasks are refused: there are {} nodes", graph.tasks(), circuits.nodes));
  }
  CircuitGraph routed(graph, circuits.nodes, circuit);
  routed.set_all(circuits);
  if (!routed.evaluate()) throw Error("the circuits are refused: some nodes cannot reach each other");
  return routed.cost();
}

double circuit_bound_seconds(const TaskGraph& graph, std::uint32_t ports, Cable circuit) {
  std::vector<double> sent(graph.tasks());
  std::vector<double> received(graph.tasks());
  for (const auto& [from, to, bytes] : graph.transfers()) {
    sent[from] += static_cast<double>(bytes);
    received[to] += static_cast<double>(bytes);
  }
  const std::uint32_t used = std::min(ports, std::max(1U, graph.tasks() - 1));
  return std::max(std::ranges::max(sent), std::ranges::max(received)) / (used * circuit.bytes_per_second);
}

Circuits torus_circuits(NodeId columns, NodeId rows, NodeId twist) {
  if (columns < 2 || rows < 2) {
    throw Error(fmt::format("a torus of {} x {} is refused: both sides must be at least 2", columns, rows));
  }
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (NodeId row = 0; row < rows; ++row) {
    for (NodeId column = 0; column < columns; ++column) {
      const NodeId node = row * columns + column;
      pairs.insert(std::minmax(node, row * columns + (column + 1) % columns));
      const NodeId shifted = row + 1 < rows ? column : (column + twist) % columns;
      const NodeId below = (row + 1) % rows * columns + shifted;
      if (below != node) pairs.insert(std::minmax(node, below));
    }
  }
  return {columns * rows, {pairs.begin(), pairs.end()}};
}

}  // namespace gdr::interconnect
