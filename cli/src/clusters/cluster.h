// Shared by the subcommands of gdr cluster.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/base/stopping.h"
#include "gdr/cluster/cluster.h"
#include "gdr/cluster/nbody_model.h"

namespace gdr::cli {

struct ClusterOptions {
  std::vector<std::string> names{"grape-dr-64"};
  std::optional<double> clock_mhz;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string factors = kNoFactors;
  bool grows = false;
  bool free = false;
  bool multipath = false;

  void add_to(Command command);
  /// The same without the options that change a network. Returns --factors.
  Option add_clusters_to(Command command);
  void add_multipath_to(Command command);
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

/// How far a command is that models runs, shown also while one of them is computed.
class ModelProgress {
 public:
  ModelProgress(const ReportOptions& report, std::size_t runs);
  /// `done` of `all` parts of the present run.
  void part(std::size_t done, std::size_t all);
  /// The present run is done.
  void next();

 private:
  void show();

  std::size_t runs_;
  std::size_t done_ = 0;
  double share_ = 0;  // of the present run that is done
  Progress bar_;
  base::Stopping pauses_;
};

/// The end of a command with a row for each run: prints and writes the report. `words` are those of its text.
void show_rows(const ClusterOptions& clusters, const ReportOptions& options, const base::Report& report, Json words);

// One function for each subcommand; it adds the subcommand to `cluster`.
void add_cluster_advise(Command cluster);
void add_cluster_nbody(Command cluster);
void add_cluster_hpl(Command cluster);
void add_cluster_summa(Command cluster);
void add_cluster_himeno(Command cluster);

}  // namespace gdr::cli
