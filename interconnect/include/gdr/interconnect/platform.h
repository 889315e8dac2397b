// Platforms made from descriptions: a topology whose nodes divide their bandwidth among their ports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// How routes are chosen. load_platform() throws for one that the kind of network does not support, see
/// routing_names_of().
enum class Routing {
  shortest,         // shortest_paths()
  dimension_order,  // x first
  destination,      // the destination selects the cable
  source,           // the source selects the cable
  hash,             // pair_hash() selects the cable; in a ring the way round, in dimension order
  all               // each message is divided equally among all paths of that kind
};
/// The names that descriptions and users give them: shortest, dimension-order, ...
[[nodiscard]] std::string_view name_of(Routing routing);
[[nodiscard]] std::optional<Routing> routing_called(std::string_view name);
[[nodiscard]] const std::vector<std::string>& routing_names();
/// Those that a kind of network may choose; none if each pair of its nodes has one route anyway.
[[nodiscard]] std::vector<std::string> routing_names_of(std::string_view kind);

struct PlatformOptions {
  std::optional<NodeId> nodes;     // instead of the description's
  std::optional<Routing> routing;  // instead of the description's or the kind's own
  std::optional<TieRule> tie;      // for dimension order on a torus or ring; default: direct
  std::string file;                // of the description, beside which its tables lie; load_platform() sets it
};

/// Kinds of platform, which descriptions name optical-hub, torus, ...
enum class PlatformKind {
  optical_hub,
  optical_hub_2d,
  single_switch,  // "switch"
  ring,
  mesh,
  torus,
  fat_tree,
  dragonfly,
  graph,
  table,        // links and the links of every route, as tables beside the description give them
  sub_clusters  // "ha-pacs-tca": PEACH2 within sub-clusters, InfiniBand between them
};

/// Nodes that the wavelengths of one optical hub suffice for: "about 80" (Urino 2020, section 5.2). A two-dimensional
/// hub has a hub for each row and each column.
inline constexpr NodeId kHubWavelengths = 80;

struct Platform {
  std::string description;  // name
  PlatformKind kind = PlatformKind::optical_hub;
  Topology topology;
  double node_bytes_per_second = 0;        // of all ports of a node
  double flops_per_second = 0;             // of a node; of the slowest if they differ
  std::vector<NodeId> extents;             // of a torus, ring or mesh, x first; empty for other kinds
  std::string routing;                     // the rule that decides the routes, in words
  bool is_even = false;                    // all links carry about the same if all nodes send to all
  std::string warning;                     // why a network like this cannot be built; empty for those that can
  NodeId nodes_together = 0;               // nodes of a sub-cluster, which numbers in a row join; 0: there are none
  std::vector<double> flops_of_node = {};  // shape: [nodes]; empty if all have the same speed

  /// flops_per_second, for models in which all nodes compute alike. Throws gdr::Error, naming two nodes, if they do
  /// not.
  [[nodiscard]] double common_flops_per_second() const;
};

/// The platform for ranks that are placed on other nodes, as placed(const Topology&, ...) in topology.h says.
[[nodiscard]] Platform placed(Platform platform, const std::vector<NodeId>& node_of_rank);

/// A platform from a description by name or file. A node's bandwidth is divided equally among its ports. The number of
/// ports is `nodes` on an optical hub (Urino 2020, section 3.4: nodes - 1, taken as nodes), 2 sqrt(nodes) on a
/// two-dimensional one (table 8), two for each dimension of a torus or mesh, and one on a fat tree (table 6), a switch
/// or a dragonfly. Throws gdr::Error as load_network() and the generators do, if a number of nodes does not fit the
/// kind, and for a routing or a tie rule that the kind or its routing does not support.
[[nodiscard]] Platform load_platform(std::string_view name_or_file, PlatformOptions options = {});
/// The same from a description that is already loaded.
[[nodiscard]] Platform make_platform(const base::Description& description, const PlatformOptions& options = {});

/// The kinds of network that load_platform() takes.
[[nodiscard]] const std::vector<base::DescriptionKind>& platform_kinds();

/// Side of a square of `nodes`. Throws gdr::Error naming `what` if `nodes` is no square.
[[nodiscard]] NodeId square_side(std::uint64_t nodes, std::string_view what);
/// Side of a cube of `nodes`. Throws gdr::Error naming `what` if `nodes` is no cube.
[[nodiscard]] NodeId cube_side(std::uint64_t nodes, std::string_view what);

}  // namespace gdr::interconnect
