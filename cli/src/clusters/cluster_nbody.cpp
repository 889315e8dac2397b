// gdr cluster nbody: N-body with individual time steps on many nodes.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "cluster.h"
#include "command/kernel_source.h"
#include "gdr/base/file.h"
#include "gdr/cluster/activity_trace.h"
#include "gdr/cluster/cluster_reports.h"

namespace gdr::cli {
namespace {

using cluster::Cluster;
using cluster::NbodyRow;

struct ClusterNbodyOptions {
  ClusterOptions cluster;
  ReportOptions report;
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> n{100000};
  std::vector<std::string> algorithms{"2d"};
  std::string kernel = "gravity_jerk";
  double t_end = 1;
  std::string block_sizes;
  std::string trace;
  std::optional<std::uint64_t> block;
  bool sweep = false;
  bool overlap = false;
};

std::vector<std::uint64_t> nodes_of(const ClusterNbodyOptions& options, const Cluster& cluster) {
  return options.nodes.empty() ? cluster::sweep_of_nodes(cluster) : options.nodes;
}

/// What all rows share.
struct Model {
  const ClusterNbodyOptions& options;
  isa::Program program = load_kernel(options.kernel);
  interconnect::FlowFactors factors = options.cluster.flow_factors();
  std::vector<hostlib::BlockSteps> measured =
      options.block_sizes.empty()
          ? hostlib::standard_block_steps()
          : hostlib::block_steps_from_csv(base::read_file(options.block_sizes), options.block_sizes);

  [[nodiscard]] cluster::NbodyModelOptions on(const Cluster& cluster, std::uint64_t nodes,
                                              const std::string& algorithm) const {
    return {cluster::nbody_algorithm_named(algorithm), static_cast<cluster::Rank>(nodes * cluster.ranks_per_node),
            options.cluster.transfer, factors, options.overlap};
  }
};

NbodyRow row_of(const Model& model, const Cluster& cluster, std::uint64_t nodes, std::uint64_t n,
                const std::string& algorithm) {
  const hostlib::BlockSteps steps = hostlib::scaled_block_steps(model.measured, static_cast<double>(n));
  const interconnect::Topology network =
      model.options.cluster.network(cluster, static_cast<interconnect::NodeId>(nodes));
  const cluster::NbodyModelOptions how = model.on(cluster, nodes, algorithm);
  const cluster::NbodyCost cost = from_command_line("--nodes, --n, --t-end", [&] {
    return cluster::nbody_cost(cluster, network, model.program, steps, how, model.options.t_end);
  });
  return {cluster.name, nodes, how.ranks, n, algorithm, cost, cluster.power(static_cast<double>(nodes))};
}

/// Traces a block of the first run, of the requested size or of the mean size.
void write_trace(const Model& model, const Cluster& cluster, std::uint64_t nodes) {
  const ClusterNbodyOptions& options = model.options;
  const auto n = static_cast<double>(options.n.front());
  const hostlib::BlockSteps steps = hostlib::scaled_block_steps(model.measured, n);
  const double size = options.block ? static_cast<double>(*options.block) : std::ceil(steps.steps() / steps.blocks());
  if (size > n) throw UsageError(fmt::format("--block: {} is refused: there are {} particles", size, n));
  const interconnect::Topology network = options.cluster.network(cluster, static_cast<interconnect::NodeId>(nodes));
  const cluster::RankGraph graph = cluster::nbody_block(cluster, network, model.program, n, size,
                                                        model.on(cluster, nodes, options.algorithms.front()));
  base::write_file(options.trace,
                   activity_trace(graph, run_critical_path(graph.graph(), network, {model.factors, true}), network));
}

std::vector<NbodyRow> rows_of(const ClusterNbodyOptions& options, const Model& model) {
  ModelProgress progress(options.report, options.cluster.names.size() * options.n.size());
  std::vector<NbodyRow> rows;
  for (const std::string& name : options.cluster.names) {
    const Cluster cluster = options.cluster.load(name);
    const std::vector<std::uint64_t> all_nodes = nodes_of(options, cluster);
    for (const std::uint64_t n : options.n) {
      std::size_t modelled = 0;
      for (const std::uint64_t nodes : all_nodes) {
        progress.part(modelled++, all_nodes.size());
        for (const std::string& algorithm : options.algorithms) {
          // A sweep leaves out impossible combinations; if one was requested explicitly, it is an error.
          const auto ranks = static_cast<cluster::Rank>(nodes * cluster.ranks_per_node);
          if (options.sweep && !takes_ranks(cluster::nbody_algorithm_named(algorithm), ranks)) continue;
          rows.push_back(row_of(model, cluster, nodes, n, algorithm));
        }
      }
      progress.next();
    }
  }
  return rows;
}

int nbody(const ClusterNbodyOptions& given) {
  ClusterNbodyOptions options = given;
  if (options.sweep) options.algorithms = cluster::nbody_algorithm_names();
  const Model model{options};
  const std::vector<NbodyRow> rows = rows_of(options, model);
  if (!options.trace.empty()) {
    const Cluster cluster = options.cluster.load(options.cluster.names.front());
    write_trace(model, cluster, nodes_of(options, cluster).front());
  }

  base::Report report(cluster::nbody_report());
  report.set("t", options.t_end);
  report.set("kernel", options.kernel);
  report.set("transfer", name_of(options.cluster.transfer));
  report.set("factors", options.cluster.factors);
  report.set("network", options.cluster.free ? "free" : "of the cluster");
  report.set("overlap", options.overlap);
  for (const NbodyRow& row : rows) add_row(report, row);
  show_rows(options.cluster, options.report, report, {{"table", report.table()}, {"free", options.cluster.free}});
  return kSuccess;
}

}  // namespace

void add_cluster_nbody(Command group) {
  const auto [command, options] = group.add_command<ClusterNbodyOptions>(
      "nbody", "N-body with individual steps on many nodes: time, efficiency, limiting resource",
      "gdr cluster nbody --nodes 4,16,64 --n 100000", nbody);
  command.add_option("--nodes cluster", options->nodes).by_default("all, and fewer by factors of 4");
  command.add_option("--n modelled", options->n);
  const Option algorithm = command.add_option("--algorithm forces", options->algorithms);
  command.add_option("--kernel forces", options->kernel);
  command.add_option("--t-end", options->t_end);
  command.add_option("--from-block-sizes", options->block_sizes).by_default("docs/block_steps.csv");
  command.add_flag("--sweep", options->sweep, "compare all algorithms").excludes(algorithm);
  command.add_flag("--overlap blocks", options->overlap);
  const Option trace = command.add_output("--trace", options->trace);
  command
      .add_option("--block", options->block,
                  "particles of the block that --trace writes, of the first run; default: the mean block",
                  whole_in_range(1, 1000000000))
      .needs(trace);
  options->cluster.add_to(command);
  options->cluster.add_multipath_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
