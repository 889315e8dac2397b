#include "gdr/cluster/nbody_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/cluster/nbody_cost.h"

namespace gdr::cluster {
namespace {

constexpr NbodyAlgorithm kAdvised[] = {NbodyAlgorithm::copy, NbodyAlgorithm::j_parallel,
                                       NbodyAlgorithm::two_dimensional};

/// Numbers of nodes that are squares: 1, 4, 9, 16, 36, 64, ...
std::vector<interconnect::NodeId> squares(interconnect::NodeId most) {
  std::vector<interconnect::NodeId> nodes;
  for (interconnect::NodeId side = 1; side * side <= most; side *= 2) {
    nodes.push_back(side * side);
    const interconnect::NodeId between = side / 2 * 3;
    if (between > side && between * between <= most) nodes.push_back(between * between);
  }
  std::ranges::sort(nodes);
  return nodes;
}

class Adviser {
 public:
  Adviser(const isa::Program& program, const hostlib::BlockSteps& steps, const NbodyAdviceOptions& options)
      : program_(program), steps_(steps), options_(options) {}

  /// A candidate; nothing if the particles do not fit or are fewer than the ranks.
  [[nodiscard]] std::optional<NbodyCandidate> candidate(const Cluster& cluster, interconnect::NodeId nodes,
                                                        NbodyAlgorithm algorithm, bool free,
                                                        emulator::TransferMode transfer) const {
    const Rank ranks = nodes * cluster.ranks_per_node;
    const interconnect::Topology topology = free ? free_network(nodes) : platform_for(cluster, nodes).topology;
    try {
      const NbodyCost cost =
          nbody_cost(cluster, topology, program_, steps_, {algorithm, ranks, transfer, options_.factors}, 1);
      return NbodyCandidate{cluster.name, nodes,           algorithm,           cost.seconds,
                            cost.gflops,  cost.efficiency, bound_by(cost.parts)};
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] std::vector<NbodyCandidate> all_of(const Cluster& cluster) const {
    std::vector<NbodyCandidate> all;
    for (const interconnect::NodeId nodes : squares(platform_for(cluster, 1).topology.nodes())) {
      for (const NbodyAlgorithm algorithm : kAdvised) {
        if (!takes_ranks(algorithm, nodes * cluster.ranks_per_node)) continue;
        if (auto found = candidate(cluster, nodes, algorithm, false, options_.transfer)) all.push_back(*found);
      }
    }
    return all;
  }

  /// The fastest that is efficient enough; if none is, the most efficient.
  [[nodiscard]] const NbodyCandidate& best_of(const std::vector<NbodyCandidate>& all) const {
    return *std::ranges::max_element(all, [&](const NbodyCandidate& a, const NbodyCandidate& b) {
      const bool pays_a = a.efficiency >= options_.least_efficiency;
      const bool pays_b = b.efficiency >= options_.least_efficiency;
      if (pays_a != pays_b) return pays_b;
      return pays_a ? a.gflops < b.gflops : a.efficiency < b.efficiency;
    });
  }

 private:
  const isa::Program& program_;
  const hostlib::BlockSteps& steps_;
  const NbodyAdviceOptions& options_;
};

}  // namespace

NbodyAdvice advise_nbody(const std::vector<Cluster>& clusters, const isa::Program& program,
                         const hostlib::BlockSteps& steps, const NbodyAdviceOptions& options) {
  if (clusters.empty()) throw Error("advice needs a cluster");
  if (!(options.least_efficiency > 0 && options.least_efficiency <= 1)) {
    throw Error(fmt::format("efficiency {} is refused: it must be above 0 and at most 1", options.least_efficiency));
  }
  const Adviser adviser(program, steps, options);
  NbodyAdvice advice;
  std::vector<NbodyCandidate> all;
  for (const Cluster& cluster : clusters) {
    const std::vector<NbodyCandidate> own = adviser.all_of(cluster);
    if (own.empty()) continue;
    advice.clusters.push_back(adviser.best_of(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (all.empty()) throw Error(fmt::format("{:.0f} particles fit into the boards of none of the clusters", steps.n));
  advice.best = advice.larger = adviser.best_of(advice.clusters);
  for (const NbodyCandidate& other : all) {
    if (other.cluster != advice.best.cluster) continue;
    if (other.nodes == advice.best.nodes) advice.algorithms.push_back(other);
    const bool is_next = other.nodes > advice.best.nodes &&
                         (advice.larger.nodes == advice.best.nodes || other.nodes < advice.larger.nodes);
    if (is_next && other.algorithm == advice.best.algorithm) advice.larger = other;
  }
  const Cluster& chosen = *std::ranges::find(clusters, advice.best.cluster, &Cluster::name);
  const auto gain = [&](bool free, emulator::TransferMode transfer) {
    const auto other = adviser.candidate(chosen, advice.best.nodes, advice.best.algorithm, free, transfer);
    return other ? advice.best.seconds / other->seconds : 1.0;
  };
  advice.free_network = gain(true, options.transfer);
  advice.planned_transfers = gain(false, emulator::TransferMode::ideal);
  return advice;
}

}  // namespace gdr::cluster
