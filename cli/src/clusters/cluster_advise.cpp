// gdr cluster advise: which cluster, how many nodes and which algorithm.
#include "cluster.h"
#include "command/kernel_source.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/cluster/nbody_advice.h"

namespace gdr::cli {
namespace {

using cluster::NbodyAdvice;

struct ClusterAdviseOptions {
  ClusterOptions cluster;
  ReportOptions report;
  std::uint64_t n = 0;
  double efficiency = 0.5;
  std::string kernel = "gravity_jerk";
};

int advise(const ClusterAdviseOptions& options) {
  std::vector<cluster::Cluster> clusters;
  for (const std::string& name : options.cluster.names) clusters.push_back(options.cluster.load(name));
  const hostlib::BlockSteps steps = hostlib::block_steps_for(static_cast<double>(options.n));
  ModelProgress progress(options.report, 1);
  const NbodyAdvice advice =
      advise_nbody(clusters, load_kernel(options.kernel), steps,
                   {options.efficiency, options.cluster.transfer, options.cluster.flow_factors()},
                   [&](std::size_t done, std::size_t all) { progress.part(done, all); });
  Json json = options.report.begin(advice.best.cluster, "model", false);
  json["n"] = options.n;
  json["least_efficiency"] = options.efficiency;
  json["kernel"] = options.kernel;
  json["transfer"] = name_of(options.cluster.transfer);
  cluster::add_advice(json, advice);
  options.report.show(
      json, {{"is_less", advice.best.efficiency < options.efficiency}, {"others", cluster::others_of(advice)}});
  return kSuccess;
}

}  // namespace

void add_cluster_advise(Command group) {
  const auto [command, options] = group.add_command<ClusterAdviseOptions>(
      "advise", "N-body: best cluster, number of nodes and algorithm, with the reason", "gdr cluster advise --n 100000",
      advise);
  options->cluster.names = {"grape-dr-64", "grape-dr-64-torus", "grape-dr-64-hub"};
  command.add_option("--n modelled", options->n).required();
  command.add_option("--efficiency", options->efficiency, "lowest efficiency at which more nodes are worth their cost",
                     in_range(0.001, 1));
  command.add_option("--kernel forces", options->kernel);
  options->cluster.add_clusters_to(command);
  options->cluster.add_multipath_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
