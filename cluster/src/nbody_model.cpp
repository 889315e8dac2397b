#include "gdr/cluster/nbody_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "nbody_block.h"

namespace gdr::cluster {
namespace {

using hostlib::BlockCount;
using interconnect::Topology;

constexpr base::Names<NbodyAlgorithm> kAlgorithmNames({{NbodyAlgorithm::copy, "copy"},
                                                       {NbodyAlgorithm::j_parallel, "j"},
                                                       {NbodyAlgorithm::two_dimensional, "2d"},
                                                       {NbodyAlgorithm::systolic, "systolic"},
                                                       {NbodyAlgorithm::hyper_systolic, "hyper"}});

/// Joins blocks of similar sizes into groups with their mean size, at most `most` groups.
std::vector<BlockCount> grouped(std::vector<BlockCount> counts, std::size_t most) {
  std::ranges::sort(counts, {}, &BlockCount::size);
  for (double span = 1.02;; span *= 1.02) {
    std::vector<BlockCount> groups = hostlib::joined(counts, span);
    if (groups.size() <= most) return groups;
  }
}

/// Limit for algorithms on a ring, in which a rank sends positions and sums for every visit.
constexpr double kMostMessagesOfBlock = 2e6;

void require_room(const NbodyNode& node, double n, const NbodyModelOptions& options) {
  const double of_rank = node.room();
  const double parts = parts_of_particles(options);
  if (n <= of_rank * parts) return;
  throw Error(fmt::format("{:.0f} particles do not fit: algorithm {} on {} ranks has room for {:.0f} in its boards", n,
                          name_of(options.algorithm), options.ranks, of_rank * parts));
}

/// Times of one rank whose board and host take these seconds.
NbodyModelTimes of_one_rank(const emulator::StageSeconds& stages) {
  NbodyModelTimes times;
  times.seconds = stages.total();
  times.parts[static_cast<std::size_t>(Part::board)] = stages.compute;
  times.parts[static_cast<std::size_t>(Part::transfer)] = stages.i_send + stages.j_send;
  times.parts[static_cast<std::size_t>(Part::host)] = stages.add + stages.host;
  times.board_busy = stages.compute + stages.i_send + stages.j_send;
  return times;
}

/// Times of one block.
NbodyModelTimes of_block(const NbodyBlock::Timed& timed) {
  NbodyModelTimes times;
  times.seconds = timed.times.seconds;
  times.parts = part_seconds(timed.times);
  const Rank ranks = timed.graph.ranks();
  for (Rank rank = 0; rank < ranks; ++rank) {
    times.board_busy += timed.times.resource_busy[RankGraph::board_resource(rank)];
  }
  times.board_busy /= ranks;
  times.bytes = static_cast<double>(timed.graph.bytes());
  return times;
}

/// Adds the times of `count` blocks.
void add(NbodyModelTimes& times, const NbodyModelTimes& block, double count) {
  times.seconds += block.seconds * count;
  for (std::size_t part = 0; part < kParts; ++part) times.parts[part] += block.parts[part] * count;
  times.board_busy += block.board_busy * count;
  times.bytes += block.bytes * count;
}

/// Times the groups of blocks, those that take longest first. Stops and returns nothing once the seconds of those that
/// are timed and the least seconds of the others are more than `most_seconds`. Cutting blocks in halves may be faster
/// than the bound, which then counts for nothing.
std::optional<std::vector<NbodyModelTimes>> times_of(NbodyBlock& block, const std::vector<BlockCount>& groups,
                                                     bool in_halves, double most_seconds) {
  constexpr double kRounding = 1e-9;  // of sums of doubles in another order
  std::vector<double> seconds(groups.size(), 0);
  if (!in_halves) {
    std::ranges::transform(groups, seconds.begin(),
                           [&](const BlockCount& group) { return block.least_seconds(group.size) * group.blocks; });
  }
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t group) { return seconds[group]; });
  double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::vector<NbodyModelTimes> times(groups.size());
  for (const std::size_t group : order) {
    if (sum * (1 - kRounding) > most_seconds) return std::nullopt;
    NbodyBlock::Timed timed = block.timed(groups[group].size);
    times[group] = of_block(timed);
    block.reuse(std::move(timed.graph));
    sum += times[group].seconds * groups[group].blocks - seconds[group];
  }
  return times;
}

void require_possible(const Cluster& cluster, const Topology& topology, const NbodyNode& node, double n,
                      const NbodyModelOptions& options) {
  if (options.ranks < 1) throw Error("0 ranks are refused: there must be at least one");
  if (options.algorithm == NbodyAlgorithm::two_dimensional) {
    static_cast<void>(interconnect::square_side(options.ranks, "ranks of algorithm 2d"));
  }
  if (!takes_ranks(options.algorithm, options.ranks)) {
    throw Error(fmt::format("{} ranks are refused: a block of algorithm {} would have more than {:.0f} messages",
                            options.ranks, name_of(options.algorithm), kMostMessagesOfBlock));
  }
  if (options.ranks > n) {
    throw Error(fmt::format("{} ranks are refused: there are {:.0f} particles to share", options.ranks, n));
  }
  if (cluster.nodes_of(options.ranks) > topology.nodes()) {
    throw Error(fmt::format("{} nodes are refused: {} has {}", cluster.nodes_of(options.ranks), topology.name(),
                            topology.nodes()));
  }
  require_room(node, n, options);
}

}  // namespace

