#include "gdr/interconnect/platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/shared_paths.h"
#include "gdr/interconnect/tca_topology.h"
#include "graph_file.h"
#include "route_table.h"

namespace gdr::interconnect {
namespace {

constexpr base::Names<Routing> kRoutingNames({{Routing::shortest, "shortest"},
                                              {Routing::dimension_order, "dimension-order"},
                                              {Routing::destination, "destination"},
                                              {Routing::source, "source"},
                                              {Routing::hash, "hash"},
                                              {Routing::all, "all"}});

PlatformKind kind_in(const base::Description& description);

NodeId whole(const base::Description& description, std::string_view key) {
  return static_cast<NodeId>(description.value(key));
}

/// The cable of each of a node's `ports` equal ports.
Cable port_of(const base::Description& description, double ports) {
  return {description.value("bandwidth") * kGiga / ports, description.value("latency") * kMicro};
}

NodeId nodes_of_hub(const base::Description& description, const PlatformOptions& options) {
  return options.nodes.value_or(whole(description, "nodes"));
}

Topology make_hub(const base::Description& description, const PlatformOptions& options) {
  const NodeId nodes = nodes_of_hub(description, options);
  return optical_hub(nodes, port_of(description, nodes));
}

std::pair<NodeId, NodeId> sides_of_hub(const base::Description& description, const PlatformOptions& options) {
  if (!options.nodes) return {whole(description, "rows"), whole(description, "columns")};
  const NodeId side = square_side(*options.nodes, "nodes of a two-dimensional hub");
  return {side, side};
}

NodeId nodes_of_hub_2d(const base::Description& description, const PlatformOptions& options) {
  const auto [rows, columns] = sides_of_hub(description, options);
  return std::max(rows, columns);
}

Topology make_hub_2d(const base::Description& description, const PlatformOptions& options) {
  const auto [rows, columns] = sides_of_hub(description, options);
  return optical_hub_2d(rows, columns, port_of(description, rows + columns));
}

std::vector<NodeId> torus_extents(const base::Description& description, const PlatformOptions& options) {
  if (kind_in(description) == PlatformKind::ring) return {options.nodes.value_or(whole(description, "nodes"))};
  // An axis of one node has no cables: the order of the axes must not change the ports that share the bandwidth.
  std::vector<NodeId> dimensions;
  for (const char* axis : {"x", "y", "z"}) {
    if (const NodeId along = whole(description, axis); along > 1) dimensions.push_back(along);
  }
  if (dimensions.empty()) dimensions.push_back(1);
  if (options.nodes) {
    const auto side = [&](std::size_t axes) {
      if (axes == 1) return *options.nodes;
      return axes == 2 ? square_side(*options.nodes, "nodes of a two-dimensional torus or mesh")
                       : cube_side(*options.nodes, "nodes of a three-dimensional torus or mesh");
    };
    dimensions.assign(dimensions.size(), side(dimensions.size()));
  }
  return dimensions;
}

Routing routing_of_torus(const base::Description& description, const PlatformOptions& options) {
  const bool by_shortest = kind_in(description) == PlatformKind::torus && description.value("shortest_paths") != 0;
  return options.routing.value_or(by_shortest ? Routing::shortest : Routing::dimension_order);
}

Topology make_torus(const base::Description& description, const PlatformOptions& options) {
  std::vector<NodeId> dimensions = torus_extents(description, options);
  const Cable cable = port_of(description, 2 * static_cast<double>(dimensions.size()));
  const Routing routing = routing_of_torus(description, options);
  if (routing == Routing::shortest) return torus_by_shortest_paths(std::move(dimensions), cable);
  if (routing == Routing::all) return torus_by_both_ways(std::move(dimensions), cable);
  if (routing == Routing::hash) return torus_by_hash(std::move(dimensions), cable);
  return torus(std::move(dimensions), cable, options.tie.value_or(TieRule::direct));
}

Topology make_mesh(const base::Description& description, const PlatformOptions& options) {
  std::vector<NodeId> dimensions = torus_extents(description, options);
  const double ports = 2 * static_cast<double>(dimensions.size());
  return mesh(std::move(dimensions), port_of(description, ports));
}

Routing routing_of_fat_tree(const base::Description& description, const PlatformOptions& options) {
  return options.routing.value_or(description.value("shortest_paths") != 0 ? Routing::shortest : Routing::destination);
}

FatTreeRouting on_fat_tree(Routing routing) {
  switch (routing) {
    case Routing::shortest:
      return FatTreeRouting::shortest;
    case Routing::destination:
      return FatTreeRouting::destination;
    case Routing::source:
      return FatTreeRouting::source;
    case Routing::hash:
      return FatTreeRouting::hash;
    case Routing::all:
      return FatTreeRouting::all;
    case Routing::dimension_order:
      break;
  }
  GDR_ASSERT(false, "a fat tree has no dimensions, and refuses their order");
  return FatTreeRouting::shortest;
}

Topology make_fat_tree(const base::Description& description, const PlatformOptions& options) {
  FatTree tree{whole(description, "leaves"), whole(description, "nodes_per_leaf"),
               whole(description, "spines"), whole(description, "cables"),
               port_of(description, 1),      on_fat_tree(routing_of_fat_tree(description, options))};
  if (options.nodes) {
    const NodeId unit = tree.leaves * tree.spines;
    if (*options.nodes == 0 || *options.nodes % unit != 0) {
      throw Error(
          fmt::format("nodes of a fat tree: {} is refused: it must be a multiple of {}, as its {} leaves have "
                      "as many cables up, over {} spines, as down",
                      *options.nodes, unit, tree.leaves, tree.spines));
    }
    tree.nodes_per_leaf = *options.nodes / tree.leaves;
    tree.cables = tree.nodes_per_leaf / tree.spines;
  }
  return fat_tree(tree);
}

Topology make_switch(const base::Description& description, const PlatformOptions& options) {
  return infiniband_flat(options.nodes.value_or(whole(description, "nodes")), port_of(description, 1));
}

Topology make_dragonfly(const base::Description& description, const PlatformOptions& /*options*/) {
  const Cable node = port_of(description, 1);
  const Dragonfly network{
      whole(description, "groups"),
      whole(description, "routers"),
      whole(description, "nodes_per_router"),
      node,
      {description.value("local_bandwidth") * kGiga, node.latency_seconds},
      {description.value("global_bandwidth") * kGiga, description.value("global_latency") * kMicro}};
  return dragonfly(network);
}

/// All tables that may lie beside a description.
constexpr std::array<std::string_view, 3> kTables{"links", "routes", "speeds"};

/// One of them, such as NAME.links.csv beside NAME.toml. Nothing if it does not exist.
std::optional<std::filesystem::path> table_beside(const std::string& name, std::string_view table) {
  std::filesystem::path file(name);
  if (base::ending_of(file) == ".toml") {
    file.replace_extension(fmt::format("{}.csv", table));
    std::error_code none;
    return std::filesystem::exists(file, none) ? std::optional(file) : std::nullopt;
  }
  return base::find_data_file(fmt::format("machines/{}.{}.csv", name, table));
}

/// As of a fat tree: with one path between each two nodes, whichever is found first, most links of a Clos network would
/// carry nothing.
Routing routing_of_graph(const base::Description& /*description*/, const PlatformOptions& options) {
  return options.routing.value_or(Routing::destination);
}

Topology make_graph(const base::Description& description, const PlatformOptions& options) {
  const std::string file = options.file.empty() ? description.name : options.file;
  const auto links = table_beside(file, "links");
  if (!links)
    throw Error(fmt::format("{}: there is no table of its links beside it, whose name ends in .links.csv", file));
  Graph graph = read_graph(description.name, whole(description, "nodes"), port_of(description, 1), *links,
                           table_beside(file, "routes"));
  const Routing routing = routing_of_graph(description, options);
  if (routing == Routing::shortest) return shortest_paths(std::move(graph));
  if (routing == Routing::all) return all_shortest_paths(std::move(graph));
  return shared_shortest_paths(std::move(graph), routing == Routing::source ? SharedBy::source
                                                 : routing == Routing::hash ? SharedBy::hash
                                                                            : SharedBy::destination);
}

Topology make_table(const base::Description& description, const PlatformOptions& options) {
  const std::string file = options.file.empty() ? description.name : options.file;
  const auto links = table_beside(file, "links");
  const auto routes = table_beside(file, "routes");
  if (!links || !routes) {
    throw Error(
        fmt::format("{}: there is no table beside it whose name ends in .{}.csv", file, links ? "routes" : "links"));
  }
  return read_route_table(description.name, whole(description, "nodes"), *links, *routes);
}

/// Speeds of the nodes of a table, beside its description; none: all have that of the description.
std::vector<double> speeds_beside_table(const base::Description& description, const PlatformOptions& options) {
  const auto speeds = table_beside(options.file.empty() ? description.name : options.file, "speeds");
  return speeds ? read_node_speeds(whole(description, "nodes"), *speeds) : std::vector<double>();
}

Topology make_sub_clusters(const base::Description& description, const PlatformOptions& options) {
  const HaPacsTca cluster = make_ha_pacs_tca(description);
  const Peach2 board = load_peach2();
  return tca_and_infiniband(cluster, {cluster.rings, cluster.ring_nodes, board.window_bytes, board.devices},
                            options.nodes.value_or(static_cast<NodeId>(cluster.nodes)));
}

/// Bytes and flops per second of a node.
struct NodeRates {
  double bytes = 0;
  double flops = 0;
};

NodeRates usual_rates(const base::Description& description) {
  return {description.value("bandwidth") * kGiga, description.value("node_speed") * kGiga};
}

NodeRates rates_of_sub_clusters(const base::Description& description) {
  const HaPacsTca cluster = make_ha_pacs_tca(description);
  return {cluster.tca_rate + cluster.infiniband_rate, cluster.node_speed};
}

NodeId nodes_of_sub_cluster(const base::Description& description) {
  const HaPacsTca cluster = make_ha_pacs_tca(description);
  return static_cast<NodeId>(cluster.rings * cluster.ring_nodes);
}

using RoutingRule = Routing (*)(const base::Description&, const PlatformOptions&);

template <Routing routing>
Routing always(const base::Description& /*description*/, const PlatformOptions& /*options*/) {
  return routing;
}

/// All that a kind of platform is. A topology of other sizes than options.nodes asks for is refused for every kind.
struct Kind {
  PlatformKind kind;
  std::string_view name;
  Topology (*make)(const base::Description&, const PlatformOptions&);
  std::vector<Routing> routings = {};  // that may be requested
  RoutingRule routing = nullptr;       // none: one route for each pair of nodes, which the topology itself gives
  bool is_even = false;                // as in Platform
  bool is_grid = false;                // has extents
  NodeId (*nodes_of_hub)(const base::Description&, const PlatformOptions&) = nullptr;  // that one optical hub joins
  NodeRates (*rates)(const base::Description&) = usual_rates;
  NodeId (*nodes_together)(const base::Description&) = nullptr;                               // as in Platform; none: 0
  std::vector<double> (*speeds)(const base::Description&, const PlatformOptions&) = nullptr;  // none: all alike
};

const std::vector<Kind>& platforms() {
  using enum Routing;
  static const std::vector<Kind> kinds{
      {.kind = PlatformKind::optical_hub,
       .name = "optical-hub",
       .make = make_hub,
       .is_even = true,
       .nodes_of_hub = nodes_of_hub},
      {.kind = PlatformKind::optical_hub_2d,
       .name = "optical-hub-2d",
       .make = make_hub_2d,
       .is_even = true,
       .nodes_of_hub = nodes_of_hub_2d},
      {.kind = PlatformKind::single_switch, .name = "switch", .make = make_switch, .is_even = true},
      {.kind = PlatformKind::ring,
       .name = "ring",
       .make = make_torus,
       .routings = {shortest, dimension_order, hash, all},
       .routing = routing_of_torus,
       .is_grid = true},
      {.kind = PlatformKind::mesh,
       .name = "mesh",
       .make = make_mesh,
       .routings = {dimension_order},
       .routing = always<dimension_order>,
       .is_grid = true},
      {.kind = PlatformKind::torus,
       .name = "torus",
       .make = make_torus,
       .routings = {shortest, dimension_order, hash, all},
       .routing = routing_of_torus,
       .is_grid = true},
      {.kind = PlatformKind::fat_tree,
       .name = "fat-tree",
       .make = make_fat_tree,
       .routings = {shortest, destination, source, hash, all},
       .routing = routing_of_fat_tree,
       .is_even = true},
      {.kind = PlatformKind::dragonfly, .name = "dragonfly", .make = make_dragonfly},
      {.kind = PlatformKind::graph,
       .name = "graph",
       .make = make_graph,
       .routings = {shortest, destination, source, hash, all},
       .routing = routing_of_graph},
      {.kind = PlatformKind::table, .name = "table", .make = make_table, .speeds = speeds_beside_table},
      {.kind = PlatformKind::sub_clusters,
       .name = "ha-pacs-tca",
       .make = make_sub_clusters,
       .rates = rates_of_sub_clusters,
       .nodes_together = nodes_of_sub_cluster},
  };
  return kinds;
}

const Kind& kind_of(const base::Description& description) {
  std::vector<std::string_view> names;
  for (const Kind& kind : platforms()) {
    if (description.kind == kind.name) return kind;
    names.push_back(kind.name);
  }
  throw Error(fmt::format("{}: a {} is no platform for schedules: it must be one of {}", description.name,
                          description.kind, fmt::join(names, ", ")));
}

PlatformKind kind_in(const base::Description& description) { return kind_of(description).kind; }

void refuse_unknown(const base::Description& description, const PlatformOptions& options) {
  const std::vector<Routing>& known = kind_of(description).routings;
  if (options.routing && std::ranges::find(known, *options.routing) == known.end()) {
    const std::vector<std::string> names = routing_names_of(description.kind);
    throw Error(fmt::format(
        "routing: {} is refused: {}, a {}, {}", name_of(*options.routing), description.name, description.kind,
        names.empty() ? "has one route for each pair of nodes" : fmt::format("knows {}", fmt::join(names, ", "))));
  }
  const PlatformKind kind = kind_in(description);
  const bool ties = (kind == PlatformKind::torus || kind == PlatformKind::ring) &&
                    routing_of_torus(description, options) == Routing::dimension_order;
  if (options.tie && !ties) {
    throw Error(fmt::format("tie: refused: {} has no routes in dimension order round a ring, which alone it is for",
                            description.name));
  }
}

/// The rule that decides the routes of a platform, in words.
std::string routing_of(const base::Description& description, const PlatformOptions& options) {
  const RoutingRule rule = kind_of(description).routing;
  return rule == nullptr ? "direct" : std::string(name_of(rule(description, options)));
}

/// The topology, which has as many nodes as are asked for.
Topology topology_of(const Kind& kind, const base::Description& description, const PlatformOptions& options) {
  Topology topology = kind.make(description, options);
  if (options.nodes && *options.nodes != topology.nodes()) {
    throw Error(fmt::format("nodes of {}: {} is refused: a {} has the {} that its description gives", description.name,
                            *options.nodes, description.kind, topology.nodes()));
  }
  return topology;
}

std::uint64_t power_of(std::uint64_t side, unsigned power) {
  std::uint64_t product = 1;
  for (unsigned i = 0; i < power; ++i) product *= side;
  return product;
}

NodeId root_of(std::uint64_t nodes, double exponent, unsigned power, std::string_view what, std::string_view shape) {
  const auto side = static_cast<std::uint64_t>(std::llround(std::pow(static_cast<double>(nodes), exponent)));
  if (nodes == 0 || power_of(side, power) != nodes) {
    const std::uint64_t below =
        power_of(side, power) < nodes || side <= 1 ? std::max<std::uint64_t>(side, 1) : side - 1;
    throw Error(fmt::format("{}: {} is refused: it must be a {}, such as {} or {}", what, nodes, shape,
                            power_of(below, power), power_of(below + 1, power)));
  }
  return static_cast<NodeId>(side);
}

}  // namespace

std::string_view name_of(Routing routing) { return kRoutingNames[routing]; }

std::optional<Routing> routing_called(std::string_view name) { return kRoutingNames.find(name); }

const std::vector<std::string>& routing_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const std::string_view name : kRoutingNames) all.emplace_back(name);
    return all;
  }();
  return names;
}

