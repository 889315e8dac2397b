#include "gdr/cluster/nbody_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/names.h"

namespace gdr::cluster {
namespace {

using hostlib::BlockCount;
using interconnect::Topology;

constexpr base::Names<NbodyAlgorithm> kAlgorithmNames({{NbodyAlgorithm::copy, "copy"},
                                                       {NbodyAlgorithm::j_parallel, "j"},
                                                       {NbodyAlgorithm::two_dimensional, "2d"},
                                                       {NbodyAlgorithm::systolic, "systolic"},
                                                       {NbodyAlgorithm::hyper_systolic, "hyper"}});

constexpr double kForceNumbers = 7;  // acceleration, jerk, potential
constexpr double kForceBytes = kForceNumbers * 8;
constexpr double kIParticleBytes = 7 * 8;  // position, velocity, id
constexpr double kJParticleBytes = 160;    // JParticle with its id and own time
constexpr double kTimeBytes = 8;           // of the next block

std::uint64_t at_least_one(double particles) { return static_cast<std::uint64_t>(std::max(1.0, std::ceil(particles))); }

/// Joins blocks of similar sizes into groups with their mean size, at most `most` groups.
std::vector<BlockCount> grouped(std::vector<BlockCount> counts, std::size_t most) {
  std::ranges::sort(counts, {}, &BlockCount::size);
  for (double span = 1.02;; span *= 1.02) {
    std::vector<BlockCount> groups = hostlib::joined(counts, span);
    if (groups.size() <= most) return groups;
  }
}

/// Number of parts into which the particles are divided; a rank holds one of them.
double parts_of_particles(const NbodyModelOptions& options) {
  switch (options.algorithm) {
    case NbodyAlgorithm::copy:
      return 1;
    case NbodyAlgorithm::j_parallel:
      return options.ranks;
    case NbodyAlgorithm::two_dimensional:
      return std::sqrt(options.ranks);
    case NbodyAlgorithm::systolic:
    case NbodyAlgorithm::hyper_systolic:
      return systolic_shifts(options.algorithm, options.ranks).visits;
  }
  return 1;
}

/// Makes the activities of a block on all ranks.
class Block {
 public:
  Block(const Cluster& cluster, const Topology& topology, const NbodyNode& node, double n,
        const NbodyModelOptions& options)
      : cluster_(cluster), topology_(topology), node_(node), n_(n), options_(options), all_(options.ranks) {
    std::iota(all_.begin(), all_.end(), 0);
    if (options_.algorithm == NbodyAlgorithm::two_dimensional) {
      side_ = static_cast<Rank>(std::lround(std::sqrt(options_.ranks)));
      rows_.resize(side_);
      columns_.resize(side_);
      for (Rank rank = 0; rank < options_.ranks; ++rank) {
        rows_[rank / side_].push_back(rank);
        columns_[rank % side_].push_back(rank);
      }
      roots_.resize(side_);
      std::iota(roots_.begin(), roots_.end(), 0);
    }
  }

  /// The activities of a block and their times; in halves if the options allow it and it takes less time.
  [[nodiscard]] std::pair<RankGraph, interconnect::ActivityTimes> timed(double block) {
    RankGraph one = graph(block, 1);
    interconnect::ActivityTimes times = run_critical_path(one.graph(), topology_, {options_.factors});
    const double first = first_half(block);
    if (!options_.overlap || is_ring() || first >= 1) return {std::move(one), std::move(times)};
    RankGraph halved = graph(block, first);
    interconnect::ActivityTimes of_halves = run_critical_path(halved.graph(), topology_, {options_.factors});
    if (of_halves.seconds < times.seconds) return {std::move(halved), std::move(of_halves)};
    return {std::move(one), std::move(times)};
  }

 private:
  /// The activities of a block in two parts, the share `first` and the rest; in one part if `first` is 1.
  [[nodiscard]] RankGraph graph(double block, double first) {
    RankGraph graph(cluster_, options_.ranks, fmt::format("block of {:.0f}", block));
    allreduce(graph, {all_}, kTimeBytes);
    if (is_ring()) {
      round_the_ring(graph, block);
    } else if (first < 1) {
      halves(graph, block, first);
    } else {
      begin(graph, block);
      run(graph, i_of(block), n_ / parts_of_particles(options_));
      finish(graph, block);
      send_j(graph, held_of(block));
    }
    return graph;
  }

