// Platforms as descriptions give them: a topology whose nodes share out their bandwidth over their ports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// How messages find their way; which of these a kind of network knows, load_platform() says.
enum class Routing {
  shortest,         // shortest_paths(): torus, ring, fat tree; graphs know no other
  dimension_order,  // torus, ring, mesh: x first
  destination,      // fat tree: the cable by the destination
  source            // fat tree: the cable by the source
};

struct PlatformOptions {
  std::optional<NodeId> nodes;     // instead of the description's
  std::optional<Routing> routing;  // instead of the description's or the kind's own
  std::optional<TieRule> tie;      // of dimension order on a torus or ring; default: direct
  std::string file;                // of the description, whose tables stand beside it; load_platform() sets it
};

/// What a description calls its kind: optical-hub, torus, ...
enum class PlatformKind {
  optical_hub,
  optical_hub_2d,
  single_switch,  // "switch"
  ring,
  mesh,
  torus,
  fat_tree,
  dragonfly,
  graph
};

struct Platform {
  std::string description;  // name
  PlatformKind kind = PlatformKind::optical_hub;
  Topology topology;
  double node_bytes_per_second = 0;  // of all ports of a node
  double flops_per_second = 0;       // of a node
  std::vector<NodeId> extents;       // of a torus, ring or mesh, x first; empty elsewhere
  std::string routing;               // what decides the routes, in words
};

/// A platform from a description by name or file. A node's bandwidth is shared out over its ports: nodes of them on an
/// optical hub (Urino 2020, section 3.4: nodes - 1, taken as nodes), 2 sqrt(nodes) on a two-dimensional one (table 8),
/// two for each dimension of a torus or mesh, one on a fat tree (table 6), a switch or a dragonfly. Throws gdr::Error
/// as load_network() and the generators do, if a number of nodes does not fit the kind, and for a routing or a tie rule
/// that the kind or its routing does not know.
[[nodiscard]] Platform load_platform(std::string_view name_or_file, PlatformOptions options = {});
/// The same from a description that is loaded.
[[nodiscard]] Platform make_platform(const base::Description& description, const PlatformOptions& options = {});

/// The kinds of network that load_platform() takes.
[[nodiscard]] const std::vector<base::DescriptionKind>& platform_kinds();

/// Side of a square of `nodes`. Throws gdr::Error naming `what` if there is none.
[[nodiscard]] NodeId square_side(std::uint64_t nodes, std::string_view what);
/// Side of a cube of `nodes`. Throws gdr::Error naming `what` if there is none.
[[nodiscard]] NodeId cube_side(std::uint64_t nodes, std::string_view what);

}  // namespace gdr::interconnect
