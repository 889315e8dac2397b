// gdr cluster advise: which cluster, how many nodes and which algorithm.
#include "cluster.h"
#include "command/kernel_source.h"
#include "gdr/cluster/nbody_advice.h"

namespace gdr::cli {
namespace {

using cluster::NbodyAdvice;
using cluster::NbodyCandidate;

struct ClusterAdviseOptions {
  ClusterOptions cluster;
  ReportOptions report;
  std::uint64_t n = 0;
  double efficiency = 0.5;
  std::string kernel = "gravity_jerk";
};

Json json_of(const NbodyCandidate& candidate) {
  return {{"cluster", candidate.cluster},
          {"nodes", candidate.nodes},
          {"algorithm", cluster::name_of(candidate.algorithm)},
          {"seconds", candidate.seconds},
          {"gflops", candidate.gflops},
          {"efficiency", candidate.efficiency},
          {"bound_by", candidate.bound_by}};
}

Json json_of(const std::vector<NbodyCandidate>& candidates) {
  Json json = Json::array();
  for (const NbodyCandidate& candidate : candidates) json.push_back(json_of(candidate));
  return json;
}

/// The best candidates of other algorithms and of other clusters.
Json others(const NbodyAdvice& advice) {
  Json all = Json::array();
  for (const NbodyCandidate& other : advice.algorithms) {
    if (other.algorithm != advice.best.algorithm) all.push_back(json_of(other));
  }
  for (const NbodyCandidate& other : advice.clusters) {
    if (other.cluster != advice.best.cluster) all.push_back(json_of(other));
  }
  return all;
}

int advise(const ClusterAdviseOptions& options) {
  std::vector<cluster::Cluster> clusters;
  for (const std::string& name : options.cluster.names) clusters.push_back(options.cluster.load(name));
  const hostlib::BlockSteps steps = hostlib::block_steps_for(static_cast<double>(options.n));
  const NbodyAdvice advice =
      advise_nbody(clusters, load_kernel(options.kernel), steps,
                   {options.efficiency, options.cluster.transfer, options.cluster.flow_factors()});
  Json json = options.report.begin(advice.best.cluster, "model", false);
  json["n"] = options.n;
  json["least_efficiency"] = options.efficiency;
  json["kernel"] = options.kernel;
  json["transfer"] = name_of(options.cluster.transfer);
  json["best"] = json_of(advice.best);
  json["algorithms"] = json_of(advice.algorithms);
  json["clusters"] = json_of(advice.clusters);
  json["larger"] = advice.larger.nodes > advice.best.nodes ? json_of(advice.larger) : Json(nullptr);
  json["gain"] = {{"free_network", advice.free_network}, {"planned_transfers", advice.planned_transfers}};
  options.report.show(json, {{"is_less", advice.best.efficiency < options.efficiency}, {"others", others(advice)}});
  return kSuccess;
}

}  // namespace

void add_cluster_advise(Command group) {
  const auto [command, options] = group.add_command<ClusterAdviseOptions>(
      "advise", "N-body: best cluster, number of nodes and algorithm, with the reason", "gdr cluster advise --n 100000",
      advise);
  options->cluster.names = {"grape-dr-64", "grape-dr-64-torus", "grape-dr-64-hub"};
  command.add_option("-n,--n", options->n, "particles", whole_in_range(2, 1000000000)).required();
  command.add_option("--efficiency", options->efficiency, "lowest efficiency at which more nodes are worth their cost",
                     in_range(0.001, 1));
  add_force_kernel(command, options->kernel);
  options->cluster.add_clusters_to(command);
  options->cluster.add_multipath_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
