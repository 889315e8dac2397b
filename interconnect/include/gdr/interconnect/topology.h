// Platforms: nodes, directed links, and an explicit route for every pair of nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gdr::interconnect {

using NodeId = std::uint32_t;
using LinkId = std::uint32_t;

/// One direction of a cable, a wavelength or a switch port.
struct Link {
  std::string name;
  double bytes_per_second = 0;
  double latency_seconds = 0;
};

/// What every link of a generated platform is made of.
struct Cable {
  double bytes_per_second = 0;
  double latency_seconds = 0;
};

class Topology {
 public:
  /// Appends the links from `from` to `to`, two different nodes, in the order in which a message passes them.
  using RouteFunction = std::function<void(NodeId from, NodeId to, std::vector<LinkId>& route)>;

  /// Throws gdr::Error if there are no nodes, or a link's bandwidth is not positive or its latency negative.
  Topology(std::string name, NodeId nodes, std::vector<Link> links, RouteFunction route);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  /// Empty for a node and itself. Throws gdr::Error if a node does not exist.
  [[nodiscard]] std::vector<LinkId> route(NodeId from, NodeId to) const;
  /// As route(), into memory that the caller keeps.
  void route_into(NodeId from, NodeId to, std::vector<LinkId>& route) const;

 private:
  std::string name_;
  NodeId nodes_;
  std::vector<Link> links_;
  RouteFunction route_;
};

/// Optical hub: a link for each ordered pair of nodes, a wavelength each (Urino 2020, section 2.1). Link of (from, to)
/// is from * (nodes - 1) + (to < from ? to : to - 1). `link` is one wavelength.
[[nodiscard]] Topology optical_hub(NodeId nodes, Cable link);

/// The wavelength, 1 ... nodes - 1, on which `from` sends to `to`: the cyclic table of the wavelength router (Urino
/// 2020, figure 1: in a hub of 8, node 7 reaches node 3 by wavelength 4). Throws gdr::Error for nodes outside the hub
/// and for from == to.
[[nodiscard]] NodeId hub_wavelength(NodeId nodes, NodeId from, NodeId to);

/// Two-dimensional hub: a hub for every row and one for every column of a rows x columns grid, node = row * columns +
/// column (Urino 2020, section 5.2). Between different rows and columns a message goes along the row first.
[[nodiscard]] Topology optical_hub_2d(NodeId rows, NodeId columns, Cable link);

/// A network of vertices and directed edges. Vertices 0 ... nodes - 1 are nodes, the following ones switches. Edge i is
/// link i of the topology; of several from one vertex to another, the first is used.
struct Graph {
  struct Edge {
    NodeId from = 0;
    NodeId to = 0;
  };
  std::string name;
  NodeId nodes = 0;
  NodeId vertices = 0;
  std::vector<Edge> edges;
  std::vector<Link> links;  // shape: [edges]
  /// The vertices that a message passes, its end included, for pairs of nodes whose route is no matter of choice.
  std::map<std::pair<NodeId, NodeId>, std::vector<NodeId>> routes;
};

/// Routes of as few links as possible, found by Floyd's algorithm [Floyd 1962]: intermediate vertices in ascending
/// order, and a path replaced by a shorter one alone. Where several are as short, this order decides; SimGrid's Floyd
/// zone decides alike. Takes time and memory as vertices^3 and vertices^2. Throws gdr::Error if there are more than
/// kMostGraphVertices vertices, an edge or a route leads nowhere, or a node cannot reach another.
[[nodiscard]] Topology shortest_paths(Graph graph);
inline constexpr NodeId kMostGraphVertices = 2048;

/// Which way round a ring when both are as far.
enum class TieRule {
  plus,    // towards larger coordinates
  minus,   // towards smaller ones
  split,   // plus from even coordinates, minus from odd ones
  direct,  // the way that does not pass the link which closes the ring
};

/// True if the way from `from` to `to` round a ring of `size` leads towards larger coordinates.
[[nodiscard]] bool goes_plus(NodeId size, NodeId from, NodeId to, TieRule tie);

/// Torus of any number of dimensions; node = x + X (y + Y (z + ...)). Routes take the shorter way round in each
/// dimension, dimensions in the order of `axes` (all of them, each once; empty: 0, 1, 2, ...). Links: two out of each
/// node and dimension: link = (node * dimensions + axis) * 2 + (0: plus, 1: minus). Dimensions of one node are allowed;
/// in those of two, both ways lead to the same node. Throws gdr::Error.
[[nodiscard]] Topology torus(std::vector<NodeId> dimensions, Cable link, TieRule tie = TieRule::direct,
                             std::vector<unsigned> axes = {});

/// The same links with the routes of shortest_paths().
[[nodiscard]] Topology torus_by_shortest_paths(std::vector<NodeId> dimensions, Cable link);

/// As torus() without the links that close the rings; their numbers stay unused and name links that no route takes.
[[nodiscard]] Topology mesh(std::vector<NodeId> dimensions, Cable link, std::vector<unsigned> axes = {});

/// Which cable a message takes from its leaf switch up to the spines and from there down to another leaf.
enum class FatTreeRouting {
  shortest,     // shortest_paths(), the cables of a leaf to a spine as one link of their bandwidth
  destination,  // cable = destination mod cables (D-mod-k)
  source,       // cable = source mod cables
};

/// Two layers of switches: `leaves` x `nodes_per_leaf` nodes; from each leaf `cables` cables to each of `spines`
/// spines.
struct FatTree {
  NodeId leaves = 0;
  NodeId nodes_per_leaf = 0;
  NodeId spines = 0;
  NodeId cables = 0;
  Cable link;  // a node's cable, and each cable between switches
  FatTreeRouting routing = FatTreeRouting::shortest;
};
[[nodiscard]] Topology fat_tree(const FatTree& tree);

/// Groups of routers, each with nodes; the routers of a group are fully connected, and one global link leads from each
/// group to each other one. Group g's link to group h is at its router (h - g - 1 mod groups) mod routers. Minimal
/// routes [Kim et al. 2008]: to the router with the link, over it, and to the node's router.
struct Dragonfly {
  NodeId groups = 0;
  NodeId routers = 0;  // of a group
  NodeId nodes_per_router = 0;
  Cable node;    // between a node and its router
  Cable local;   // between routers of a group
  Cable global;  // between groups
};
[[nodiscard]] Topology dragonfly(const Dragonfly& network);

/// The same links for ranks that run elsewhere: node r of the result is node_of_rank[r] of `topology`. Throws
/// gdr::Error if a node does not exist or has two ranks.
[[nodiscard]] Topology placed(const Topology& topology, std::vector<NodeId> node_of_rank);

/// One switch with all nodes: a cable up and one down for each node. Link = 2 * node up, 2 * node + 1 down.
[[nodiscard]] Topology infiniband_flat(NodeId nodes, Cable link);

}  // namespace gdr::interconnect