  [[nodiscard]] bool is_ring() const {
    return options_.algorithm == NbodyAlgorithm::systolic || options_.algorithm == NbodyAlgorithm::hyper_systolic;
  }

  /// Share of the block in its first half. It has whole runs, so that boards compute no longer than for an undivided
  /// block.
  [[nodiscard]] double first_half(double block) const {
    const double i = std::ceil(i_of(block));
    return std::min(1.0, std::ceil(i / 2 / node_.i_of_run()) * node_.i_of_run() / i);
  }

  /// i-particles for which a rank computes forces, for a block or a half of one.
  [[nodiscard]] double i_of(double block) const {
    switch (options_.algorithm) {
      case NbodyAlgorithm::copy:
        return block / options_.ranks;
      case NbodyAlgorithm::two_dimensional:
        return block / side_;
      case NbodyAlgorithm::j_parallel:
      case NbodyAlgorithm::systolic:
      case NbodyAlgorithm::hyper_systolic:
        return block;
    }
    return block;
  }
  /// Particles of the block that are among a rank's j-particles.
  [[nodiscard]] double held_of(double block) const { return block / parts_of_particles(options_); }

  /// Messages before the forces: with `j`, a rank does not know the positions of all particles of the block.
  void begin(RankGraph& graph, double block) {
    if (options_.algorithm != NbodyAlgorithm::j_parallel) return;
    gather(graph, {all_}, std::ceil(block / options_.ranks * kIParticleBytes));
  }

  /// Activities after the forces. In two dimensions, rank (a, b) computes the forces of share b of the particles on
  /// share a of the block. After the sums over b and the integration, each row gathers its share of the block. Then
  /// rank (b, b) broadcasts it down column b, which holds that share of the particles.
  void finish(RankGraph& graph, double block) {
    const double own = block / options_.ranks;
    const double n = n_ / parts_of_particles(options_);
    switch (options_.algorithm) {
      case NbodyAlgorithm::copy:
        integrate(graph, own, n);
        gather(graph, {all_}, std::ceil(own * kJParticleBytes));
        break;
      case NbodyAlgorithm::j_parallel:
        sum(graph, {all_}, block * kForceBytes);
        integrate(graph, own, n);
        break;
      case NbodyAlgorithm::two_dimensional: {
        sum(graph, rows_, block / side_ * kForceBytes);
        integrate(graph, own, n);
        gather(graph, rows_, std::ceil(own * kJParticleBytes));
        const double bytes = std::ceil(own * kJParticleBytes) * side_;
        choose(graph, {Call::send_down, bytes}, columns_,
               [&](RankGraph& to, Method method) { broadcast(to, columns_, roots_, bytes, method); });
        break;
      }
      case NbodyAlgorithm::systolic:
      case NbodyAlgorithm::hyper_systolic:
        break;
    }
  }

  /// While the board computes the forces of the first half, the messages before those of the second travel; while it
  /// computes those of the second, the activities after those of the first take place. New j-particles are sent to the
  /// boards at the end: until then the boards use predictions.
  void halves(RankGraph& graph, double block, double first_share) {
    struct Half {
      double block = 0;
      emulator::StageSeconds run;
      std::vector<std::vector<ActivityId>> done;  // by rank
    };
    const std::uint64_t j = at_least_one(n_ / parts_of_particles(options_));
    const auto i = static_cast<double>(at_least_one(i_of(block)));
    const double first_i = std::round(first_share * i);
    Half first{first_share * block, node_.run_seconds(at_least_one(first_i), j), {}};
    Half second{block - first.block, node_.run_seconds(at_least_one(i - first_i), j), {}};
    const auto run_beside = [&](Half& half, const std::vector<std::vector<ActivityId>>& after) {
      for (const Rank rank : all_) {
        std::vector<ActivityId> begin = graph.front(rank);
        if (!after.empty()) begin.insert(begin.end(), after[rank].begin(), after[rank].end());
        const ActivityId sent = graph.transfer_beside(rank, half.run.i_send, begin);
        half.done.push_back({graph.board_beside(rank, half.run.compute, {sent})});
      }
    };
    const auto end = [&](const Half& half) {
      for (const Rank rank : all_) {
        graph.receive(rank, half.done[rank]);
        graph.host(rank, half.run.add);
      }
      finish(graph, half.block);
    };
    begin(graph, first.block);
    run_beside(first, {});
    begin(graph, second.block);
    run_beside(second, first.done);
    end(first);
    end(second);
    send_j(graph, held_of(block));
  }

