// gdr cluster summa: a parallel matrix product in which boards multiply the blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "clusters/cluster.h"
#include "command/kernel_source.h"
#include "gdr/base/file.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/mapping_run.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

using cluster::Cluster;
using cluster::SummaRow;
using interconnect::SummaAlgorithm;

struct ClusterSummaOptions {
  ClusterOptions cluster;
  ReportOptions report;
  std::vector<std::uint64_t> nodes{64};
  std::vector<std::uint64_t> n{8192, 16384, 32768, 65536};
  std::vector<std::string> algorithms{"CA1", "CA4"};
  std::string kernel = "dgemm";
  std::string small_depths = "own-rows";
  PlacementOptions placement;
  bool in_turn = false;
};

interconnect::SummaPlan plan_of(const Cluster& cluster, std::uint64_t nodes, std::uint64_t n,
                                const std::string& algorithm) {
  return interconnect::make_summa({.nodes = static_cast<interconnect::Rank>(nodes * cluster.ranks_per_node),
                                   .n = n,
                                   .algorithm = static_cast<SummaAlgorithm>(algorithm.back() - '0'),
                                   .tree_radix = interconnect::load_tree_radix("mvapich2")});
}

/// Saves how much the ranks of the first run send to each other, for gdr net map.
void save_graph(const ClusterSummaOptions& options) {
  const Cluster cluster = options.cluster.load(options.cluster.names.front());
  const interconnect::SummaPlan plan = from_command_line("--nodes", [&] {
    return plan_of(cluster, options.nodes.front(), options.n.front(), options.algorithms.front());
  });
  base::write_file(options.placement.save_graph, graph_csv(interconnect::graph_of(plan.schedule)));
}

SummaRow row_of(const ClusterSummaOptions& options, const Cluster& cluster, const interconnect::Topology& network,
                const DgemmModel& board, std::uint64_t nodes, std::uint64_t n, const std::string& algorithm) {
  const cluster::SummaClusterOptions how{
      .transfer = {.mode = options.cluster.transfer, .small_depths = small_depths_named(options.small_depths)},
      .factors = options.cluster.flow_factors(),
      .overlap = !options.in_turn};
  SummaRow row{cluster.name, nodes, n, algorithm, {}};
  row.times = from_command_line("--n, --nodes", [&] {
    if (nodes * cluster.ranks_per_node == 1) return summa_times_of_one_rank(cluster, board, n, how);
    return summa_times(cluster, network, board, plan_of(cluster, nodes, n, algorithm), how);
  });
  return row;
}

std::vector<SummaRow> rows_of(const ClusterSummaOptions& options) {
  const isa::Program program = load_kernel(options.kernel);
  ModelProgress progress(options.report, options.cluster.names.size() * options.nodes.size() * options.n.size() *
                                             options.algorithms.size());
  std::vector<SummaRow> rows;
  for (const std::string& name : options.cluster.names) {
    const Cluster cluster = options.cluster.load(name);
    const DgemmModel board(program, cluster.board_of_rank(), cluster.boards_per_rank());
    for (const std::uint64_t nodes : options.nodes) {
      const interconnect::Topology network =
          options.placement.placed(options.cluster.network(cluster, static_cast<interconnect::NodeId>(nodes)));
      for (const std::uint64_t n : options.n) {
        for (const std::string& algorithm : options.algorithms) {
          rows.push_back(row_of(options, cluster, network, board, nodes, n, algorithm));
          progress.next();
        }
      }
    }
  }
  return rows;
}

int summa(const ClusterSummaOptions& options) {
  if (!options.placement.save_graph.empty()) save_graph(options);
  const std::vector<SummaRow> rows = rows_of(options);
  base::Report report(cluster::summa_report());
  report.set("overlap", !options.in_turn);
  report.set("transfer", name_of(options.cluster.transfer));
  report.set("small_depths", options.small_depths);
  for (const SummaRow& row : rows) add_row(report, row);
  show_rows(options.cluster, options.report, report, {{"table", report.table()}});
  return kSuccess;
}

}  // namespace

void add_cluster_summa(Command group) {
  const auto [command, options] =
      group.add_command<ClusterSummaOptions>("summa", "parallel matrix product by SUMMA on many nodes with boards",
                                             "gdr cluster summa --cluster grape-dr-64-hub --n 8192,65536", summa);
  command.add_option("--nodes cluster", options->nodes);
  command.add_option("--n order", options->n);
  command.add_option("--algorithm summa", options->algorithms);
  command.add_option("--kernel products", options->kernel);
  command.add_option("--small-depths", options->small_depths);
  options->placement.add_to(command);
  command.add_flag("--in-turn", options->in_turn, "let a rank wait for its product before its next messages");
  options->cluster.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
