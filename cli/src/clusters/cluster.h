// Shared by the subcommands of gdr cluster.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/cluster/cluster.h"
#include "gdr/cluster/nbody_model.h"

namespace gdr::cli {

struct ClusterOptions {
  std::vector<std::string> names{"grape-dr-64"};
  std::optional<double> clock_mhz;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string factors = "none";
  bool grows = false;
  bool free = false;

  void add_to(Command command);
  /// The same without the options that change a network.
  void add_clusters_to(Command command);
  /// Throws UsageError for an unknown name.
  [[nodiscard]] cluster::Cluster load(const std::string& name) const;
  /// The network between `nodes` nodes. Throws UsageError if it has fewer.
  [[nodiscard]] interconnect::Topology network(const cluster::Cluster& cluster, interconnect::NodeId nodes) const;
  [[nodiscard]] interconnect::FlowFactors flow_factors() const;
};

/// For gdr net map: on which nodes ranks run, and how much they send to each other.
struct PlacementOptions {
  std::string map;
  std::string save_graph;

  void add_to(Command command);
  /// The network with each rank on the node that the map gives; without a map, unchanged.
  [[nodiscard]] interconnect::Topology placed(interconnect::Topology network) const;
};

/// Seconds for each part, as JSON.
[[nodiscard]] Json json_of_parts(const std::array<double, cluster::kParts>& parts);

/// Options of HPL on many nodes.
struct HplOptions {
  std::uint64_t nb = 2048;
  std::string kernel = "dgemm";
  std::string small_depths = "fixed-unit";
  std::string grid;
  unsigned lookahead = 1;
  bool overlap_u = false;

  /// Adds grid, look-ahead and overlap; the other options are shared with runs on one node.
  std::vector<Option> add_to(Command command);
};

/// gdr hpl --nodes: a matrix of order n on `nodes` nodes of the first cluster. Returns the exit status.
int hpl_on_nodes(const ClusterOptions& options, const HplOptions& hpl, const ReportOptions& report, std::uint64_t nodes,
                 std::uint64_t n);

// One function for each subcommand; it adds the subcommand to `cluster`.
void add_cluster_advise(Command cluster);
void add_cluster_nbody(Command cluster);
void add_cluster_hpl(Command cluster);
void add_cluster_summa(Command cluster);
void add_cluster_himeno(Command cluster);

}  // namespace gdr::cli
