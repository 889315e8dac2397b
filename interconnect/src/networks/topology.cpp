#include "gdr/interconnect/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// Throws unless low <= value <= high.
void require(std::string_view what, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{}: {} is refused: it must be from {} to {}", what, value, low, high));
}

constexpr std::uint64_t kMostNodes = 1U << 20;
constexpr std::uint64_t kMostHubNodes = 4096;  // a hub has nodes^2 links

Link made_of(const Cable& cable, std::string name) {
  return {std::move(name), cable.bytes_per_second, cable.latency_seconds};
}

/// Number of the link between two of `nodes` fully connected nodes.
LinkId full_mesh_link(NodeId nodes, NodeId from, NodeId to) { return from * (nodes - 1) + (to < from ? to : to - 1); }

/// The nodes that such a link leads from and to.
std::pair<NodeId, NodeId> full_mesh_ends(NodeId nodes, LinkId link) {
  const NodeId from = link / (nodes - 1);
  const NodeId to = link % (nodes - 1);
  return {from, to < from ? to : to + 1};
}

/// Coordinates and steps along the axes of a grid of nodes.
class Grid {
 public:
  Grid(std::vector<NodeId> dimensions, std::vector<unsigned> axes)
      : dimensions_(std::move(dimensions)), axes_(std::move(axes)) {
    require("number of dimensions", dimensions_.size(), 1, 8);
    std::uint64_t nodes = 1;
    for (const NodeId size : dimensions_) {
      require("nodes along a dimension", size, 1, kMostNodes);
      nodes *= size;
      require("nodes of a grid", nodes, 1, kMostNodes);
    }
    nodes_ = static_cast<NodeId>(nodes);
    check_axes();
  }

  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] unsigned rank() const { return static_cast<unsigned>(dimensions_.size()); }
  [[nodiscard]] const std::vector<NodeId>& dimensions() const { return dimensions_; }

  /// Calls take(node, axis, plus) for every hop from `from` to `to`; goes_plus(size, from, to, axis) decides the
  /// direction along an axis.
  template <class GoesPlus, class Take>
  void walk(NodeId from, NodeId to, const GoesPlus& goes_plus, const Take& take) const {
    NodeId node = from;
    for (const unsigned axis : axes_) {
      const NodeId size = dimensions_[axis];
      const NodeId stride = strides_[axis];
      NodeId here = node / stride % size;
      const NodeId goal = to / stride % size;
      if (here == goal) continue;
      const bool plus = goes_plus(size, here, goal, axis);
      while (here != goal) {
        take(node, axis, plus);
        const NodeId next = plus ? (here + 1 == size ? 0 : here + 1) : (here == 0 ? size - 1 : here - 1);
        node = node - here * stride + next * stride;
        here = next;
      }
    }
  }

 private:
  void check_axes() {
    if (axes_.empty()) {
      axes_.resize(dimensions_.size());
      std::iota(axes_.begin(), axes_.end(), 0U);
    }
    std::vector<unsigned> sorted = axes_;
    std::ranges::sort(sorted);
    for (unsigned axis = 0; axis < dimensions_.size(); ++axis) {
      if (sorted.size() == dimensions_.size() && sorted[axis] == axis) continue;
      throw Error(fmt::format("order of axes: {} is refused: it must hold each of 0 to {} once", fmt::join(axes_, ","),
                              dimensions_.size() - 1));
    }
    NodeId stride = 1;
    for (const NodeId size : dimensions_) {
      strides_.push_back(stride);
      stride *= size;
    }
  }

  std::vector<NodeId> dimensions_;
  std::vector<unsigned> axes_;
  std::vector<NodeId> strides_;
  NodeId nodes_ = 0;
};

std::vector<Link> grid_links(const Grid& grid, const Cable& cable) {
  std::vector<Link> links;
  links.reserve(std::size_t{grid.nodes()} * grid.rank() * 2);
  for (NodeId node = 0; node < grid.nodes(); ++node) {
    for (unsigned axis = 0; axis < grid.rank(); ++axis) {
      links.push_back(made_of(cable, fmt::format("{}+{}", node, axis)));
      links.push_back(made_of(cable, fmt::format("{}-{}", node, axis)));
    }
  }
  return links;
}

void take_link(const Grid& grid, NodeId node, unsigned axis, bool plus, std::vector<LinkId>& route) {
  route.push_back((node * grid.rank() + axis) * 2 + (plus ? 0 : 1));
}

