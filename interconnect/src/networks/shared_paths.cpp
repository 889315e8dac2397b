#include "gdr/interconnect/shared_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

class SharedPaths {
 public:
  SharedPaths(Graph graph, SharedBy by)
      : graph_(std::move(graph)),
        by_(by),
        out_(graph_.vertices),
        steps_(std::size_t{graph_.nodes} * graph_.vertices, kUnreached) {
    std::vector<std::vector<NodeId>> before(graph_.vertices);
    for (LinkId id = 0; id < graph_.edges.size(); ++id) {
      const auto [from, to] = graph_.edges[id];
      require_vertex(from);
      require_vertex(to);
      if (from == to) continue;
      out_[from].push_back(id);
      before[to].push_back(from);
    }
    for (NodeId to = 0; to < graph_.nodes; ++to) find_steps(to, before);
    require_routes();
    for (NodeId from = 0; from < graph_.nodes; ++from) {
      for (NodeId to = 0; to < graph_.nodes; ++to) {
        if (steps(from, to) == kUnreached && !graph_.routes.contains({from, to})) {
          throw Error(fmt::format("{}: node {} is refused: it does not reach node {}", graph_.name, from, to));
        }
      }
    }
  }

  void route(NodeId from, NodeId to, std::vector<LinkId>& route) const {
    const std::uint64_t whole = by_ == SharedBy::destination ? to : from;
    std::uint64_t number = whole;
    NodeId here = from;
    if (const auto known = graph_.routes.find({from, to}); known != graph_.routes.end()) {
      for (const NodeId next : known->second) {
        route.push_back(choose(here, whole, number, [&](NodeId other) { return other == next; }));
        here = next;
      }
      return;
    }
    while (here != to) {
      const std::uint16_t nearer = static_cast<std::uint16_t>(steps(here, to) - 1);
      route.push_back(choose(here, whole, number, [&](NodeId other) { return steps(other, to) == nearer; }));
      here = graph_.edges[route.back()].to;
    }
  }

 private:
  static constexpr std::uint16_t kUnreached = std::numeric_limits<std::uint16_t>::max();

  [[nodiscard]] std::uint16_t steps(NodeId from, NodeId to) const {
    return steps_[std::size_t{to} * graph_.vertices + from];
  }

  void require_vertex(NodeId vertex) const {
    if (vertex < graph_.vertices) return;
    throw Error(fmt::format("{}: vertex {} is refused: there are {}", graph_.name, vertex, graph_.vertices));
  }

  void require_routes() const {
    for (const auto& [ends, passed] : graph_.routes) {
      NodeId here = ends.first;
      for (const NodeId next : passed) {
        require_vertex(here);
        require_vertex(next);
        if (count(here, [&](NodeId other) { return other == next; }) == 0) {
          throw Error(fmt::format("{}: the route from {} to {} is refused: there is no link from {} to {}", graph_.name,
                                  ends.first, ends.second, here, next));
        }
        here = next;
      }
      if (here != ends.second) {
        throw Error(fmt::format("{}: the route from {} to {} is refused: it ends at {}", graph_.name, ends.first,
                                ends.second, here));
      }
    }
  }

  /// Breadth first against the edges.
  void find_steps(NodeId to, const std::vector<std::vector<NodeId>>& before) {
    std::uint16_t* const steps = &steps_[std::size_t{to} * graph_.vertices];
    steps[to] = 0;
    std::vector<NodeId> queue{to};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const NodeId vertex = queue[head];
      for (const NodeId other : before[vertex]) {
        if (steps[other] != kUnreached) continue;
        steps[other] = static_cast<std::uint16_t>(steps[vertex] + 1);
        queue.push_back(other);
      }
    }
  }

  template <class Accept>
  [[nodiscard]] std::uint64_t count(NodeId here, const Accept& accept) const {
    std::uint64_t edges = 0;
    for (const LinkId edge : out_[here]) edges += accept(graph_.edges[edge].to) ? 1 : 0;
    return edges;
  }

  /// The edge whose place among the accepted ones is `number` modulo their count, which divides it. Parallel cables
  /// take the whole number: in a fat tree, the quotient of all that come down to a leaf is the same.
  template <class Accept>
  [[nodiscard]] LinkId choose(NodeId here, std::uint64_t whole, std::uint64_t& number, const Accept& accept) const {
    const std::uint64_t edges = count(here, accept);
    GDR_ASSERT(edges > 0, "a vertex on a route has an edge onward");
    const auto first = std::ranges::find_if(out_[here], [&](LinkId edge) { return accept(graph_.edges[edge].to); });
    const NodeId next = graph_.edges[*first].to;
    const bool are_parallel = count(here, [&](NodeId other) { return accept(other) && other != next; }) == 0;
    std::uint64_t place = (are_parallel ? whole : number) % edges;
    if (!are_parallel) number /= edges;
    for (const LinkId edge : out_[here]) {
      if (accept(graph_.edges[edge].to) && place-- == 0) return edge;
    }
    GDR_ASSERT(false, "a place is below the count");
    return 0;
  }

  Graph graph_;
  SharedBy by_;
  std::vector<std::vector<LinkId>> out_;  // edges that leave each vertex, in ascending order
  std::vector<std::uint16_t> steps_;      // shape: [to][from]
};

}  // namespace

Topology shared_shortest_paths(Graph graph, SharedBy by) {
  if (graph.vertices < graph.nodes || graph.vertices > kMostGraphVertices) {
    throw Error(
        fmt::format("{}: {} nodes and switches are refused: for routes of as few links as possible there must be "
                    "at least the {} nodes, at most {}",
                    graph.name, graph.vertices, graph.nodes, kMostGraphVertices));
  }
  std::string name = graph.name;
  const NodeId nodes = graph.nodes;
  std::vector<Link> links = graph.links;
  const auto paths = std::make_shared<const SharedPaths>(std::move(graph), by);
  return {std::move(name), nodes, std::move(links),
          [paths](NodeId from, NodeId to, std::vector<LinkId>& route) { paths->route(from, to, route); }};
}

}  // namespace gdr::interconnect
