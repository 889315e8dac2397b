// Two layers of switches with explicit routes: our rule, not the simulator's, decides which cable a message takes.
#include <fmt/format.h>

#include <utility>

#include "gdr/base/error.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {
namespace {

/// Numbers of the links, in the order nodes up, nodes down, leaves up, leaves down.
class Layout {
 public:
  explicit Layout(const FatTree& tree) : tree_(tree) {}

  [[nodiscard]] NodeId nodes() const { return tree_.leaves * tree_.nodes_per_leaf; }
  /// Cables that count as one link, because they carry the same part of each message.
  [[nodiscard]] NodeId cables_of_link() const {
    switch (tree_.routing) {
      case FatTreeRouting::shortest:
        return tree_.cables;
      case FatTreeRouting::all:
        return tree_.spines * tree_.cables;
      case FatTreeRouting::destination:
      case FatTreeRouting::source:
      case FatTreeRouting::hash:
        break;
    }
    return 1;
  }
  /// Links from a leaf up to all spines.
  [[nodiscard]] NodeId uplinks() const { return tree_.spines * tree_.cables / cables_of_link(); }
  [[nodiscard]] LinkId node_up(NodeId node) const { return node; }
  [[nodiscard]] LinkId node_down(NodeId node) const { return nodes() + node; }
  [[nodiscard]] LinkId leaf_up(NodeId leaf, NodeId cable) const { return 2 * nodes() + leaf * uplinks() + cable; }
  [[nodiscard]] LinkId leaf_down(NodeId leaf, NodeId cable) const {
    return 2 * nodes() + (tree_.leaves + leaf) * uplinks() + cable;
  }

  /// The cables of a leaf are numbered over the spines in turn: cable c leads to spine c mod spines. A message goes
  /// down by the cable with the same number, so that it stays on one spine.
  [[nodiscard]] NodeId cable_of(NodeId from, NodeId to) const {
    if (tree_.routing == FatTreeRouting::hash) return static_cast<NodeId>(pair_hash(from, to) % uplinks());
    return (tree_.routing == FatTreeRouting::source ? from : to) % uplinks();
  }

  [[nodiscard]] std::vector<Link> links() const {
    std::vector<Link> links;
    const auto add = [&](std::string name, double factor) {
      links.push_back({std::move(name), tree_.link.bytes_per_second * factor, tree_.link.latency_seconds});
    };
    const double trunk = cables_of_link();
    for (NodeId node = 0; node < nodes(); ++node) add(fmt::format("{}>leaf", node), 1);
    for (NodeId node = 0; node < nodes(); ++node) add(fmt::format("leaf>{}", node), 1);
    for (const char* direction : {"up", "down"}) {
      for (NodeId leaf = 0; leaf < tree_.leaves; ++leaf) {
        for (NodeId cable = 0; cable < uplinks(); ++cable)
          add(fmt::format("leaf{}:{}{}", leaf, direction, cable), trunk);
      }
    }
    return links;
  }

  /// The same links as edges. Switches are numbered leaves first, then spines.
  [[nodiscard]] std::vector<Graph::Edge> edges() const {
    std::vector<Graph::Edge> edges;
    const auto leaf_of = [&](NodeId node) { return nodes() + node / tree_.nodes_per_leaf; };
    for (NodeId node = 0; node < nodes(); ++node) edges.push_back({node, leaf_of(node)});
    for (NodeId node = 0; node < nodes(); ++node) edges.push_back({leaf_of(node), node});
    for (const bool up : {true, false}) {
      for (NodeId leaf = nodes(); leaf < nodes() + tree_.leaves; ++leaf) {
        for (NodeId spine = nodes() + tree_.leaves; spine < vertices(); ++spine) {
          edges.push_back(up ? Graph::Edge{leaf, spine} : Graph::Edge{spine, leaf});
        }
      }
    }
    return edges;
  }
  [[nodiscard]] NodeId vertices() const { return nodes() + tree_.leaves + tree_.spines; }

 private:
  FatTree tree_;
};

}  // namespace

Topology fat_tree(const FatTree& tree) {
  for (const auto& [what, count] : {std::pair{"leaves", tree.leaves}, std::pair{"nodes of a leaf", tree.nodes_per_leaf},
                                    std::pair{"spines", tree.spines}, std::pair{"cables", tree.cables}}) {
    if (count >= 1 && count <= 1024) continue;
    throw Error(fmt::format("{} of a fat tree: {} is refused: it must be from 1 to 1024", what, count));
  }
  const Layout layout(tree);
  std::string name = fmt::format("fat tree {}x{}", tree.leaves, tree.nodes_per_leaf);
  if (tree.routing == FatTreeRouting::shortest) {
    return shortest_paths({std::move(name), layout.nodes(), layout.vertices(), layout.edges(), layout.links(), {}});
  }
  return {std::move(name), layout.nodes(), layout.links(),
          [layout, tree](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const NodeId from_leaf = from / tree.nodes_per_leaf;
            const NodeId to_leaf = to / tree.nodes_per_leaf;
            route.push_back(layout.node_up(from));
            if (from_leaf != to_leaf) {
              const NodeId cable = layout.cable_of(from, to);
              route.push_back(layout.leaf_up(from_leaf, cable));
              route.push_back(layout.leaf_down(to_leaf, cable));
            }
            route.push_back(layout.node_down(to));
          }};
}

}  // namespace gdr::interconnect