std::string name_of(const std::string& kind, const Grid& grid) {
  return fmt::format("{} {}", kind, fmt::join(grid.dimensions(), "x"));
}

template <class GoesPlus>
Topology grid_topology(const std::string& kind, std::vector<NodeId> dimensions, Cable link, std::vector<unsigned> axes,
                       GoesPlus goes_plus) {
  const Grid grid(std::move(dimensions), std::move(axes));
  return {name_of(kind, grid), grid.nodes(), grid_links(grid, link),
          [grid, goes_plus](NodeId from, NodeId to, std::vector<LinkId>& route) {
            grid.walk(from, to, goes_plus,
                      [&](NodeId node, unsigned axis, bool plus) { take_link(grid, node, axis, plus, route); });
          }};
}

/// Bit i of `bits` decides the direction in dimension i if both are equally long.
void walk_by_bits(const Grid& grid, NodeId from, NodeId to, std::uint64_t bits, std::vector<LinkId>& route) {
  const auto goes = [&](NodeId size, NodeId here, NodeId goal, unsigned axis) {
    const NodeId plus = goal >= here ? goal - here : goal + size - here;
    return 2 * plus == size ? (bits >> axis & 1) != 0 : 2 * plus < size;
  };
  grid.walk(from, to, goes, [&](NodeId node, unsigned axis, bool plus) { take_link(grid, node, axis, plus, route); });
}

}  // namespace

LinkTable::LinkTable(std::vector<Link> links) : count_(links.size()) {
  auto shared = std::make_shared<Shared>();
  std::vector<std::string> names;
  shared->cables.reserve(count_);
  names.reserve(count_);
  for (Link& link : links) {
    shared->cables.push_back({link.bytes_per_second, link.latency_seconds});
    names.push_back(std::move(link.name));
  }
  shared->name = [names = std::move(names)](LinkId link) { return names[link]; };
  cables_ = shared->cables.data();
  are_equal_ = false;
  shared_ = std::move(shared);
}

LinkTable::LinkTable(std::size_t count, Cable each, std::function<std::string(LinkId)> name)
    : count_(count),
      shared_(std::make_shared<const Shared>(
          Shared{count == 0 ? std::vector<Cable>() : std::vector<Cable>{each}, std::move(name)})),
      cables_(shared_->cables.data()),
      are_equal_(true) {}

std::vector<Link> LinkTable::to_vector() const {
  std::vector<Link> links;
  links.reserve(count_);
  for (LinkId link = 0; link < count_; ++link) {
    links.push_back({name(link), (*this)[link].bytes_per_second, (*this)[link].latency_seconds});
  }
  return links;
}

Topology::Topology(std::string name, NodeId nodes, LinkTable links, RouteFunction route)
    : Topology(std::move(name), nodes, std::move(links), 1,
               [route = std::move(route)](NodeId from, NodeId to, std::uint32_t /*way*/, std::vector<LinkId>& taken) {
                 route(from, to, taken);
               }) {}

Topology::Topology(std::string name, NodeId nodes, LinkTable links, std::uint32_t ways, WayFunction way)
    : name_(std::move(name)), nodes_(nodes), links_(std::move(links)), ways_(ways), way_(std::move(way)) {
  require("ways of " + name_, ways_, 1, kMostWays);
  require("nodes of " + name_, nodes_, 1, kMostNodes);
  for (LinkId number = 0; number < links_.different().size(); ++number) {
    const Cable& link = links_[number];
    if (!(link.bytes_per_second > 0 && std::isfinite(link.bytes_per_second))) {
      throw Error(fmt::format("{}: bandwidth {} of link {} is refused: it must be more than 0 bytes/s and finite",
                              name_, link.bytes_per_second, links_.name(number)));
    }
    if (!(link.latency_seconds >= 0 && std::isfinite(link.latency_seconds))) {
      throw Error(fmt::format("{}: latency {} of link {} is refused: it must be at least 0 s and finite", name_,
                              link.latency_seconds, links_.name(number)));
    }
  }
}

std::vector<LinkId> Topology::route(NodeId from, NodeId to) const {
  std::vector<LinkId> links;
  route_into(from, to, links);
  return links;
}

void Topology::route_into(NodeId from, NodeId to, std::vector<LinkId>& route) const {
  if (ways_ > 1) {
    throw Error(fmt::format("{}: one route from node {} to node {} is refused: a message is divided among {} ways",
                            name_, from, to, ways_));
  }
  way_into(from, to, 0, route);
}