  /// Positions are passed on as soon as they arrive; the sums follow when the rank has added its part [Dorband et al.
  /// 2003].
  void round_the_ring(RankGraph& graph, double block) {
    const SystolicShifts shifts = systolic_shifts(options_.algorithm, options_.ranks);
    const double own = block / options_.ranks;
    std::vector<ActivityId> sums;
    for (Rank visit = 0; visit < shifts.visits; ++visit) {
      std::vector<ActivityId> places;
      if (visit + 1 < shifts.visits) places = sent_on(graph, shifts.held, std::ceil(own * kIParticleBytes));
      run(graph, own, n_ / shifts.visits);
      if (visit > 0) {
        arrive(graph, sums);
        if (node_.additions_per_second() > 0) {
          for (const Rank rank : all_) graph.host(rank, own * kForceNumbers / node_.additions_per_second());
        }
      }
      if (shifts.visits > 1) sums = sent_on(graph, shifts.held, std::ceil(own * kForceBytes));
      arrive(graph, places);
    }
    arrive(graph, sums);
    integrate(graph, own, n_ / options_.ranks);
    for (Rank turn = 1; turn < shifts.held; ++turn) {
      arrive(graph, sent_on(graph, options_.ranks - 1, std::ceil(own * kJParticleBytes)));
    }
    send_j(graph, own * shifts.held);
  }

  /// Every rank sends to the rank `distance` further on in the ring. Returns what each rank must wait for, by rank.
  [[nodiscard]] std::vector<ActivityId> sent_on(RankGraph& graph, Rank distance, double bytes) const {
    std::vector<ActivityId> arrivals(options_.ranks);
    for (const Rank rank : all_) {
      const Rank to = (rank + distance) % options_.ranks;
      arrivals[to] = graph.send(rank, to, bytes);
    }
    return arrivals;
  }
  void arrive(RankGraph& graph, const std::vector<ActivityId>& arrivals) const {
    for (Rank rank = 0; rank < arrivals.size(); ++rank) graph.receive(rank, {arrivals[rank]});
  }

  void run(RankGraph& graph, double i, double j) {
    const emulator::StageSeconds stages = node_.run_seconds(at_least_one(i), at_least_one(j));
    for (const Rank rank : all_) {
      graph.transfer(rank, stages.i_send);
      graph.board(rank, stages.compute);
      graph.host(rank, stages.add);
    }
  }

  void integrate(RankGraph& graph, double particles, double n) {
    const double seconds = node_.integration_seconds(at_least_one(particles), at_least_one(n));
    for (const Rank rank : all_) graph.host(rank, seconds);
  }

  void send_j(RankGraph& graph, double particles) {
    const double seconds = node_.j_seconds(at_least_one(particles));
    for (const Rank rank : all_) graph.transfer(rank, seconds);
  }

  void gather(RankGraph& graph, const std::vector<Group>& groups, double bytes) {
    choose(graph, {Call::gather, bytes}, groups,
           [&](RankGraph& to, Method method) { allgather(to, groups, bytes, method); });
  }

  void sum(RankGraph& graph, const std::vector<Group>& groups, double bytes) {
    choose(graph, {Call::sum, bytes}, groups, [&](RankGraph& to, Method method) {
      reduce_scatter(to, groups, bytes, node_.additions_per_second(), method);
    });
  }

  enum class Call : std::uint8_t { gather, sum, send_down };

  /// Makes the call by the method that takes the least time if all ranks begin it together.
  template <class Calls>
  void choose(RankGraph& graph, std::pair<Call, double> what, const std::vector<Group>& groups, const Calls& call) {
    // With more pairs of ranks, methods other than doubling make too many messages to be tried.
    constexpr std::size_t kMostMessages = 300'000;
    auto known = best_.find(what);
    if (known == best_.end()) {
      std::size_t pairs = 0;
      for (const Group& group : groups) pairs += group.size() * (group.size() - 1);
      std::optional<std::pair<double, Method>> least;
      for (const Method method : kMethods) {
        if (pairs > kMostMessages && method != Method::doubling) continue;
        RankGraph alone(cluster_, options_.ranks, "call");
        call(alone, method);
        const double seconds = run_critical_path(alone.graph(), topology_, {options_.factors}).seconds;
        if (!least || seconds < least->first) least = {seconds, method};
      }
      known = best_.emplace(what, least->second).first;
    }
    call(graph, known->second);
  }

