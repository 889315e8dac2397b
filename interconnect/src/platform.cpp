#include "gdr/interconnect/platform.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/interconnect/network.h"

namespace gdr::interconnect {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMicro = 1e-6;

NodeId whole(const base::Description& description, std::string_view key) {
  return static_cast<NodeId>(description.value(key));
}

/// A cable of one of `ports` equal ports of a node.
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
  std::vector<NodeId> dimensions{whole(description, "x"), whole(description, "y")};
  if (const NodeId z = whole(description, "z"); z > 1) dimensions.push_back(z);
  if (options.nodes) {
    const bool is_flat = dimensions.size() == 2;
    const NodeId side = is_flat ? square_side(*options.nodes, "nodes of a two-dimensional torus")
                                : cube_side(*options.nodes, "nodes of a three-dimensional torus");
    dimensions.assign(dimensions.size(), side);
  }
  return dimensions;
}

Topology make_torus(const base::Description& description, const PlatformOptions& options) {
  std::vector<NodeId> dimensions = torus_extents(description, options);
  const double ports = 2 * static_cast<double>(dimensions.size());
  return torus(std::move(dimensions), port_of(description, ports), options.tie);
}

Topology make_fat_tree(const base::Description& description, const PlatformOptions& options) {
  FatTree tree{whole(description, "leaves"), whole(description, "nodes_per_leaf"),
               whole(description, "spines"), whole(description, "cables"),
               port_of(description, 1),      options.routing};
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

Topology make_topology(const base::Description& description, const PlatformOptions& options) {
  using Make = Topology (*)(const base::Description&, const PlatformOptions&);
  constexpr std::pair<std::string_view, Make> kKinds[] = {
      {"optical-hub", make_hub}, {"optical-hub-2d", make_hub_2d}, {"torus", make_torus}, {"fat-tree", make_fat_tree}};
  for (const auto& [kind, make] : kKinds) {
    if (description.kind == kind) return make(description, options);
  }
  throw Error(
      fmt::format("{}: a {} is no platform for schedules: it must be an optical-hub, optical-hub-2d, torus or "
                  "fat-tree",
                  description.name, description.kind));
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

Platform make_platform(const base::Description& description, const PlatformOptions& options) {
  return {description.name,
          description.kind,
          make_topology(description, options),
          description.value("bandwidth") * kGiga,
          description.value("node_speed") * kGiga,
          description.kind == "torus" ? torus_extents(description, options) : std::vector<NodeId>()};
}

Platform load_platform(std::string_view name_or_file, const PlatformOptions& options) {
  return make_platform(base::load_description(name_or_file, network_kinds()), options);
}

}  // namespace gdr::interconnect