void Topology::way_into(NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route) const {
  if (from >= nodes_ || to >= nodes_) {
    require("node of " + name_, from, 0, nodes_ - 1);
    require("node of " + name_, to, 0, nodes_ - 1);
  }
  GDR_ASSERT(way < ways_, "a message takes one of its ways");
  route.clear();
  if (from != to) way_(from, to, way, route);
}

void Topology::links_into(NodeId from, NodeId to, std::vector<SharedLink>& links) const {
  thread_local std::vector<LinkId> route;
  links.clear();
  for (std::uint32_t way = 0; way < ways_; ++way) {
    way_into(from, to, way, route);
    for (const LinkId link : route) {
      // A route has a link at most once, so that with one way there is nothing to find.
      const auto known = ways_ == 1 ? links.end() : std::ranges::find(links, link, &SharedLink::link);
      if (known == links.end()) {
        links.push_back({link, 1});
      } else {
        ++known->ways;
      }
    }
  }
}

double Topology::latency_seconds(NodeId from, NodeId to) const {
  thread_local std::vector<LinkId> route;
  double longest = 0;
  for (std::uint32_t way = 0; way < ways_; ++way) {
    way_into(from, to, way, route);
    double latency = 0;
    for (const LinkId link : route) latency += links_[link].latency_seconds;
    longest = std::max(longest, latency);
  }
  return longest;
}

Topology optical_hub(NodeId nodes, Cable link) {
  require("nodes of an optical hub", nodes, 1, kMostHubNodes);
  const auto name = [nodes](LinkId number) {
    const auto [from, to] = full_mesh_ends(nodes, number);
    return fmt::format("{}>{}", from, to);
  };
  return {fmt::format("optical hub {}", nodes), nodes, LinkTable(std::size_t{nodes} * (nodes - 1), link, name),
          [nodes](NodeId from, NodeId to, std::vector<LinkId>& route) {
            route.push_back(full_mesh_link(nodes, from, to));
          }};
}

NodeId hub_wavelength(NodeId nodes, NodeId from, NodeId to) {
  require("nodes of an optical hub", nodes, 2, kMostHubNodes);
  require("node of the hub", from, 0, nodes - 1);
  require("node of the hub", to, 0, nodes - 1);
  if (from == to) throw Error(fmt::format("a hub has no wavelength from node {} to itself", from));
  return (from + nodes - to) % nodes;
}

Topology optical_hub_2d(NodeId rows, NodeId columns, Cable link) {
  require("rows of a two-dimensional hub", rows, 1, kMostHubNodes);
  require("columns of a two-dimensional hub", columns, 1, kMostHubNodes);
  require("nodes of a two-dimensional hub", std::uint64_t{rows} * columns, 1, kMostHubNodes * kMostHubNodes / 16);
  const std::size_t of_rows = std::size_t{rows} * columns * (columns - 1);
  const std::size_t of_columns = std::size_t{rows} * columns * (rows - 1);
  const auto name = [rows, columns, of_rows](LinkId number) {
    const bool in_row = number < of_rows;
    const NodeId nodes = in_row ? columns : rows;
    const auto in_hubs = static_cast<LinkId>(in_row ? number : number - of_rows);
    const LinkId of_hub = nodes * (nodes - 1);
    const auto [from, to] = full_mesh_ends(nodes, in_hubs % of_hub);
    return fmt::format("{}{}:{}>{}", in_row ? 'r' : 'c', in_hubs / of_hub, from, to);
  };
  return {fmt::format("two-dimensional optical hub {}x{}", rows, columns), rows * columns,
          LinkTable(of_rows + of_columns, link, name),
          [rows, columns](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const NodeId row = from / columns;
            const NodeId column = to % columns;
            if (from % columns != column) {
              route.push_back(row * columns * (columns - 1) + full_mesh_link(columns, from % columns, column));
            }
            if (row != to / columns) {
              route.push_back(rows * columns * (columns - 1) + column * rows * (rows - 1) +
                              full_mesh_link(rows, row, to / columns));
            }
          }};
}

bool goes_plus(NodeId size, NodeId from, NodeId to, TieRule tie) {
  const NodeId plus = to >= from ? to - from : to + size - from;
  if (2 * plus != size) return 2 * plus < size;
  switch (tie) {
    case TieRule::plus:
      return true;
    case TieRule::minus:
      return false;
    case TieRule::split:
      return from % 2 == 0;
    case TieRule::direct:
      break;
  }
  return to > from;
}

