// Platforms: nodes, directed links, and an explicit route for every pair of nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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

/// Bandwidth and latency of every link of a generated platform.
struct Cable {
  double bytes_per_second = 0;
  double latency_seconds = 0;
};

/// The links of a topology, which copies of it share. Hubs have tens of millions of equal links, whose names are made
/// when they are asked for.
class LinkTable {
 public:
  /// Each with a name of its own. Not explicit: a topology takes a vector of links, too.
  LinkTable(std::vector<Link> links);
  /// `count` equal links; `name` gives the name of a link below `count`.
  LinkTable(std::size_t count, Cable each, std::function<std::string(LinkId)> name);

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Bandwidth and latency of a link below size().
  [[nodiscard]] const Cable& operator[](std::size_t link) const { return cables_[are_equal_ ? 0 : link]; }
  [[nodiscard]] std::string name(LinkId link) const { return shared_->name(link); }
  /// Links with different bandwidths or latencies; one if all are equal. shape: [1] or [size()]
  [[nodiscard]] std::span<const Cable> different() const { return shared_->cables; }
  [[nodiscard]] std::vector<Link> to_vector() const;

 private:
  struct Shared {
    std::vector<Cable> cables;  // one if all are equal
    std::function<std::string(LinkId)> name;
  };
  std::size_t count_;
  std::shared_ptr<const Shared> shared_;
  const Cable* cables_;
  bool are_equal_;
};

/// A link that a message takes, and the number of the message's ways that it is on.
struct SharedLink {
  LinkId link = 0;
  std::uint32_t ways = 1;
};

/// Most networks have one route for each pair of nodes. In others, a message is divided equally among several ways,
/// which are as many for all pairs; ways of a pair may be the same route.
class Topology {
 public:
  /// Appends the links from `from` to `to`, two different nodes, in the order in which a message passes them.
  using RouteFunction = std::function<void(NodeId from, NodeId to, std::vector<LinkId>& route)>;
  /// The same for way number `way`.
  using WayFunction = std::function<void(NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route)>;

  /// Throws gdr::Error if there are no nodes, or a link's bandwidth is not positive or its latency negative.
  Topology(std::string name, NodeId nodes, LinkTable links, RouteFunction route);
  /// Also throws gdr::Error unless `ways` is from 1 to kMostWays.
  Topology(std::string name, NodeId nodes, LinkTable links, std::uint32_t ways, WayFunction way);
  static constexpr std::uint32_t kMostWays = 256;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] const LinkTable& links() const { return links_; }
  /// Ways among which each message is divided.
  [[nodiscard]] std::uint32_t ways() const { return ways_; }
  /// Links of the route, in the order in which a message passes them; empty if from == to. Throws gdr::Error if a node
  /// does not exist, or if messages have more than one way.
  [[nodiscard]] std::vector<LinkId> route(NodeId from, NodeId to) const;
  /// As route(), but written to `route`, so that its memory can be reused.
  void route_into(NodeId from, NodeId to, std::vector<LinkId>& route) const;
  /// The route of one way, below ways(). Throws gdr::Error if a node does not exist.
  void way_into(NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route) const;
  /// All links of a message, each once, in the order of its ways and their links. Throws gdr::Error if a node does not
  /// exist.
  void links_into(NodeId from, NodeId to, std::vector<SharedLink>& links) const;
  /// Sum of the latencies of a route, of the way on which it is largest. Throws gdr::Error as links_into().
  [[nodiscard]] double latency_seconds(NodeId from, NodeId to) const;

 private:
  std::string name_;
  NodeId nodes_;
  LinkTable links_;
  std::uint32_t ways_ = 1;
  WayFunction way_;
};

/// Optical hub: each ordered pair of nodes has its own link, which is one wavelength (Urino 2020, section 2.1). The
/// link of (from, to) has the number from * (nodes - 1) + (to < from ? to : to - 1). `link` is one wavelength.
[[nodiscard]] Topology optical_hub(NodeId nodes, Cable link);

/// The wavelength, 1 ... nodes - 1, on which `from` sends to `to`, by the cyclic table of the wavelength router (Urino
/// 2020, figure 1: in a hub of 8, node 7 reaches node 3 by wavelength 4). Throws gdr::Error for nodes outside the hub
/// and for from == to.
[[nodiscard]] NodeId hub_wavelength(NodeId nodes, NodeId from, NodeId to);

/// Two-dimensional hub: a hub for every row and one for every column of a rows x columns grid, node = row * columns +
/// column (Urino 2020, section 5.2). If row and column differ, a message goes along the row first.
[[nodiscard]] Topology optical_hub_2d(NodeId rows, NodeId columns, Cable link);

/// A network of vertices and directed edges. Vertices 0 ... nodes - 1 are nodes, the following ones switches. Edge i is
/// link i of the topology. If several edges lead from one vertex to another, the first is used.
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
  /// Fixed routes for some pairs of nodes: the vertices that a message passes after the first, its end included.
  std::map<std::pair<NodeId, NodeId>, std::vector<NodeId>> routes;
};