std::vector<std::string> routing_names_of(std::string_view kind) {
  std::vector<std::string> names;
  for (const Kind& known : platforms()) {
    if (known.name != kind) continue;
    for (const Routing routing : known.routings) names.emplace_back(name_of(routing));
  }
  return names;
}

NodeId square_side(std::uint64_t nodes, std::string_view what) { return root_of(nodes, 1.0 / 2, 2, what, "square"); }

NodeId cube_side(std::uint64_t nodes, std::string_view what) { return root_of(nodes, 1.0 / 3, 3, what, "cube"); }

const std::vector<base::DescriptionKind>& platform_kinds() {
  static const std::vector<base::DescriptionKind> kinds = [] {
    std::vector<base::DescriptionKind> all;
    for (const Kind& kind : platforms()) all.push_back(network_kind(kind.name));
    return all;
  }();
  return kinds;
}

namespace {

/// Why hubs cannot join as many nodes as are asked for; empty for all that can, and for other networks.
std::string beyond_wavelengths(const Kind& kind, const base::Description& description, const PlatformOptions& options) {
  const NodeId joined = kind.nodes_of_hub == nullptr ? 0 : kind.nodes_of_hub(description, options);
  if (joined <= kHubWavelengths) return {};
  return fmt::format(
      "{}: a hub of {} nodes cannot be built: wavelengths suffice for about {}, in two dimensions for {} (Urino 2020, "
      "section 5.2)",
      description.name, joined, kHubWavelengths, kHubWavelengths * kHubWavelengths);
}

}  // namespace