std::uint64_t pair_hash(NodeId from, NodeId to) {
  std::uint64_t hash = (std::uint64_t{from} << 32 | to) + 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
  return hash ^ hash >> 31;
}

Topology torus(std::vector<NodeId> dimensions, Cable link, TieRule tie, std::vector<unsigned> axes) {
  return grid_topology(
      "torus", std::move(dimensions), link, std::move(axes),
      [tie](NodeId size, NodeId from, NodeId to, unsigned /*axis*/) { return goes_plus(size, from, to, tie); });
}

Topology torus_by_hash(std::vector<NodeId> dimensions, Cable link) {
  const Grid grid(std::move(dimensions), {});
  return {name_of("torus", grid), grid.nodes(), grid_links(grid, link),
          [grid](NodeId from, NodeId to, std::vector<LinkId>& route) {
            walk_by_bits(grid, from, to, pair_hash(from, to), route);
          }};
}

Topology torus_by_both_ways(std::vector<NodeId> dimensions, Cable link) {
  const Grid grid(std::move(dimensions), {});
  std::vector<unsigned> tied;  // dimensions of which opposite nodes have two ways
  for (unsigned axis = 0; axis < grid.rank(); ++axis) {
    if (grid.dimensions()[axis] % 2 == 0) tied.push_back(axis);
  }
  const std::uint32_t ways = 1U << tied.size();
  return {name_of("torus", grid), grid.nodes(), grid_links(grid, link), ways,
          [grid, tied](NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route) {
            std::uint64_t bits = 0;
            for (std::size_t n = 0; n < tied.size(); ++n) bits |= std::uint64_t{way >> n & 1} << tied[n];
            walk_by_bits(grid, from, to, bits, route);
          }};
}

Topology torus_by_shortest_paths(std::vector<NodeId> dimensions, Cable link) {
  const Grid grid(std::move(dimensions), {});
  Graph graph{fmt::format("torus {}", fmt::join(grid.dimensions(), "x")),
              grid.nodes(),
              grid.nodes(),
              {},
              grid_links(grid, link),
              {}};
  NodeId stride = 1;
  std::vector<NodeId> strides;
  for (const NodeId size : grid.dimensions()) {
    strides.push_back(stride);
    stride *= size;
  }
  for (NodeId node = 0; node < grid.nodes(); ++node) {
    for (unsigned axis = 0; axis < grid.rank(); ++axis) {
      const NodeId size = grid.dimensions()[axis];
      const NodeId here = node / strides[axis] % size;
      const NodeId base = node - here * strides[axis];
      graph.edges.push_back({node, base + (here + 1) % size * strides[axis]});
      graph.edges.push_back({node, base + (here + size - 1) % size * strides[axis]});
    }
  }
  return shortest_paths(std::move(graph));
}

Topology mesh(std::vector<NodeId> dimensions, Cable link, std::vector<unsigned> axes) {
  return grid_topology("mesh", std::move(dimensions), link, std::move(axes),
                       [](NodeId, NodeId from, NodeId to, unsigned) { return to > from; });
}

Topology placed(const Topology& topology, std::vector<NodeId> node_of_rank) {
  std::vector<bool> taken(topology.nodes());
  for (const NodeId node : node_of_rank) {
    require("node of " + topology.name(), node, 0, topology.nodes() - 1);
    if (taken[node]) throw Error(fmt::format("{}: node {} is refused for a second rank", topology.name(), node));
    taken[node] = true;
  }
  const auto ranks = static_cast<NodeId>(node_of_rank.size());
  return {topology.name(), ranks, topology.links(), topology.ways(),
          [topology, nodes = std::move(node_of_rank)](NodeId from, NodeId to, std::uint32_t way,
                                                      std::vector<LinkId>& route) {
            topology.way_into(nodes[from], nodes[to], way, route);
          }};
}

Topology infiniband_flat(NodeId nodes, Cable link) {
  require("nodes of a switch", nodes, 1, kMostNodes);
  std::vector<Link> links;
  for (NodeId node = 0; node < nodes; ++node) {
    links.push_back(made_of(link, fmt::format("{}>switch", node)));
    links.push_back(made_of(link, fmt::format("switch>{}", node)));
  }
  return {fmt::format("switch {}", nodes), nodes, std::move(links),
          [](NodeId from, NodeId to, std::vector<LinkId>& route) {
            route.push_back(2 * from);
            route.push_back(2 * to + 1);
          }};
}

}  // namespace gdr::interconnect
