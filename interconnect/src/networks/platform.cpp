#include "gdr/interconnect/platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/network.h"
#include "graph_file.h"

namespace gdr::interconnect {
namespace {

PlatformKind kind_in(const base::Description& description);

NodeId whole(const base::Description& description, std::string_view key) {
  return static_cast<NodeId>(description.value(key));
}

/// The cable of each of a node's `ports` equal ports.
Cable port_of(const base::Description& description, double ports) {
  return {description.value("bandwidth") * kGiga / ports, description.value("latency") * kMicro};
}

Topology make_hub(const base::Description& description, const PlatformOptions& options) {
  const NodeId nodes = options.nodes.value_or(whole(description, "nodes"));
  return optical_hub(nodes, port_of(description, nodes));
}

Topology make_hub_2d(const base::Description& description, const PlatformOptions& options) {
  NodeId rows = whole(description, "rows");
  NodeId columns = whole(description, "columns");
  if (options.nodes) rows = columns = square_side(*options.nodes, "nodes of a two-dimensional hub");
  return optical_hub_2d(rows, columns, port_of(description, rows + columns));
}

std::vector<NodeId> torus_extents(const base::Description& description, const PlatformOptions& options) {
  if (kind_in(description) == PlatformKind::ring) return {options.nodes.value_or(whole(description, "nodes"))};
  std::vector<NodeId> dimensions{whole(description, "x"), whole(description, "y")};
  if (const NodeId z = whole(description, "z"); z > 1) dimensions.push_back(z);
  if (options.nodes) {
    const bool is_flat = dimensions.size() == 2;
    const NodeId side = is_flat ? square_side(*options.nodes, "nodes of a two-dimensional torus or mesh")
                                : cube_side(*options.nodes, "nodes of a three-dimensional torus or mesh");
    dimensions.assign(dimensions.size(), side);
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
  if (routing_of_torus(description, options) == Routing::shortest)
    return torus_by_shortest_paths(std::move(dimensions), cable);
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

Topology make_fat_tree(const base::Description& description, const PlatformOptions& options) {
  const Routing routing = routing_of_fat_tree(description, options);
  FatTree tree{whole(description, "leaves"),
               whole(description, "nodes_per_leaf"),
               whole(description, "spines"),
               whole(description, "cables"),
               port_of(description, 1),
               routing == Routing::shortest ? FatTreeRouting::shortest
               : routing == Routing::source ? FatTreeRouting::source
                                            : FatTreeRouting::destination};
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

void refuse_other_size(const base::Description& description, const PlatformOptions& options, NodeId nodes) {
  if (!options.nodes || *options.nodes == nodes) return;
  throw Error(fmt::format("nodes of {}: {} is refused: a {} has the {} that its description gives", description.name,
                          *options.nodes, description.kind, nodes));
}

Topology make_dragonfly(const base::Description& description, const PlatformOptions& options) {
  const Cable node = port_of(description, 1);
  const Dragonfly network{
      whole(description, "groups"),
      whole(description, "routers"),
      whole(description, "nodes_per_router"),
      node,
      {description.value("local_bandwidth") * kGiga, node.latency_seconds},
      {description.value("global_bandwidth") * kGiga, description.value("global_latency") * kMicro}};
  refuse_other_size(description, options, network.groups * network.routers * network.nodes_per_router);
  return dragonfly(network);
}

/// The table beside a description: NAME.links.csv beside NAME.toml. Nothing if it does not exist.
std::optional<std::filesystem::path> table_beside(const std::string& name, const std::string& table) {
  std::filesystem::path file(name);
  if (file.extension() == ".toml") {
    file.replace_extension(table + ".csv");
    std::error_code none;
    return std::filesystem::exists(file, none) ? std::optional(file) : std::nullopt;
  }
  return base::find_data_file("machines/" + name + "." + table + ".csv");
}

Topology make_graph(const base::Description& description, const PlatformOptions& options) {
  refuse_other_size(description, options, whole(description, "nodes"));
  const std::string file = options.file.empty() ? description.name : options.file;
  const auto links = table_beside(file, "links");
  if (!links)
    throw Error(fmt::format("{}: there is no table of its links beside it, whose name ends in .links.csv", file));
  return shortest_paths(read_graph(description.name, whole(description, "nodes"), port_of(description, 1), *links,
                                   table_beside(file, "routes")));
}

struct Kind {
  PlatformKind kind;
  std::string_view name;
  Topology (*make)(const base::Description&, const PlatformOptions&);
  std::vector<Routing> routings;  // that may be requested
};

const std::vector<Kind>& platforms() {
  static const std::vector<Kind> kinds{
      {PlatformKind::optical_hub, "optical-hub", make_hub, {}},
      {PlatformKind::optical_hub_2d, "optical-hub-2d", make_hub_2d, {}},
      {PlatformKind::single_switch, "switch", make_switch, {}},
      {PlatformKind::ring, "ring", make_torus, {Routing::shortest, Routing::dimension_order}},
      {PlatformKind::mesh, "mesh", make_mesh, {Routing::dimension_order}},
      {PlatformKind::torus, "torus", make_torus, {Routing::shortest, Routing::dimension_order}},
      {PlatformKind::fat_tree, "fat-tree", make_fat_tree, {Routing::shortest, Routing::destination, Routing::source}},
      {PlatformKind::dragonfly, "dragonfly", make_dragonfly, {}},
      {PlatformKind::graph, "graph", make_graph, {Routing::shortest}},
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

std::string_view name_of(Routing routing) {
  switch (routing) {
    case Routing::shortest:
      return "shortest";
    case Routing::dimension_order:
      return "dimension-order";
    case Routing::destination:
      return "destination";
    case Routing::source:
      return "source";
  }
  GDR_ASSERT(false, "a routing has a name");
  return "";
}

void refuse_unknown(const base::Description& description, const PlatformOptions& options) {
  const std::vector<Routing>& known = kind_of(description).routings;
  if (options.routing && std::ranges::find(known, *options.routing) == known.end()) {
    std::vector<std::string_view> names;
    for (const Routing routing : known) names.push_back(name_of(routing));
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
  switch (kind_in(description)) {
    case PlatformKind::torus:
    case PlatformKind::ring:
      return std::string(name_of(routing_of_torus(description, options)));
    case PlatformKind::fat_tree:
      return std::string(name_of(routing_of_fat_tree(description, options)));
    case PlatformKind::mesh:
      return std::string(name_of(Routing::dimension_order));
    case PlatformKind::graph:
      return std::string(name_of(Routing::shortest));
    case PlatformKind::optical_hub:
    case PlatformKind::optical_hub_2d:
    case PlatformKind::single_switch:
    case PlatformKind::dragonfly:
      return "direct";  // one route, which the topology itself gives
  }
  throw Error(fmt::format("network {} is refused: its kind has no rule for routes", description.name));
}

NodeId root_of(std::uint64_t nodes, double exponent, unsigned power, std::string_view what, std::string_view shape) {
  const auto side = static_cast<std::uint64_t>(std::llround(std::pow(static_cast<double>(nodes), exponent)));
  std::uint64_t product = 1;
  for (unsigned i = 0; i < power; ++i) product *= side;
  if (nodes == 0 || product != nodes)
    throw Error(fmt::format("{}: {} is refused: it must be a {}", what, nodes, shape));
  return static_cast<NodeId>(side);
}

}  // namespace

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

Platform make_platform(const base::Description& description, const PlatformOptions& options) {
  const Kind& kind = kind_of(description);
  refuse_unknown(description, options);
  const bool is_grid =
      kind.kind == PlatformKind::torus || kind.kind == PlatformKind::mesh || kind.kind == PlatformKind::ring;
  return {description.name,
          kind.kind,
          kind.make(description, options),
          description.value("bandwidth") * kGiga,
          description.value("node_speed") * kGiga,
          is_grid ? torus_extents(description, options) : std::vector<NodeId>(),
          routing_of(description, options)};
}

Platform load_platform(std::string_view name_or_file, PlatformOptions options) {
  options.file = name_or_file;
  return make_platform(base::load_description(name_or_file, network_kinds()), options);
}

}  // namespace gdr::interconnect
