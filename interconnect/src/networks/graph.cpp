// Routes by Floyd's algorithm, and the networks that are given as graphs.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "gdr/base/error.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint16_t kFar = std::numeric_limits<std::uint16_t>::max() / 2;  // the sum of two still fits
constexpr LinkId kNoLink = std::numeric_limits<LinkId>::max();

/// Shortest paths between all vertices.
class Paths {
 public:
  explicit Paths(const Graph& graph)
      : vertices_(graph.vertices), hops_(entries(), kFar), last_(entries()), links_(entries(), kNoLink) {
    for (NodeId vertex = 0; vertex < vertices_; ++vertex) hops_[at(vertex, vertex)] = 0;
    for (LinkId id = 0; id < graph.edges.size(); ++id) {
      const auto [from, to] = graph.edges[id];
      require_vertex(graph, from);
      require_vertex(graph, to);
      if (from == to || links_[at(from, to)] != kNoLink) continue;
      links_[at(from, to)] = id;
      hops_[at(from, to)] = 1;
      last_[at(from, to)] = static_cast<std::uint16_t>(from);
    }
    for (NodeId middle = 0; middle < vertices_; ++middle) shorten_over(middle);
    take_routes(graph);
    for (NodeId from = 0; from < graph.nodes; ++from) {
      for (NodeId to = 0; to < graph.nodes; ++to) {
        if (hops_[at(from, to)] == kFar && !routes_.contains({from, to}))
          throw Error(fmt::format("{}: node {} is refused: it does not reach node {}", graph.name, from, to));
      }
    }
  }

  void route(NodeId from, NodeId to, std::vector<LinkId>& route) const {
    if (const auto known = routes_.find({from, to}); known != routes_.end()) {
      route.insert(route.end(), known->second.begin(), known->second.end());
      return;
    }
    const std::size_t first = route.size();
    route.resize(first + hops_[at(from, to)]);
    for (std::size_t hop = route.size(); hop > first; --hop) {
      const NodeId before = last_[at(from, to)];
      route[hop - 1] = links_[at(before, to)];
      to = before;
    }
  }

 private:
  [[nodiscard]] std::size_t entries() const { return std::size_t{vertices_} * vertices_; }
  [[nodiscard]] std::size_t at(NodeId from, NodeId to) const { return std::size_t{from} * vertices_ + to; }

  void require_vertex(const Graph& graph, NodeId vertex) const {
    if (vertex >= vertices_)
      throw Error(fmt::format("{}: vertex {} is refused: there are {}", graph.name, vertex, vertices_));
  }

  void shorten_over(NodeId middle) {
    const std::uint16_t* onward = &hops_[at(middle, 0)];
    const std::uint16_t* onward_last = &last_[at(middle, 0)];
    for (NodeId from = 0; from < vertices_; ++from) {
      const std::uint16_t there = hops_[at(from, middle)];
      if (there == kFar || from == middle) continue;
      std::uint16_t* hops = &hops_[at(from, 0)];
      std::uint16_t* last = &last_[at(from, 0)];
      for (NodeId to = 0; to < vertices_; ++to) {
        const auto over = static_cast<std::uint16_t>(there + onward[to]);
        const bool is_shorter = over < hops[to];
        hops[to] = is_shorter ? over : hops[to];
        last[to] = is_shorter ? onward_last[to] : last[to];
      }
    }
  }

  void take_routes(const Graph& graph) {
    for (const auto& [ends, passed] : graph.routes) {
      std::vector<LinkId>& links = routes_[ends];
      NodeId here = ends.first;
      for (const NodeId next : passed) {
        require_vertex(graph, here);
        require_vertex(graph, next);
        const LinkId link = links_[at(here, next)];
        if (link == kNoLink)
          throw Error(fmt::format("{}: the route from {} to {} is refused: there is no link from {} to {}", graph.name,
                                  ends.first, ends.second, here, next));
        links.push_back(link);
        here = next;
      }
      if (here != ends.second)
        throw Error(fmt::format("{}: the route from {} to {} is refused: it ends at {}", graph.name, ends.first,
                                ends.second, here));
    }
  }

