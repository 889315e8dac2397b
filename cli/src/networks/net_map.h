// Shared by the two ways of gdr net map: grids of up to three axes with one task a node, and any other network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/interconnect/mapping_run.h"

namespace gdr::cli {

struct NetMapOptions {
  ReportOptions report;
  std::string graph;
  std::string topology;
  std::uint32_t tasks_per_node = 1;
  std::string method = "refined";
  std::string objective = "cost";
  std::string tie = "direct";
  std::string axis_order = "xyz";
  std::uint64_t bytes = 2048;
  std::string npb_class = "B";
  unsigned threads = 1;
  std::uint64_t seed = 1;
  double effort = 1;
  std::optional<double> time_limit;
  bool full = false;
  std::string rankfile;
  std::string hosts;
  std::string hostfile;
  std::string picture;
  std::string save_graph;
  std::string save_map;
  bool simulate = false;
  std::string network = "opennsim-torus";
};

/// The task graph that the options name, with at most as many tasks as there are places.
[[nodiscard]] interconnect::GraphFile graph_for(const NetMapOptions& options, std::uint32_t places);
[[nodiscard]] interconnect::MappingRequest request_of(const NetMapOptions& options);

/// Shows the progress of a mapping, and ends it at the time limit.
class MappingBar {
 public:
  explicit MappingBar(const NetMapOptions& options)
      : bar_("mapping", options.report.progress_shown()), limit_(options.time_limit) {}
  [[nodiscard]] interconnect::MappingProgress progress();

 private:
  Progress bar_;
  Stopwatch watch_;
  std::optional<double> limit_;
};

/// The objective of refined, in words; null for other methods.
[[nodiscard]] Json goal_of(const NetMapOptions& options);
/// The names in the file of --hosts; none without it.
[[nodiscard]] std::vector<std::string> hosts_for(const NetMapOptions& options);
/// Writes the files of --rankfile and --hostfile; `mapping` has the place of each task among `hosts`.
void write_rankfiles(const NetMapOptions& options, const interconnect::TaskMapping& mapping,
                     const std::vector<std::string>& hosts);
/// Says on standard error which traffic the mapping does not know of.
void warn_of_missing_traffic(const interconnect::GraphFile& file, const std::string& name);

/// True unless the network is a grid of up to three axes with one task a node, which has methods of its own.
[[nodiscard]] bool is_any_network(const NetMapOptions& options);
int map_tasks_on_network(const NetMapOptions& options);

}  // namespace gdr::cli
