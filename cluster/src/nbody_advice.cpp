#include "gdr/cluster/nbody_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/cluster/nbody_cost.h"

namespace gdr::cluster {
namespace {

/// In the order in which the search tries them: those first that are mostly best, so that others are soon left.
constexpr std::array kTriedInTurn{NbodyAlgorithm::two_dimensional, NbodyAlgorithm::j_parallel, NbodyAlgorithm::copy,
                                  NbodyAlgorithm::hyper_systolic, NbodyAlgorithm::systolic};

/// The search on one cluster.
class Adviser {
 public:
  Adviser(const Cluster& cluster, const isa::Program& program, const hostlib::BlockSteps& steps,
          const NbodyAdviceOptions& options)
      : cluster_(cluster),
        network_(platform_for(cluster, 1).topology),
        program_(program),
        steps_(steps),
        options_(options) {
    const BoardNode node(program, cluster, options.transfer);
    alone_ = nbody_start_stages(node, steps.n).total() + hostlib::block_seconds_of(node, steps).total();
  }

  [[nodiscard]] interconnect::NodeId nodes() const { return network_.nodes(); }

  /// A candidate; nothing if the algorithm cannot run on these nodes, the particles do not fit or are fewer than the
  /// ranks, or the run takes more than `most_seconds`.
  [[nodiscard]] std::optional<NbodyCandidate> candidate(interconnect::NodeId nodes, NbodyAlgorithm algorithm,
                                                        double most_seconds = kForever) const {
    const auto cost = cost_of(network_, nodes, algorithm, options_.transfer, most_seconds);
    if (!cost) return std::nullopt;
    return NbodyCandidate{cluster_.name,        nodes, algorithm, cost->seconds, cost->gflops, cost->efficiency,
                          bound_by(cost->parts)};
  }

  /// Speedup of a candidate on another network or with other transfers; 1 if it cannot run so.
  [[nodiscard]] double gain(const NbodyCandidate& of, bool free_of_network, emulator::TransferMode transfer) const {
    const auto other =
        cost_of(free_of_network ? free_network(of.nodes) : network_, of.nodes, of.algorithm, transfer, kForever);
    return other ? of.seconds / other->seconds : 1;
  }

  /// Combinations that best() tries.
  [[nodiscard]] std::size_t combinations() const { return kTriedInTurn.size() * network_.nodes(); }

  /// The best of this cluster; nothing if the particles do not fit.
  [[nodiscard]] std::optional<NbodyCandidate> best(const std::function<void()>& tried) const {
    std::optional<NbodyCandidate> best;
    for (const NbodyAlgorithm algorithm : kTriedInTurn) {
      for (interconnect::NodeId nodes = network_.nodes(); nodes > 0; --nodes) {
        const auto found = candidate(nodes, algorithm, most_seconds(best, nodes));
        if (found && (!best || is_better(*found, *best))) best = found;
        tried();
      }
    }
    return best;
  }

  /// The faster one of two that are efficient enough; else one that is, or the more efficient one.
  [[nodiscard]] bool is_better(const NbodyCandidate& a, const NbodyCandidate& b) const {
    const bool pays_a = a.efficiency >= options_.least_efficiency;
    const bool pays_b = b.efficiency >= options_.least_efficiency;
    if (pays_a != pays_b) return pays_a;
    const double merit_a = pays_a ? a.gflops : a.efficiency;
    const double merit_b = pays_a ? b.gflops : b.efficiency;
    if (merit_a != merit_b) return merit_a > merit_b;
    return std::pair(a.nodes, a.algorithm) < std::pair(b.nodes, b.algorithm);
  }

 private:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  /// Seconds above which a run on `nodes` nodes is not better than `best`.
  [[nodiscard]] double most_seconds(const std::optional<NbodyCandidate>& best, interconnect::NodeId nodes) const {
    constexpr double kRounding = 1e-9;
    if (!best) return kForever;
    const double ranks = static_cast<double>(nodes) * cluster_.ranks_per_node;
    const bool pays = best->efficiency >= options_.least_efficiency;
    const double efficient = alone_ / (ranks * (pays ? options_.least_efficiency : best->efficiency));
    return (1 + kRounding) * (pays ? std::min(efficient, best->seconds) : efficient);
  }

  [[nodiscard]] std::optional<NbodyCost> cost_of(const interconnect::Topology& network, interconnect::NodeId nodes,
                                                 NbodyAlgorithm algorithm, emulator::TransferMode transfer,
                                                 double most_seconds) const {
    const Rank ranks = nodes * cluster_.ranks_per_node;
    if (!takes_ranks(algorithm, ranks)) return std::nullopt;
    try {
      return nbody_cost_within(cluster_, network, program_, steps_, {algorithm, ranks, transfer, options_.factors}, 1,
                               most_seconds);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const Cluster& cluster_;
  interconnect::Topology network_;
  const isa::Program& program_;
  const hostlib::BlockSteps& steps_;
  const NbodyAdviceOptions& options_;
  double alone_ = 0;  // seconds of the run on one rank
};

}  // namespace

NbodyAdvice advise_nbody(const std::vector<Cluster>& clusters, const isa::Program& program,
                         const hostlib::BlockSteps& steps, const NbodyAdviceOptions& options,
                         const std::function<void(std::size_t done, std::size_t all)>& tried) {
  if (clusters.empty()) throw Error("advice needs a cluster");
  if (!(options.least_efficiency > 0 && options.least_efficiency <= 1)) {
    throw Error(fmt::format("efficiency {} is refused: it must be above 0 and at most 1", options.least_efficiency));
  }
  NbodyAdvice advice;
  std::optional<Adviser> chosen;
  std::vector<Adviser> advisers;
  std::size_t all = 0;
  for (const Cluster& cluster : clusters) {
    advisers.emplace_back(cluster, program, steps, options);
    all += advisers.back().combinations();
  }
  std::size_t done = 0;
  const auto count = [&] {
    ++done;
    if (tried) tried(done, all);
  };
  for (const Adviser& adviser : advisers) {
    const std::optional<NbodyCandidate> best = adviser.best(count);
    if (!best) continue;
    if (!chosen || adviser.is_better(*best, advice.best)) {
      advice.best = *best;
      chosen.emplace(adviser);
    }
    advice.clusters.push_back(*best);
  }
  if (!chosen) throw Error(fmt::format("{:.0f} particles fit into the boards of none of the clusters", steps.n));
  const NbodyCandidate& best = advice.best;
  for (std::size_t algorithm = 0; algorithm < base::enumerators<NbodyAlgorithm>(); ++algorithm) {
    const auto other = chosen->candidate(best.nodes, static_cast<NbodyAlgorithm>(algorithm));
    if (other) advice.algorithms.push_back(*other);
  }
  advice.larger = best;
  for (interconnect::NodeId nodes = best.nodes + 1; nodes <= chosen->nodes(); ++nodes) {
    const auto larger = chosen->candidate(nodes, best.algorithm);
    if (!larger) continue;
    advice.larger = *larger;
    break;
  }
  advice.free_network = chosen->gain(best, true, options.transfer);
  advice.planned_transfers = chosen->gain(best, false, emulator::TransferMode::ideal);
  return advice;
}

}  // namespace gdr::cluster
