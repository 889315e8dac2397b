// Clusters of boards, hosts and a network, as their description files give them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description_of_parts.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/platform.h"

namespace gdr::cluster {

struct Cluster {
  std::string name;
  std::string title;
  emulator::MachineDescription board;
  HostDescription host;
  std::string network;  // name or file of its description
  unsigned boards_per_node = 1;
  unsigned ranks_per_node = 1;  // must divide boards_per_node
  double message_overhead = 0;  // seconds of host time for each message that it sends
  double loopback_rate = 0;     // bytes/s between ranks of a node, one message at a time
  double loopback_latency = 0;  // seconds
  double host_power = 0;        // W of a node without boards
  double board_power = 0;       // W of a board
  double network_power = 0;     // W of the network, for each node
  /// Messages may also be sent over all nodes of a run as relays (ActivityGraph::relayed()). A model does so if it
  /// makes a run faster.
  bool multipath = false;

  [[nodiscard]] unsigned boards_per_rank() const { return boards_per_node / ranks_per_node; }
  /// Nodes on which this many ranks run.
  [[nodiscard]] interconnect::NodeId nodes_of(unsigned ranks) const {
    return (ranks + ranks_per_node - 1) / ranks_per_node;
  }
  /// Power of this many working nodes, in W.
  [[nodiscard]] double power(double nodes) const {
    return nodes * (host_power + board_power * boards_per_node + network_power);
  }
  /// The board with the transfer rates that one rank of a node gets: the ranks of a node share the rates at which their
  /// host writes to boards.
  [[nodiscard]] emulator::MachineDescription board_of_rank() const;
};

/// The kind of description "cluster", with the parts `board`, `host` and `network`.
[[nodiscard]] const base::KindOfParts& cluster_kind();
/// Reads a cluster by name or from a file. Throws gdr::Error as base::load_description_of_parts() does, also for its
/// parts, and if ranks_per_node does not divide boards_per_node.
[[nodiscard]] Cluster load_cluster(std::string_view name_or_file);
[[nodiscard]] std::vector<std::string> cluster_names();

/// The cluster's network with at least `nodes` nodes, of which the first are used. If the description has fewer, a
/// network of its kind with `nodes` nodes is made if `grows` is set; else throws gdr::Error with the number of nodes
/// that there are.
[[nodiscard]] interconnect::Platform platform_for(const Cluster& cluster, interconnect::NodeId nodes,
                                                  bool grows = false);

/// Numbers of nodes in a sweep: 1, and further ones by factors of 4 up to the number that the cluster has.
[[nodiscard]] std::vector<std::uint64_t> sweep_of_nodes(const Cluster& cluster);

/// Kinds of all descriptions: boards, hosts, networks, and clusters that combine them.
[[nodiscard]] std::vector<base::DescriptionKind> all_kinds();
/// Loads a description of any of them; it has no parts if its kind has none. Throws gdr::Error as
/// base::load_description().
[[nodiscard]] base::DescriptionOfParts load_any(const std::string& name_or_file);

}  // namespace gdr::cluster
