#include "nbody_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gdr::cluster {
namespace {

using interconnect::Topology;

constexpr double kForceNumbers = 7;  // acceleration, jerk, potential
constexpr double kForceBytes = kForceNumbers * 8;
constexpr double kIParticleBytes = 7 * 8;  // position, velocity, id
constexpr double kJParticleBytes = 160;    // JParticle with its id and own time
constexpr double kTimeBytes = 8;           // of the next block

std::uint64_t at_least_one(double particles) { return static_cast<std::uint64_t>(std::max(1.0, std::ceil(particles))); }

}  // namespace

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

class NbodyBlock::Maker {
 public:
  Maker(const Cluster& cluster, const Topology& topology, const NbodyNode& node, double n,
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

  [[nodiscard]] Timed timed(double block) {
    return fastest([&] { return timed_so(block); });
  }

  [[nodiscard]] Timed start() {
    starts_ = true;
    Timed timed = fastest([&] { return start_so(); });
    starts_ = false;
    return timed;
  }

  void reuse(RankGraph&& graph) { spare_.emplace(std::move(graph)); }

  [[nodiscard]] RunAndSends alone(double block, double first) const {
    const std::uint64_t i = at_least_one(i_of(block));
    const std::uint64_t j = at_least_one(n_ / parts_of_particles(options_));
    RunAndSends alone{{}, node_.j_seconds(at_least_one(held_of(block)))};
    if (first >= 1) {
      alone.run = node_.run_seconds(i, j);
    } else {
      const auto i_of_first = static_cast<std::uint64_t>(std::round(first * static_cast<double>(i)));
      alone.run = node_.run_seconds(i_of_first, j);
      alone.run += node_.run_seconds(i - i_of_first, j);
    }
    return alone;
  }

  [[nodiscard]] double least_seconds(double block) const {
    const double own = block / options_.ranks;
    const double n = n_ / parts_of_particles(options_);
    const auto run_and_send = [&](double runs, double i, double j, double held) {
      return runs * node_.run_seconds(at_least_one(i), at_least_one(j)).total() + node_.j_seconds(at_least_one(held));
    };
    if (!is_ring()) {
      return run_and_send(1, i_of(block), n, held_of(block)) +
             node_.integration_seconds(at_least_one(own), at_least_one(n));
    }
    const SystolicShifts shifts = systolic_shifts(options_.algorithm, options_.ranks);
    return run_and_send(shifts.visits, own, n_ / shifts.visits, own * shifts.held) +
           node_.integration_seconds(at_least_one(own), at_least_one(n_ / options_.ranks));
  }

 private:
  /// Relays that make each call faster may still be in each other's way, so that both runs are timed.
  [[nodiscard]] Timed fastest(const auto& timed) {
    relays_ = false;
    Timed direct = timed();
    if (!cluster_.multipath) return direct;
    // Parts of messages that relays pass on; more of them take seconds for each size of block.
    constexpr double kMostParts = 3e7;
    const double nodes = cluster_.nodes_of(options_.ranks);
    if (2 * nodes * static_cast<double>(direct.graph.graph().messages()) > kMostParts) return direct;
    relays_ = true;
    Timed relayed = timed();
    return relayed.times.seconds < direct.times.seconds ? std::move(relayed) : std::move(direct);
  }

  [[nodiscard]] Timed timed_so(double block) {
    RankGraph one = graph(block, 1);
    interconnect::ActivityTimes times = run_critical_path(one.graph(), topology_, {options_.factors});
    const double first = first_half(block);
    if (!options_.overlap || is_ring() || first >= 1) return {std::move(one), std::move(times), 1};
    RankGraph halved = graph(block, first);
    interconnect::ActivityTimes of_halves = run_critical_path(halved.graph(), topology_, {options_.factors});
    if (of_halves.seconds < times.seconds) return {std::move(halved), std::move(of_halves), first};
    return {std::move(one), std::move(times), 1};
  }

  [[nodiscard]] Timed start_so() {
    RankGraph graph = empty_graph("first forces");
    send_j(graph, held_of(n_));
    if (is_ring()) {
      round_the_ring(graph, n_);
    } else {
      begin(graph, n_);
      run(graph, i_of(n_), n_ / parts_of_particles(options_));
      finish(graph, n_);
      send_j(graph, held_of(n_));
    }
    interconnect::ActivityTimes times = run_critical_path(graph.graph(), topology_, {options_.factors});
    return {std::move(graph), std::move(times), 1};
  }

  [[nodiscard]] RankGraph empty_graph(std::string name) {
    if (!spare_) return {cluster_, options_.ranks, std::move(name)};
    RankGraph graph = std::move(*spare_);
    spare_.reset();
    graph.clear(std::move(name));
    return graph;
  }

  /// The activities of a block in two parts, the share `first` and the rest; in one part if `first` is 1.
  [[nodiscard]] RankGraph graph(double block, double first) {
    RankGraph graph = empty_graph(fmt::format("block of {:.0f}", block));
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
        choose(graph, {What::send_down, bytes}, columns_,
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
        const std::span<const ActivityId> front = graph.front(rank);
        std::vector<ActivityId> begin(front.begin(), front.end());
        if (!after.empty()) begin.insert(begin.end(), after[rank].begin(), after[rank].end());
        const ActivityId sent = graph.transfer_beside(rank, half.run.i_send, begin);
        half.done.push_back({graph.board_beside(rank, half.run.compute, std::span(&sent, 1))});
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
  [[nodiscard]] std::vector<ActivityId> sent_on(RankGraph& graph, Rank distance, double bytes) {
    std::vector<ActivityId> arrivals(options_.ranks);
    const auto send_on = [&](RankGraph& to, Method) {
      for (const Rank rank : all_) {
        const Rank next = (rank + distance) % options_.ranks;
        arrivals[next] = to.send(rank, next, bytes);
      }
    };
    if (!relays_) {
      send_on(graph, Method::posted);
      return arrivals;
    }
    choose(graph, {What::send_on, bytes}, {}, send_on);
    return arrivals;
  }
  void arrive(RankGraph& graph, const std::vector<ActivityId>& arrivals) const {
    for (Rank rank = 0; rank < arrivals.size(); ++rank) graph.receive(rank, std::span(&arrivals[rank], 1));
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
    if (starts_) return;  // the first forces give first steps, which the model of the host leaves out
    const double seconds = node_.integration_seconds(at_least_one(particles), at_least_one(n));
    for (const Rank rank : all_) graph.host(rank, seconds);
  }

  void send_j(RankGraph& graph, double particles) {
    const double seconds = node_.j_seconds(at_least_one(particles));
    for (const Rank rank : all_) graph.transfer(rank, seconds);
  }

  void gather(RankGraph& graph, const std::vector<Group>& groups, double bytes) {
    choose(graph, {What::gather, bytes}, groups,
           [&](RankGraph& to, Method method) { allgather(to, groups, bytes, method); });
  }

  void sum(RankGraph& graph, const std::vector<Group>& groups, double bytes) {
    choose(graph, {What::sum, bytes}, groups, [&](RankGraph& to, Method method) {
      reduce_scatter(to, groups, bytes, node_.additions_per_second(), method);
    });
  }

  enum class What : std::uint8_t { gather, sum, send_down, send_on };

  /// Makes the call by the method that takes the least time if all ranks begin it together.
  void choose(RankGraph& graph, std::pair<What, double> what, const std::vector<Group>& groups, const Call& call) {
    // With more pairs of ranks, methods other than doubling make too many messages to be tried, and there is no choice.
    constexpr std::size_t kMostMessages = 300'000;
    auto& best = best_[relays_ ? 1 : 0];
    auto known = best.find(what);
    if (known == best.end()) {
      std::size_t pairs = 0;
      for (const Group& group : groups) pairs += group.size() * (group.size() - 1);
      if (pairs > kMostMessages) return call(graph, Method::doubling);
      // Ranks pass on by one message each.
      const auto methods = std::span(kMethods).first(what.first == What::send_on ? 1 : std::size(kMethods));
      const Way way = fastest_way(cluster_, options_.ranks, topology_, options_.factors, methods, relays_, call);
      known = best.emplace(what, way).first;
    }
    make(graph, call, known->second);
  }

  const Cluster& cluster_;
  const Topology& topology_;
  const NbodyNode& node_;
  double n_;
  bool starts_ = false;
  NbodyModelOptions options_;
  Group all_;
  Rank side_ = 1;
  std::vector<Group> rows_;
  std::vector<Group> columns_;
  std::vector<std::size_t> roots_;
  bool relays_ = false;
  std::optional<RankGraph> spare_;                              // whose memory the next graph takes
  std::array<std::map<std::pair<What, double>, Way>, 2> best_;  // without relays, with them
};

NbodyBlock::NbodyBlock(const Cluster& cluster, const Topology& topology, const NbodyNode& node, double n,
                       const NbodyModelOptions& options)
    : maker_(std::make_unique<Maker>(cluster, topology, node, n, options)) {}
NbodyBlock::~NbodyBlock() = default;
NbodyBlock::Timed NbodyBlock::timed(double size) { return maker_->timed(size); }
NbodyBlock::Timed NbodyBlock::start() { return maker_->start(); }
NbodyBlock::RunAndSends NbodyBlock::alone(double size, double first) const { return maker_->alone(size, first); }
void NbodyBlock::reuse(RankGraph&& graph) { maker_->reuse(std::move(graph)); }
double NbodyBlock::least_seconds(double size) const { return maker_->least_seconds(size); }

}  // namespace gdr::cluster