  // Shape of all: [vertices][vertices], indexed by from and to.
  NodeId vertices_;
  std::vector<std::uint16_t> hops_;
  std::vector<std::uint16_t> last_;  // the vertex before `to` on the route
  std::vector<LinkId> links_;        // direct links
  std::map<std::pair<NodeId, NodeId>, std::vector<LinkId>> routes_;
};

}  // namespace

Topology shortest_paths(Graph graph) {
  if (graph.vertices < graph.nodes || graph.vertices > kMostGraphVertices) {
    throw Error(
        fmt::format("{}: {} nodes and switches are refused: for routes of as few links as possible there must be "
                    "at least the {} nodes, at most {}; a network with other routings can have more",
                    graph.name, graph.vertices, graph.nodes, kMostGraphVertices));
  }
  const auto paths = std::make_shared<const Paths>(graph);
  return {std::move(graph.name), graph.nodes, std::move(graph.links),
          [paths](NodeId from, NodeId to, std::vector<LinkId>& route) { paths->route(from, to, route); }};
}

Topology dragonfly(const Dragonfly& network) {
  for (const NodeId count : {network.groups, network.routers, network.nodes_per_router}) {
    if (count < 1 || count > 1024) {
      throw Error(
          fmt::format("dragonfly: {} is refused: groups, routers and nodes of a router must be from 1 to 1024", count));
    }
  }
  const NodeId groups = network.groups;
  const NodeId routers = network.routers;
  const NodeId nodes = groups * routers * network.nodes_per_router;
  // Links in the order: up and down of each node, between routers of each group, between groups.
  const LinkId first_local = 2 * nodes;
  const LinkId first_global = first_local + groups * routers * (routers - 1);
  const auto other = [](NodeId from, NodeId to) { return to < from ? to : to - 1; };  // index among the others
  std::vector<Link> links;
  const auto add = [&](std::string name, const Cable& cable) {
    links.push_back({std::move(name), cable.bytes_per_second, cable.latency_seconds});
  };
  for (NodeId node = 0; node < nodes; ++node) {
    add(fmt::format("{}>router", node), network.node);
    add(fmt::format("router>{}", node), network.node);
  }
  for (NodeId group = 0; group < groups; ++group) {
    for (NodeId from = 0; from < routers; ++from) {
      for (NodeId to = 0; to < routers; ++to) {
        if (from != to) add(fmt::format("g{}:{}>{}", group, from, to), network.local);
      }
    }
  }
  for (NodeId from = 0; from < groups; ++from) {
    for (NodeId to = 0; to < groups; ++to) {
      if (from != to) add(fmt::format("g{}>g{}", from, to), network.global);
    }
  }
  std::string name = fmt::format("dragonfly {}x{}x{}", groups, routers, network.nodes_per_router);
  return {std::move(name), nodes, std::move(links), [=](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const auto local = [&](NodeId group, NodeId start, NodeId end) {
              if (start != end)
                route.push_back(first_local + (group * routers + start) * (routers - 1) + other(start, end));
            };
            const auto gateway = [&](NodeId group, NodeId goal) {
              return (goal + groups - group - 1) % groups % routers;
            };
            const NodeId from_router = from / network.nodes_per_router;
            const NodeId to_router = to / network.nodes_per_router;
            const NodeId from_group = from_router / routers;
            const NodeId to_group = to_router / routers;
            route.push_back(2 * from);
            NodeId here = from_router % routers;
            if (from_group != to_group) {
              local(from_group, here, gateway(from_group, to_group));
              route.push_back(first_global + from_group * (groups - 1) + other(from_group, to_group));
              here = gateway(to_group, from_group);
            }
            local(to_group, here, to_router % routers);
            route.push_back(2 * to + 1);
          }};
}

}  // namespace gdr::interconnect