std::string_view name_of(NbodyAlgorithm algorithm) { return kAlgorithmNames[algorithm]; }

std::vector<std::string> nbody_algorithm_names() { return {kAlgorithmNames.begin(), kAlgorithmNames.end()}; }

NbodyAlgorithm nbody_algorithm_named(std::string_view name) {
  if (const auto algorithm = kAlgorithmNames.find(name)) return *algorithm;
  throw Error(fmt::format("algorithm '{}' is refused: it must be one of {}", name, fmt::join(kAlgorithmNames, ", ")));
}

SystolicShifts systolic_shifts(NbodyAlgorithm algorithm, Rank ranks) {
  SystolicShifts shifts{1, ranks};
  if (algorithm == NbodyAlgorithm::systolic) return shifts;
  for (Rank held = 1; held <= ranks / held; ++held) {
    if (ranks % held == 0) shifts = {held, ranks / held};
  }
  return shifts;
}

bool takes_ranks(NbodyAlgorithm algorithm, Rank ranks) {
  switch (algorithm) {
    case NbodyAlgorithm::copy:
    case NbodyAlgorithm::j_parallel:
      return true;
    case NbodyAlgorithm::two_dimensional: {
      const auto side = static_cast<Rank>(std::lround(std::sqrt(ranks)));
      return side * side == ranks;
    }
    case NbodyAlgorithm::systolic:
    case NbodyAlgorithm::hyper_systolic:
      return 2.0 * ranks * systolic_shifts(algorithm, ranks).visits <= kMostMessagesOfBlock;
  }
  return false;
}

NbodyModelTimes nbody_times(const Cluster& cluster, const Topology& topology, const isa::Program& program,
                            const hostlib::BlockSteps& steps, const NbodyModelOptions& options) {
  return nbody_times(cluster, topology, BoardNode(program, cluster, options.transfer), steps, options);
}

NbodyModelTimes nbody_times(const Cluster& cluster, const Topology& topology, const NbodyNode& node,
                            const hostlib::BlockSteps& steps, const NbodyModelOptions& options) {
  return *nbody_times_within(cluster, topology, node, steps, options, std::numeric_limits<double>::infinity());
}

std::optional<NbodyModelTimes> nbody_times_within(const Cluster& cluster, const Topology& topology,
                                                  const NbodyNode& node, const hostlib::BlockSteps& steps,
                                                  const NbodyModelOptions& options, double most_seconds) {
  require_possible(cluster, topology, node, steps.n, options);
  NbodyModelTimes times;
  if (options.ranks == 1) {
    times = of_one_rank(hostlib::block_seconds_of(node, steps));
  } else {
    constexpr Rank kManyRanks = 256;
    constexpr std::size_t kGroups = 120;
    constexpr std::size_t kGroupsOfMany = 24;
    NbodyBlock block(cluster, topology, node, steps.n, options);
    const std::vector<BlockCount> groups = grouped(steps.counts, options.ranks > kManyRanks ? kGroupsOfMany : kGroups);
    const auto timed = times_of(block, groups, options.overlap, most_seconds);
    if (!timed) return std::nullopt;
    for (std::size_t group = 0; group < groups.size(); ++group) add(times, (*timed)[group], groups[group].blocks);
  }
  if (times.seconds > most_seconds) return std::nullopt;
  times.blocks = steps.blocks();
  times.steps = steps.steps();
  return times;
}

emulator::StageSeconds nbody_start_stages(const NbodyNode& node, double n) {
  const auto particles = static_cast<std::uint64_t>(std::llround(n));
  emulator::StageSeconds stages = node.run_seconds(particles, particles);
  // Before the forces with places and velocities, and after them with their derivatives.
  stages.j_send += 2 * node.j_seconds(particles);
  return stages;
}

NbodyModelTimes nbody_start_times(const Cluster& cluster, const Topology& topology, const NbodyNode& node, double n,
                                  const NbodyModelOptions& options) {
  require_possible(cluster, topology, node, n, options);
  if (options.ranks == 1) return of_one_rank(nbody_start_stages(node, n));
  NbodyModelTimes times;
  add(times, of_block(NbodyBlock(cluster, topology, node, n, options).start()), 1);
  return times;
}

RankGraph nbody_block(const Cluster& cluster, const Topology& topology, const isa::Program& program, double n,
                      double size, const NbodyModelOptions& options) {
  const BoardNode node(program, cluster, options.transfer);
  return NbodyBlock(cluster, topology, node, n, options).timed(size).graph;
}

Topology free_network(interconnect::NodeId nodes) {
  constexpr double kNoTime = 1e30;  // bytes/s
  return interconnect::infiniband_flat(nodes, {kNoTime, 0});
}

std::string_view bound_by(const std::array<double, kParts>& parts) {
  const auto of = [&](Part part) { return parts[static_cast<std::size_t>(part)]; };
  const std::array<std::pair<double, std::string_view>, 4> sums{
      {{of(Part::board), name_of(Part::board)},
       {of(Part::transfer), name_of(Part::transfer)},
       {of(Part::host), name_of(Part::host)},
       {of(Part::network) + of(Part::overhead) + of(Part::loopback), name_of(Part::network)}}};
  return std::ranges::max_element(sums, {}, &std::pair<double, std::string_view>::first)->second;
}

}  // namespace gdr::cluster
