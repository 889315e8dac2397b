// Platforms as descriptions give them: a topology whose nodes share out their bandwidth over their ports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

struct PlatformOptions {
  std::optional<NodeId> nodes;                    // instead of the description's
  TieRule tie = TieRule::plus;                    // torus
  FatTreeRouting routing = FatTreeRouting::pair;  // fat tree
};

struct Platform {
  std::string description;  // name
  std::string kind;         // of the description: optical-hub, optical-hub-2d, torus, fat-tree
  Topology topology;
  double node_bytes_per_second = 0;  // of all ports of a node
  double flops_per_second = 0;       // of a node
  std::vector<NodeId> extents;       // of a torus, x first; empty elsewhere
};

/// A platform from a description by name or file. A node's bandwidth is shared out over its ports: nodes of them on an
/// optical hub (Urino 2020, section 3.4: nodes - 1, taken as nodes), 2 sqrt(nodes) on a two-dimensional one (table 8),
/// two for each dimension of a torus, one on a fat tree (table 6). Throws gdr::Error as load_network() and the
/// generators do, and if a number of nodes does not fit the kind: no square for a two-dimensional hub or torus, no
/// multiple of twice the leaves for a fat tree.
[[nodiscard]] Platform load_platform(std::string_view name_or_file, const PlatformOptions& options = {});
/// The same from a description that is loaded.
[[nodiscard]] Platform make_platform(const base::Description& description, const PlatformOptions& options = {});

/// Side of a square of `nodes`. Throws gdr::Error naming `what` if there is none.
[[nodiscard]] NodeId square_side(std::uint64_t nodes, std::string_view what);
/// Side of a cube of `nodes`. Throws gdr::Error naming `what` if there is none.
[[nodiscard]] NodeId cube_side(std::uint64_t nodes, std::string_view what);

}  // namespace gdr::interconnect
