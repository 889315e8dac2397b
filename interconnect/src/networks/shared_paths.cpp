#include "gdr/interconnect/shared_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

class SharedPaths {
 public:
  explicit SharedPaths(Graph graph)
      : graph_(std::move(graph)),
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

  /// Parts of equal size in which a message can take all edges that lead nearer.
  [[nodiscard]] std::uint32_t ways() const {
    std::uint64_t ways = 1;
    for (const auto& [ends, passed] : graph_.routes) {
      NodeId here = ends.first;
      std::uint64_t of_route = 1;
      for (const NodeId next : passed) {
        of_route = limited(of_route * count(here, [&](NodeId other) { return other == next; }));
        here = next;
      }
      ways = limited(std::lcm(ways, of_route));
    }
    std::vector<NodeId> by_steps(graph_.vertices);
    std::vector<std::uint64_t> needed(graph_.vertices);
    for (NodeId to = 0; to < graph_.nodes; ++to) {
      std::iota(by_steps.begin(), by_steps.end(), NodeId{0});
      std::ranges::sort(by_steps, {}, [&](NodeId vertex) { return steps(vertex, to); });
      for (const NodeId here : by_steps) {
        needed[here] = 1;
        if (here == to || steps(here, to) == kUnreached) continue;
        const auto nearer = [&](NodeId other) { return steps(other, to) + 1 == steps(here, to); };
        const std::uint64_t edges = count(here, nearer);
        for (const LinkId edge : out_[here]) {
          const NodeId next = graph_.edges[edge].to;
          if (nearer(next)) needed[here] = limited(std::lcm(needed[here], edges * needed[next]));
        }
        if (here < graph_.nodes) ways = limited(std::lcm(ways, needed[here]));
      }
    }
    return static_cast<std::uint32_t>(ways);
  }

  /// The route of a message. At every choice `number` decides, which is then divided by the number of choices. Parallel
  /// cables alone are chosen by `whole` if that is given: in a fat tree, the quotient of all that come down to a leaf
  /// is the same.
  void route(NodeId from, NodeId to, std::uint64_t number, std::optional<std::uint64_t> whole,
             std::vector<LinkId>& route) const {
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

  [[nodiscard]] std::uint64_t limited(std::uint64_t ways) const {
    if (ways <= Topology::kMostWays) return ways;
    throw Error(
        fmt::format("{}: routing over all paths is refused: equal shares need {} or more parts of a message, "
                    "and at most {} are possible; a hash of the pair has no such limit",
                    graph_.name, ways, Topology::kMostWays));
  }

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

  /// The edge whose place among the accepted ones is `number` modulo their count, which divides it, or that of `whole`
  /// if all of them are parallel.
  template <class Accept>
  [[nodiscard]] LinkId choose(NodeId here, std::optional<std::uint64_t> whole, std::uint64_t& number,
                              const Accept& accept) const {
    const std::uint64_t edges = count(here, accept);
    GDR_ASSERT(edges > 0, "a vertex on a route has an edge onward");
    const auto first = std::ranges::find_if(out_[here], [&](LinkId edge) { return accept(graph_.edges[edge].to); });
    const NodeId next = graph_.edges[*first].to;
    const bool by_whole = whole && count(here, [&](NodeId other) { return accept(other) && other != next; }) == 0;
    std::uint64_t place = (by_whole ? *whole : number) % edges;
    if (!by_whole) number /= edges;
    for (const LinkId edge : out_[here]) {
      if (accept(graph_.edges[edge].to) && place-- == 0) return edge;
    }
    GDR_ASSERT(false, "a place is below the count");
    return 0;
  }

  Graph graph_;
  std::vector<std::vector<LinkId>> out_;  // edges that leave each vertex, in ascending order
  std::vector<std::uint16_t> steps_;      // shape: [to][from]
};

std::shared_ptr<const SharedPaths> paths_of(const Graph& graph) {
  if (graph.vertices < graph.nodes || graph.vertices > kMostGraphVertices) {
    throw Error(
        fmt::format("{}: {} nodes and switches are refused: for routes of as few links as possible there must be "
                    "at least the {} nodes, at most {}",
                    graph.name, graph.vertices, graph.nodes, kMostGraphVertices));
  }
  return std::make_shared<const SharedPaths>(graph);
}

std::uint64_t number_of(SharedBy by, NodeId from, NodeId to) {
  switch (by) {
    case SharedBy::destination:
      return to;
    case SharedBy::source:
      return from;
    case SharedBy::hash:
      return pair_hash(from, to);
  }
  GDR_ASSERT(false, "routes are shared by one of the rules");
  return 0;
}

}  // namespace

Topology shared_shortest_paths(Graph graph, SharedBy by) {
  const auto paths = paths_of(graph);
  return {std::move(graph.name), graph.nodes, std::move(graph.links),
          [paths, by](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const std::uint64_t number = number_of(by, from, to);
            paths->route(from, to, number, number, route);
          }};
}

Topology all_shortest_paths(Graph graph) {
  const auto paths = paths_of(graph);
  return {std::move(graph.name), graph.nodes, std::move(graph.links), paths->ways(),
          [paths](NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route) {
            paths->route(from, to, way, std::nullopt, route);
          }};
}

}  // namespace gdr::interconnect
