// Which process of a communicator becomes which rank, so that ranks that exchange data are near each other on a
// network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/interconnect/network_mapping.h"

namespace gdr::interconnect {

/// An order of the processes, and its costs beside those of the old order.
struct RankOrder {
  std::vector<std::uint32_t> process_of;  // by new rank: the rank in the old communicator
  NetworkMappingCost cost;
  NetworkMappingCost natural;

  /// True if each process keeps its rank.
  [[nodiscard]] bool is_natural() const;
};

/// The network and the traffic that the environment describes:
///   GDR_REORDER                 the network: torus:AxBx..., mesh:AxBx..., a name or FILE.toml
///   GDR_REORDER_HOSTS           file with the hosts of its nodes, in the order of their numbers
///   GDR_REORDER_TASKS_PER_NODE  without hosts: rank r of MPI_COMM_WORLD is on node r / this (default 1)
///   GDR_REORDER_GRAPH           file with the traffic between ranks; default: what the program says about neighbours
///   GDR_REORDER_OBJECTIVE       cost (default) or link
/// All functions throw gdr::Error, which names the variable.
class NetworkOrder {
 public:
  [[nodiscard]] static NetworkOrder from_environment();

  /// True if the nodes of the processes follow from the names of their hosts.
  [[nodiscard]] bool needs_hosts() const { return !hosts_.empty(); }
  [[nodiscard]] std::vector<NodeId> nodes_of_hosts(const std::vector<std::string>& host_of_process) const;
  /// Processes outside of MPI_COMM_WORLD have the rank -1 and are refused.
  [[nodiscard]] std::vector<NodeId> nodes_of_ranks(const std::vector<int>& world_rank_of_process) const;

  /// The order for a communicator whose process p is on node_of_process[p]. `neighbours` is what the program says; its
  /// tasks are the new ranks. The result is never worse than the old order, and the same whenever it is asked for.
  [[nodiscard]] RankOrder order(const TaskGraph& neighbours, const std::vector<NodeId>& node_of_process) const;

  [[nodiscard]] const std::string& network() const { return network_; }
  [[nodiscard]] const std::string& objective() const { return objective_; }
  /// Name of the file with the traffic, or "neighbours".
  [[nodiscard]] std::string graph() const { return graph_file_.empty() ? "neighbours" : graph_file_; }

 private:
  NetworkOrder(std::string network, Topology topology) : network_(std::move(network)), topology_(std::move(topology)) {}

  std::string network_;
  Topology topology_;
  std::vector<std::string> hosts_;  // by node
  std::uint32_t tasks_per_node_ = 1;
  std::string graph_file_;
  std::optional<TaskGraph> graph_;
  std::string objective_ = "cost";
};

}  // namespace gdr::interconnect