/// Routes of as few links as possible, found by Floyd's algorithm [Floyd 1962]. It tries intermediate vertices in
/// ascending order and replaces a path only by a shorter one. This order decides between paths of equal length;
/// SimGrid's Floyd zone uses the same order. Time grows as vertices^3, memory as vertices^2. Throws gdr::Error if there
/// are more than kMostGraphVertices vertices, an edge or a route leads nowhere, or a node cannot reach another.
[[nodiscard]] Topology shortest_paths(Graph graph);
inline constexpr NodeId kMostGraphVertices = 2048;

/// Direction round a ring when both directions are equally long.
enum class TieRule {
  plus,    // towards larger coordinates
  minus,   // towards smaller ones
  split,   // plus from even coordinates, minus from odd ones
  direct,  // the direction that does not pass the link which closes the ring
};

/// SplitMix64 [Steele, Lea, Flood 2014] of 2^32 from + to: 64 bits that spread pairs of nodes over equal paths.
[[nodiscard]] std::uint64_t pair_hash(NodeId from, NodeId to);

/// True if the route from `from` to `to` round a ring of `size` leads towards larger coordinates.
[[nodiscard]] bool goes_plus(NodeId size, NodeId from, NodeId to, TieRule tie);

/// Torus of 1 to 8 dimensions; node = x + X (y + Y (z + ...)). Routes take the shorter direction in each
/// dimension, and the dimensions in the order of `axes`, which names each of them once (empty: 0, 1, 2, ...). Two links
/// leave each node in each dimension: link = (node * dimensions + axis) * 2 + (0: plus, 1: minus). Dimensions of one
/// node are allowed; in a dimension of two nodes, both links lead to the same node. Throws gdr::Error.
[[nodiscard]] Topology torus(std::vector<NodeId> dimensions, Cable link, TieRule tie = TieRule::direct,
                             std::vector<unsigned> axes = {});

/// The same, but if both directions of a dimension are equally long, a bit of pair_hash() decides.
[[nodiscard]] Topology torus_by_hash(std::vector<NodeId> dimensions, Cable link);

/// The same links as torus(). If both directions of a dimension are equally long, half of a message takes each. There
/// are two ways for each dimension of an even number of nodes.
[[nodiscard]] Topology torus_by_both_ways(std::vector<NodeId> dimensions, Cable link);

/// The same links as torus(), with the routes of shortest_paths().
[[nodiscard]] Topology torus_by_shortest_paths(std::vector<NodeId> dimensions, Cable link);

/// As torus(), but without the links that close the rings. Those keep their numbers, but no route takes them.
[[nodiscard]] Topology mesh(std::vector<NodeId> dimensions, Cable link, std::vector<unsigned> axes = {});

/// Which cable a message takes from its leaf switch up to the spines and from there down to another leaf.
enum class FatTreeRouting {
  shortest,     // shortest_paths(); the cables from a leaf to a spine count as one link of their total bandwidth
  destination,  // cable = destination mod cables (D-mod-k)
  source,       // cable = source mod cables
  hash,         // cable = pair_hash() mod cables
  all,          // all cables carry the same part of each message, as one link of their total bandwidth would
};

/// Fat tree with two layers of switches: `leaves` leaf switches with `nodes_per_leaf` nodes each, and `spines` spine
/// switches. From each leaf, `cables` cables lead to each spine.
struct FatTree {
  NodeId leaves = 0;
  NodeId nodes_per_leaf = 0;
  NodeId spines = 0;
  NodeId cables = 0;
  Cable link;  // a node's cable, and each cable between switches
  FatTreeRouting routing = FatTreeRouting::shortest;
};
[[nodiscard]] Topology fat_tree(const FatTree& tree);

/// Groups of routers with nodes. The routers of a group are fully connected, and one global link leads from each group
/// to each other group. The link from group g to group h is at router (h - g - 1 mod groups) mod routers of group g.
/// Routes are minimal [Kim et al. 2008]: to the router with the global link, over this link, and to the destination's
/// router.
struct Dragonfly {
  NodeId groups = 0;
  NodeId routers = 0;  // in each group
  NodeId nodes_per_router = 0;
  Cable node;    // between a node and its router
  Cable local;   // between routers of a group
  Cable global;  // between groups
};
[[nodiscard]] Topology dragonfly(const Dragonfly& network);

/// The same links for ranks that are placed on other nodes: node r of the result is node_of_rank[r] of `topology`.
/// Throws gdr::Error if a node does not exist or has two ranks.
[[nodiscard]] Topology placed(const Topology& topology, std::vector<NodeId> node_of_rank);

/// One switch that joins all nodes. Each node has a link up to the switch, number 2 * node, and one down, number 2 *
/// node + 1.
[[nodiscard]] Topology infiniband_flat(NodeId nodes, Cable link);

}  // namespace gdr::interconnect
