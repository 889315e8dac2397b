// Circuits for a program: which pairs of nodes a switch of circuits joins if each node has few ports. What has no
// circuit of its own is relayed by other nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Pairs of nodes with a circuit, the smaller number first; each carries both ways. Task t runs on node t: a switch of
/// circuits joins all nodes alike, so another placement is the same as other circuits.
struct Circuits {
  NodeId nodes = 0;
  std::vector<std::pair<NodeId, NodeId>> pairs;
};

/// Routes of fewest circuits; of equally short ones, the one over the relay with the smallest number nearest to the
/// sender. Links are named FROM>TO; link 2 i and 2 i + 1 are the two directions of circuit i. Throws gdr::Error if a
/// node is out of range or joined with itself, a pair occurs twice, or a node cannot be reached.
[[nodiscard]] Topology circuit_network(const Circuits& circuits, Cable circuit);

struct CircuitCost {
  double busiest_seconds = 0;  // longest time of a direction of a circuit for its bytes
  double hop_bytes = 0;        // circuits passed x bytes
  auto operator<=>(const CircuitCost&) const = default;
};
/// Seconds and bytes of all traffic over the routes of circuit_network(). Throws as it does, and if the graph has more
/// tasks than there are nodes.
[[nodiscard]] CircuitCost circuit_cost(const TaskGraph& graph, const Circuits& circuits, Cable circuit);

/// No circuits with this many ports take less: what a node sends or receives passes its ports.
[[nodiscard]] double circuit_bound_seconds(const TaskGraph& graph, std::uint32_t ports, Cable circuit);

struct CircuitOptions {
  std::uint32_t ports = 2;  // circuits of a node, at most
  double effort = 1;        // length of the search, as a multiple of the usual length
  std::uint64_t seed = 1;
};
/// The circuits with the least CircuitCost that a search finds. It begins with the pairs that exchange most, a ring and
/// regular rings with chords, and goes on by simulated annealing: circuits appear, disappear, move an end or exchange
/// ends, nodes exchange their places, relays move. `progress` gets the share that is done; if it returns false, the
/// search ends with the best so far. Deterministic. Throws gdr::Error for fewer than 2 or more than 256 tasks, fewer
/// than 2 ports with more than 2 tasks, which cannot reach each other, and an effort that is not from 0 to 10^6.
[[nodiscard]] Circuits find_circuits(const TaskGraph& graph, Cable circuit, const CircuitOptions& options,
                                     const std::function<bool(double done)>& progress = {});

/// The circuits with the least CircuitCost of all: all sets of circuits are tried, pair after pair, but for those that
/// a bound shows to be no better than the best so far. Milliseconds to seconds for 8 tasks, longer by a factor of 2 to
/// 10 for each further one. `progress` as in find_circuits(). Throws gdr::Error as find_circuits(), and for more than
/// 16 tasks.
[[nodiscard]] Circuits best_circuits(const TaskGraph& graph, Cable circuit, std::uint32_t ports,
                                     const std::function<bool(double done)>& progress = {});

/// A torus of columns x rows nodes; with `twist`, the cables that close a column end that many nodes further on, as in
/// [Camara et al. 2010]. Throws gdr::Error if a side is below 2.
[[nodiscard]] Circuits torus_circuits(NodeId columns, NodeId rows, NodeId twist);

/// The share of the bytes that no node relays; 1 if there are none.
[[nodiscard]] double direct_share(const TaskGraph& graph, const Circuits& circuits);

/// A way to join the nodes, with the placement of the tasks that is found for it.
struct JoinedNodes {
  std::string name;
  Topology topology;
  NetworkMapping mapping;
};
/// What the same ports give without circuits for the program: the optical hub with their bandwidth shared out over
/// wavelengths to all others, and a ring, or tori of the two sides that are closest to each other, plain and twisted.
[[nodiscard]] std::vector<JoinedNodes> other_ways_to_join(const TaskGraph& graph, std::uint32_t ports, Cable circuit);

/// The names of the tables beside a description FILE.toml of kind "table": FILE.links.csv, FILE.routes.csv.
[[nodiscard]] std::vector<std::string> table_files(const std::string& file);
/// Writes circuits as such a description with its tables, for all commands that take a network. `node` is what all
/// ports of a node have. Throws gdr::Error if a file cannot be written, and as refuse_other_tables().
void write_circuits(const Topology& topology, const std::string& file, Cable node);

}  // namespace gdr::interconnect