Platform make_platform(const base::Description& description, const PlatformOptions& wanted) {
  const Kind& kind = kind_of(description);
  PlatformOptions options = wanted;
  if (const std::string stated = description.choice(kRoutingKey); !options.routing && !stated.empty()) {
    options.routing = routing_called(stated);
  }
  refuse_unknown(description, options);
  std::vector<double> speeds = kind.speeds == nullptr ? std::vector<double>() : kind.speeds(description, options);
  const double slowest = speeds.empty() ? kind.rates(description).flops : std::ranges::min(speeds);
  if (!speeds.empty() && slowest == std::ranges::max(speeds)) speeds.clear();
  return {description.name,
          kind.kind,
          topology_of(kind, description, options),
          kind.rates(description).bytes,
          slowest,
          kind.is_grid ? torus_extents(description, options) : std::vector<NodeId>(),
          routing_of(description, options),
          kind.is_even,
          beyond_wavelengths(kind, description, options),
          kind.nodes_together == nullptr ? 0 : kind.nodes_together(description),
          std::move(speeds)};
}

double Platform::common_flops_per_second() const {
  if (flops_of_node.empty()) return flops_per_second;
  const auto [low, high] = std::ranges::minmax_element(flops_of_node);
  throw Error(fmt::format("{}: nodes of different speeds are refused here: node {} has {:g} Gflops, node {} {:g}",
                          description, low - flops_of_node.begin(), *low / kGiga, high - flops_of_node.begin(),
                          *high / kGiga));
}

Platform placed(Platform platform, const std::vector<NodeId>& node_of_rank) {
  platform.topology = placed(platform.topology, node_of_rank);  // refuses nodes that do not exist
  if (platform.flops_of_node.empty()) return platform;
  std::vector<double> speeds;
  for (const NodeId node : node_of_rank) speeds.push_back(platform.flops_of_node[node]);
  platform.flops_of_node = std::move(speeds);
  return platform;
}

void refuse_other_tables(const std::string& description, std::span<const std::string> written) {
  for (const std::string_view table : kTables) {
    const auto there = table_beside(description, table);
    if (!there || std::ranges::find(written, there->string()) != written.end()) continue;
    throw Error(
        fmt::format("{} is there, and would be taken for the {} of the new network {}: remove it, or choose another "
                    "name",
                    there->string(), table, description));
  }
}

Platform load_platform(std::string_view name_or_file, PlatformOptions options) {
  options.file = name_or_file;
  return make_platform(base::load_description(name_or_file, network_kinds()), options);
}

}  // namespace gdr::interconnect
