// gdr cluster advise: which cluster, how many nodes and which algorithm.
#include <fmt/format.h>

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

std::string text_of(const NbodyCandidate& candidate) {
  return fmt::format("{} on {} node{} of {}: {:.4g} Tflops, efficiency {:.1f} %", cluster::name_of(candidate.algorithm),
                     candidate.nodes, candidate.nodes == 1 ? "" : "s", candidate.cluster, candidate.gflops / 1e3,
                     100 * candidate.efficiency);
}

void print(const NbodyAdvice& advice, const ClusterAdviseOptions& options) {
  const NbodyCandidate& best = advice.best;
  fmt::print("N = {}: take {}\n", options.n, text_of(best));
  fmt::print("  takes      {:.4g} s a unit of time; most of it is spent on: {}\n", best.seconds, best.bound_by);
  if (best.efficiency < options.efficiency) {
    fmt::print("  note       nothing reaches an efficiency of {:g} %\n", 100 * options.efficiency);
  }
  for (const NbodyCandidate& other : advice.algorithms) {
    if (other.algorithm != best.algorithm) fmt::print("  instead of {}\n", text_of(other));
  }
  for (const NbodyCandidate& other : advice.clusters) {
    if (other.cluster != best.cluster) fmt::print("  instead of {}\n", text_of(other));
  }
  if (advice.larger.nodes > best.nodes) fmt::print("  no larger  {}\n", text_of(advice.larger));
  fmt::print(
      "  would gain a factor of {:.2f} if messages took no time, of {:.2f} with transfers to the board as planned\n",
      advice.free_network, advice.planned_transfers);
}

int advise(const ClusterAdviseOptions& options) {
  const Stopwatch watch;
  std::vector<cluster::Cluster> clusters;
  for (const std::string& name : options.cluster.names) clusters.push_back(options.cluster.load(name));
  const hostlib::BlockSteps steps = hostlib::block_steps_for(static_cast<double>(options.n));
  const NbodyAdvice advice =
      advise_nbody(clusters, load_kernel(options.kernel), steps,
                   {options.efficiency, options.cluster.transfer, options.cluster.flow_factors()});
  Json json = envelope("cluster advise", advice.best.cluster, "model", false);
  json["n"] = options.n;
  json["least_efficiency"] = options.efficiency;
  json["kernel"] = options.kernel;
  json["transfer"] = name_of(options.cluster.transfer);
  json["best"] = json_of(advice.best);
  json["algorithms"] = json_of(advice.algorithms);
  json["clusters"] = json_of(advice.clusters);
  json["larger"] = advice.larger.nodes > advice.best.nodes ? json_of(advice.larger) : Json(nullptr);
  json["gain"] = {{"free_network", advice.free_network}, {"planned_transfers", advice.planned_transfers}};
  json["host_seconds"] = watch.seconds();
  if (options.report.speaks()) print(advice, options);
  options.report.write(json);
  return kSuccess;
}

}  // namespace

void add_cluster_advise(Command group) {
  auto options = std::make_shared<ClusterAdviseOptions>();
  options->cluster.names = {"grape-dr-64", "grape-dr-64-torus", "grape-dr-64-hub"};
  const Command command =
      group.add_command("advise", "N-body: best cluster, number of nodes and algorithm, with the reason",
                        "gdr cluster advise --n 100000", [options] { return advise(*options); });
  command.add_option("-n,--n", options->n, "particles").required().check(whole_in_range(2, 1000000000));
  command.add_option("--efficiency", options->efficiency, "lowest efficiency at which more nodes are worth their cost")
      .check(in_range(0.001, 1))
      .capture_default_str();
  command.add_option("--kernel", options->kernel, "kernel that computes the forces")
      .check(kernel_named({"gravity_jerk", "gravity_jerk_2009", "gravity_jerk_long"}))
      .capture_default_str();
  options->cluster.add_clusters_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
