// gdr cluster himeno: an iteration of the Himeno benchmark, with its points on boards or on hosts.
#include <fmt/format.h>

#include <fmt/ranges.h>
#include <algorithm>

#include "cluster.h"
#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::cli {
namespace {

/// Other commands have commas between the numbers of a split.
std::string with_crosses(std::string split) {
  std::ranges::replace(split, ',', 'x');
  return split;
}

using cluster::Cluster;
using cluster::Extents;
using cluster::HimenoPlace;
using cluster::HimenoRow;

struct ClusterHimenoOptions {
  ClusterOptions cluster;
  ReportOptions report;
  std::vector<std::uint64_t> nodes{64};
  std::vector<std::string> sizes{"L"};
  std::string split;
  HimenoPlace place = HimenoPlace::board;
  PlacementOptions placement;
  bool overlap = false;
};

/// A run on `nodes` nodes, with the split of the options or the fastest one.
std::pair<cluster::HimenoOptions, cluster::HimenoTimes> run_of(const ClusterHimenoOptions& options,
                                                               const Cluster& cluster,
                                                               const interconnect::Topology& network,
                                                               std::uint64_t nodes, const std::string& size,
                                                               ModelProgress& progress) {
  cluster::HimenoOptions himeno;
  himeno.size = from_command_line("--size", [&] { return cluster::himeno_size(size); });
  himeno.place = options.place;
  himeno.transfer = options.cluster.transfer;
  himeno.factors = options.cluster.flow_factors();
  himeno.overlap = options.overlap;
  const auto ranks = static_cast<cluster::Rank>(nodes * cluster.ranks_per_node);
  if (options.split.empty()) {
    const cluster::HimenoChoice fastest = from_command_line("--size, --nodes", [&] {
      return cluster::fastest_himeno(cluster, network, himeno, ranks,
                                     [&](std::size_t done, std::size_t all) { progress.part(done, all); });
    });
    himeno.split = fastest.split;
    return {himeno, fastest.times};
  }
  himeno.split = from_command_line("--split", [&] { return cluster::parse_extents(with_crosses(options.split)); });
  if (himeno.split[0] * himeno.split[1] * himeno.split[2] != ranks) {
    throw UsageError(fmt::format("--split: {} is refused: there {} {}", options.split, ranks == 1 ? "is" : "are",
                                 base::counted(ranks, "rank")));
  }
  return {himeno, from_command_line("--size, --nodes", [&] { return himeno_times(cluster, network, himeno); })};
}

void save_graph(const std::string& file, const cluster::HimenoOptions& run) {
  const auto tasks = static_cast<interconnect::TaskId>(run.split[0] * run.split[1] * run.split[2]);
  base::write_file(file, graph_csv(interconnect::TaskGraph(tasks, himeno_traffic(run))));
}

std::vector<HimenoRow> rows_of(const ClusterHimenoOptions& options) {
  ModelProgress progress(options.report, options.cluster.names.size() * options.nodes.size() * options.sizes.size());
  std::vector<HimenoRow> rows;
  for (const std::string& name : options.cluster.names) {
    const Cluster cluster = options.cluster.load(name);
    for (const std::uint64_t nodes : options.nodes) {
      const interconnect::Topology network =
          options.placement.placed(options.cluster.network(cluster, static_cast<interconnect::NodeId>(nodes)));
      for (const std::string& size : options.sizes) {
        const auto [run, times] = run_of(options, cluster, network, nodes, size, progress);
        progress.next();
        // The task graph of the first run.
        if (rows.empty() && !options.placement.save_graph.empty()) save_graph(options.placement.save_graph, run);
        rows.push_back({cluster.name, nodes, size, run.split, times});
      }
    }
  }
  return rows;
}

int himeno(const ClusterHimenoOptions& options) {
  const std::vector<HimenoRow> rows = rows_of(options);
  base::Report report(cluster::himeno_report());
  report.set("on", name_of(options.place));
  report.set("overlap", options.overlap);
  report.set("transfer", name_of(options.cluster.transfer));
  for (const HimenoRow& row : rows) add_row(report, row);
  show_rows(options.cluster, options.report, report, {{"table", report.table()}});
  return kSuccess;
}

}  // namespace

void add_cluster_himeno(Command group) {
  const auto [command, options] = group.add_command<ClusterHimenoOptions>(
      "himeno", "Himeno benchmark on many nodes: speed of the boards with halos and memories",
      "gdr cluster himeno --nodes 8,64 --size L,XL --overlap", himeno);
  command.add_option("--nodes cluster", options->nodes);
  command.add_option("--size=SIZE", options->sizes, "grids: XS, S, M, L, XL or AxBxC points, with commas between them")
      .delimiter(',');
  command.add_option("--split ranks", options->split).by_default("the fastest of all on each network");
  command.add_choice("--on", options->place, {HimenoPlace::board, HimenoPlace::host},
                     "processor that computes the points; its memory limits the speed");
  options->placement.add_to(command);
  command.add_flag("--overlap points", options->overlap);
  options->cluster.add_multipath_to(command);
  options->cluster.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