  const Cluster& cluster_;
  const Topology& topology_;
  const NbodyNode& node_;
  double n_;
  const NbodyModelOptions& options_;
  Group all_;
  Rank side_ = 1;
  std::vector<Group> rows_;
  std::vector<Group> columns_;
  std::vector<std::size_t> roots_;
  std::map<std::pair<Call, double>, Method> best_;
};

/// Limit for algorithms on a ring, in which a rank sends positions and sums for every visit.
constexpr double kMostMessagesOfBlock = 2e6;

void require_room(const NbodyNode& node, double n, const NbodyModelOptions& options) {
  const double of_rank = node.room();
  const double parts = parts_of_particles(options);
  if (n <= of_rank * parts) return;
  throw Error(fmt::format("{:.0f} particles do not fit: algorithm {} on {} ranks has room for {:.0f} in its boards", n,
                          name_of(options.algorithm), options.ranks, of_rank * parts));
}

/// Times of one rank: those of the model of a single board, summed over all sizes of block.
NbodyModelTimes of_one_rank(const NbodyNode& node, const hostlib::BlockSteps& steps) {
  const emulator::StageSeconds stages = hostlib::block_seconds_of(node, steps);
  NbodyModelTimes times;
  times.seconds = stages.total();
  times.parts[static_cast<std::size_t>(Part::board)] = stages.compute;
  times.parts[static_cast<std::size_t>(Part::transfer)] = stages.i_send + stages.j_send;
  times.parts[static_cast<std::size_t>(Part::host)] = stages.add + stages.host;
  times.board_busy = stages.compute + stages.i_send + stages.j_send;
  return times;
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
  if (options.ranks < 1) throw Error("0 ranks are refused: there must be at least one");
  if (options.algorithm == NbodyAlgorithm::two_dimensional) {
    static_cast<void>(interconnect::square_side(options.ranks, "ranks of algorithm 2d"));
  }
  if (!takes_ranks(options.algorithm, options.ranks)) {
    throw Error(fmt::format("{} ranks are refused: a block of algorithm {} would have more than {:.0f} messages",
                            options.ranks, name_of(options.algorithm), kMostMessagesOfBlock));
  }
  if (options.ranks > steps.n) {
    throw Error(fmt::format("{} ranks are refused: there are {:.0f} particles to share", options.ranks, steps.n));
  }
  if (cluster.nodes_of(options.ranks) > topology.nodes()) {
    throw Error(fmt::format("{} nodes are refused: {} has {}", cluster.nodes_of(options.ranks), topology.name(),
                            topology.nodes()));
  }
  require_room(node, steps.n, options);
  NbodyModelTimes times;
  if (options.ranks == 1) {
    times = of_one_rank(node, steps);
  } else {
    constexpr Rank kManyRanks = 256;
    constexpr std::size_t kGroups = 120;
    constexpr std::size_t kGroupsOfMany = 24;
    Block block(cluster, topology, node, steps.n, options);
    for (const BlockCount& group : grouped(steps.counts, options.ranks > kManyRanks ? kGroupsOfMany : kGroups)) {
      const auto [graph, one] = block.timed(group.size);
      times.seconds += one.seconds * group.blocks;
      const std::array<double, kParts> parts = part_seconds(one);
      for (std::size_t part = 0; part < kParts; ++part) times.parts[part] += parts[part] * group.blocks;
      double busy = 0;
      for (Rank rank = 0; rank < options.ranks; ++rank) busy += one.resource_busy[RankGraph::board_resource(rank)];
      times.board_busy += busy / options.ranks * group.blocks;
      times.bytes += static_cast<double>(graph.bytes()) * group.blocks;
    }
  }
  times.blocks = steps.blocks();
  times.steps = steps.steps();
  return times;
}

RankGraph nbody_block(const Cluster& cluster, const Topology& topology, const isa::Program& program, double n,
                      double size, const NbodyModelOptions& options) {
  return Block(cluster, topology, BoardNode(program, cluster, options.transfer), n, options).timed(size).first;
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
