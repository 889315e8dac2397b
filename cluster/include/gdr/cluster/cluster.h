// Clusters as descriptions give them: boards, hosts and a network.
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
  unsigned ranks_per_node = 1;  // divides boards_per_node
  double message_overhead = 0;  // seconds that a host works for a message that it sends
  double loopback_rate = 0;     // bytes/s between ranks of a node, one message at a time
  double loopback_latency = 0;  // seconds
  double memory = 0;            // bytes of a node
  double host_power = 0;        // W of a node without boards
  double board_power = 0;       // W of a board
  double network_power = 0;     // W of the network, for each node

  [[nodiscard]] unsigned boards_per_rank() const { return boards_per_node / ranks_per_node; }
  /// Nodes on which this many ranks run.
  [[nodiscard]] interconnect::NodeId nodes_of(unsigned ranks) const {
    return (ranks + ranks_per_node - 1) / ranks_per_node;
  }
  /// W of this many nodes at work.
  [[nodiscard]] double power(double nodes) const {
    return nodes * (host_power + board_power * boards_per_node + network_power);
  }
  /// The board as one of a node's ranks finds it: the ranks of a node share what their host writes.
  [[nodiscard]] emulator::MachineDescription board_of_rank() const;
};

/// Kind "cluster", with the parts `board`, `host` and `network`.
[[nodiscard]] const base::KindOfParts& cluster_kind();
/// Throws gdr::Error as base::load_description_of_parts() does, for its parts too, and if ranks_per_node does not
/// divide boards_per_node.
[[nodiscard]] Cluster load_cluster(std::string_view name_or_file);
[[nodiscard]] std::vector<std::string> cluster_names();

/// The network with room for `nodes` nodes. The first of the description's are taken; if it has fewer, its kind is made
/// as large as that where `grows` is set. Throws gdr::Error, naming what there is, where it has too few.
[[nodiscard]] interconnect::Platform platform_for(const Cluster& cluster, interconnect::NodeId nodes,
                                                  bool grows = false);

}  // namespace gdr::cluster
