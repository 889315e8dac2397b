#include "gdr/cluster/rank_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/names.h"

namespace gdr::cluster {
namespace {

using interconnect::NodeId;
using interconnect::PartId;
using interconnect::ResourceId;

constexpr ActivityId kNothing = std::numeric_limits<ActivityId>::max();
constexpr base::Names<Part> kPartNames({{Part::board, "board"},
                                        {Part::transfer, "transfer"},
                                        {Part::host, "host"},
                                        {Part::overhead, "overhead"},
                                        {Part::network, "network"},
                                        {Part::loopback, "loopback"}});
constexpr double kWordBytes = 8;

static_assert(kParts * kMostStages <= interconnect::kMostParts);

ResourceId host_of(Rank rank) { return 2 * rank + 1; }

/// The node of every resource: a board and a host for each rank, then a memory for each node.
std::vector<NodeId> resources(const Cluster& cluster, Rank ranks) {
  std::vector<NodeId> node_of;
  for (Rank rank = 0; rank < ranks; ++rank) node_of.insert(node_of.end(), 2, rank / cluster.ranks_per_node);
  for (NodeId node = 0; node < cluster.nodes_of(ranks); ++node) node_of.push_back(node);
  return node_of;
}

/// The sends of one step: all leave before any rank waits for one.
class Sends {
 public:
  explicit Sends(RankGraph& graph) : graph_(graph) {}
  void send(Rank from, Rank to, double bytes) { arrivals_.emplace_back(to, graph_.send(from, to, bytes)); }
  /// The messages are received; nothing is sent afterwards.
  void arrive() {
    // By rank, and of a rank in the order of the sends.
    std::vector<std::size_t> begin(graph_.ranks() + 1);
    for (const auto& [to, message] : arrivals_) ++begin[to + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<ActivityId> sorted(arrivals_.size());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (const auto& [to, message] : arrivals_) sorted[next[to]++] = message;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      const auto of_rank = std::span(sorted).subspan(begin[rank], begin[rank + 1] - begin[rank]);
      if (!of_rank.empty()) graph_.receive(rank, of_rank);
    }
  }

 private:
  RankGraph& graph_;
  std::vector<std::pair<Rank, ActivityId>> arrivals_;
};

std::size_t largest(const std::vector<Group>& groups) {
  std::size_t size = 0;
  for (const Group& group : groups) size = std::max(size, group.size());
  return size;
}

/// Every rank of a group sends to every other one; at each distance all ranks have different receivers.
void exchange_all(RankGraph& graph, const std::vector<Group>& groups, const auto& bytes_of) {
  Sends step(graph);
  for (std::size_t distance = 1; distance < largest(groups); ++distance) {
    for (const Group& group : groups) {
      if (distance >= group.size()) continue;
      for (std::size_t n = 0; n < group.size(); ++n) {
        step.send(group[n], group[(n + distance) % group.size()], bytes_of(group));
      }
    }
  }
  step.arrive();
}

void go_round(RankGraph& graph, const std::vector<Group>& groups, const auto& bytes_of, const auto& between) {
  for (std::size_t turn = 1; turn < largest(groups); ++turn) {
    Sends step(graph);
    for (const Group& group : groups) {
      if (turn >= group.size()) continue;
      for (std::size_t n = 0; n < group.size(); ++n) {
        step.send(group[n], group[(n + 1) % group.size()], bytes_of(group));
      }
    }
    step.arrive();
    between(turn);
  }
}

void add_on_hosts(RankGraph& graph, const Group& group, double bytes, double additions_per_second) {
  if (additions_per_second <= 0) return;
  for (const Rank rank : group) graph.host(rank, bytes / kWordBytes / additions_per_second);
}

}  // namespace

std::string_view name_of(Part part) { return kPartNames[part]; }

std::array<double, kParts> part_seconds(const interconnect::ActivityTimes& times) {
  std::array<double, kParts> seconds{};
  for (std::size_t id = 0; id < kParts * kMostStages; ++id) seconds[id % kParts] += times.path_seconds[id];
  return seconds;
}

double stage_seconds(const interconnect::ActivityTimes& times, unsigned stage) {
  const auto first = times.path_seconds.begin() + static_cast<std::ptrdiff_t>(stage * kParts);
  return std::accumulate(first, first + kParts, 0.0);
}

RankGraph::RankGraph(const Cluster& cluster, Rank ranks, std::string name)
    : cluster_(&cluster),
      graph_(std::move(name), cluster.nodes_of(ranks), resources(cluster, ranks)),
      front_(ranks, kNothing) {}

void RankGraph::clear(std::string name) {
  graph_.clear(std::move(name));
  std::ranges::fill(front_, kNothing);
  bytes_ = 0;
  stage_ = 0;
  relayed_ = false;
}

std::span<const ActivityId> RankGraph::front(Rank rank) const {
  return std::span(front_).subspan(rank, front_[rank] == kNothing ? 0 : 1);
}

PartId RankGraph::id_of(Part part) const { return static_cast<PartId>(stage_ * kParts + static_cast<unsigned>(part)); }

void RankGraph::work(Rank rank, ResourceId resource, double seconds, Part part) {
  if (seconds > 0) front_[rank] = graph_.work(resource, seconds, front(rank), id_of(part));
}

void RankGraph::board(Rank rank, double seconds) { work(rank, board_resource(rank), seconds, Part::board); }
void RankGraph::transfer(Rank rank, double seconds) { work(rank, board_resource(rank), seconds, Part::transfer); }
void RankGraph::host(Rank rank, double seconds) { work(rank, host_of(rank), seconds, Part::host); }
void RankGraph::wait_for_network(Rank rank, double seconds) { work(rank, host_of(rank), seconds, Part::network); }

void RankGraph::together(const std::vector<Rank>& group) {
  std::vector<ActivityId> after;
  for (const Rank rank : group) {
    if (front_[rank] != kNothing) after.push_back(front_[rank]);
  }
  if (after.empty()) return;
  const ActivityId all = graph_.join(after);
  for (const Rank rank : group) front_[rank] = all;
}

ActivityId RankGraph::board_beside(Rank rank, double seconds, std::span<const ActivityId> after) {
  return graph_.work(board_resource(rank), seconds, after, id_of(Part::board));
}

ActivityId RankGraph::transfer_beside(Rank rank, double seconds, std::span<const ActivityId> after) {
  return graph_.work(board_resource(rank), seconds, after, id_of(Part::transfer));
}

ActivityId RankGraph::send(Rank from, Rank to, double bytes) {
  if (cluster_->message_overhead > 0) {
    // Of a relayed message, a part leaves for each other node, and relays send theirs.
    const bool parts = relayed_ && from / cluster_->ranks_per_node != to / cluster_->ranks_per_node;
    const double sends = parts && graph_.nodes() > 2 ? graph_.nodes() : 1;
    front_[from] = graph_.work(host_of(from), sends * cluster_->message_overhead, front(from), id_of(Part::overhead));
  }
  return travel(from, to, bytes, front(from));
}

ActivityId RankGraph::travel(Rank from, Rank to, double bytes, std::span<const ActivityId> after) {
  const NodeId source = from / cluster_->ranks_per_node;
  const NodeId destination = to / cluster_->ranks_per_node;
  if (source == destination) {
    const ResourceId memory = 2 * ranks() + source;
    return graph_.work(memory, cluster_->loopback_latency + bytes / cluster_->loopback_rate, after,
                       id_of(Part::loopback));
  }
  if (relayed_) {
    // All but the two parts that go directly are sent twice.
    bytes_ += static_cast<std::uint64_t>(2 * bytes * (graph_.nodes() - 1) / graph_.nodes());
    return graph_.relayed(source, destination, bytes, after, id_of(Part::network));
  }
  bytes_ += static_cast<std::uint64_t>(bytes);
  return graph_.message(source, destination, bytes, after, id_of(Part::network));
}

void RankGraph::receive(Rank rank, std::span<const ActivityId> arrivals) {
  after_.assign(front(rank).begin(), front(rank).end());
  after_.insert(after_.end(), arrivals.begin(), arrivals.end());
  if (!after_.empty()) front_[rank] = after_.size() == 1 ? after_.front() : graph_.join(after_);
}

void make(RankGraph& graph, const Call& call, Way way) {
  graph.relayed(way.relayed);
  call(graph, way.method);
  graph.relayed(false);
}

Way fastest_way(const Cluster& cluster, Rank ranks, const interconnect::Topology& topology,
                const interconnect::FlowFactors& factors, std::span<const Method> methods, bool relays,
                const Call& call) {
  Way fastest;
  double least = std::numeric_limits<double>::infinity();
  const auto try_way = [&](Way way) {
    RankGraph alone(cluster, ranks, "call");
    make(alone, call, way);
    const double seconds = run_critical_path(alone.graph(), topology, {factors}).seconds;
    if (seconds < least) {
      least = seconds;
      fastest = way;
    }
    return static_cast<double>(alone.bytes());
  };
  double fewest_bytes = std::numeric_limits<double>::infinity();
  for (const Method method : methods) fewest_bytes = std::min(fewest_bytes, try_way({method, false}));
  const double nodes = cluster.nodes_of(ranks);
  if (!relays || nodes < 3) return fastest;
  // Relays send nearly all bytes twice. That takes long if all links together are already busy.
  double bytes_per_second = 0;
  for (std::size_t link = 0; link < topology.links().size(); ++link) {
    bytes_per_second += topology.links()[link].bytes_per_second;
  }
  if (2 * fewest_bytes * (nodes - 1) / nodes / bytes_per_second >= least) return fastest;
  for (const Method method : methods) try_way({method, true});
  return fastest;
}

void allgather(RankGraph& graph, const std::vector<Group>& groups, double bytes, Method method) {
  const auto one = [&](const Group&) { return bytes; };
  if (method == Method::posted) return exchange_all(graph, groups, one);
  if (method == Method::ring) return go_round(graph, groups, one, [](std::size_t) {});
  for (std::size_t held = 1; held < largest(groups); held *= 2) {
    Sends step(graph);
    for (const Group& group : groups) {
      if (held >= group.size()) continue;
      const auto sent = static_cast<double>(std::min(held, group.size() - held)) * bytes;
      for (std::size_t n = 0; n < group.size(); ++n) {
        step.send(group[n], group[(n + group.size() - held) % group.size()], sent);
      }
    }
    step.arrive();
  }
}

void reduce_scatter(RankGraph& graph, const std::vector<Group>& groups, double bytes, double additions_per_second,
                    Method method) {
  const auto share = [&](const Group& group) { return bytes / static_cast<double>(group.size()); };
  if (method == Method::ring) {
    return go_round(graph, groups, share, [&](std::size_t turn) {
      for (const Group& group : groups) {
        if (turn < group.size()) add_on_hosts(graph, group, share(group), additions_per_second);
      }
    });
  }
  std::vector<Group> posted;
  std::vector<Group> halved;
  for (const Group& group : groups) {
    const bool halves = method == Method::doubling && std::has_single_bit(group.size());
    (halves ? halved : posted).push_back(group);
  }
  exchange_all(graph, posted, share);
  for (const Group& group : posted) {
    if (group.size() > 1) add_on_hosts(graph, group, bytes - share(group), additions_per_second);
  }
  // In each step the distance to the partner and the amount of data halve.
  for (std::size_t parts = 2; parts <= largest(halved); parts *= 2) {
    Sends step(graph);
    for (const Group& group : halved) {
      if (parts > group.size()) continue;
      for (std::size_t n = 0; n < group.size(); ++n) {
        step.send(group[n], group[n ^ (group.size() / parts)], bytes / static_cast<double>(parts));
      }
    }
    step.arrive();
    for (const Group& group : halved) {
      if (parts <= group.size()) add_on_hosts(graph, group, bytes / static_cast<double>(parts), additions_per_second);
    }
  }
}

void broadcast(RankGraph& graph, const std::vector<Group>& groups, const std::vector<std::size_t>& roots, double bytes,
               Method method) {
  const auto member = [&](std::size_t group, std::size_t place) {
    return groups[group][(roots[group] + place) % groups[group].size()];
  };
  if (method == Method::doubling) {
    for (std::size_t have = 1; have < largest(groups); have *= 2) {
      Sends step(graph);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t n = 0; n < have && n + have < groups[g].size(); ++n) {
          step.send(member(g, n), member(g, n + have), bytes);
        }
      }
      step.arrive();
    }
    return;
  }
  const bool in_parts = method == Method::ring;
  Sends step(graph);
  for (std::size_t place = 1; place < largest(groups); ++place) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto size = static_cast<double>(groups[g].size());
      if (place < groups[g].size()) step.send(member(g, 0), member(g, place), in_parts ? bytes / size : bytes);
    }
  }
  step.arrive();
  if (!in_parts) return;
  const auto share = [&](const Group& group) { return bytes / static_cast<double>(group.size()); };
  go_round(graph, groups, share, [](std::size_t) {});
}

void allreduce(RankGraph& graph, const std::vector<Group>& groups, double bytes) {
  for (std::size_t distance = 1; distance < largest(groups); distance *= 2) {
    Sends step(graph);
    for (const Group& group : groups) {
      if (distance >= group.size()) continue;
      for (std::size_t n = 0; n < group.size(); ++n) {
        step.send(group[n], group[(n + distance) % group.size()], bytes);
      }
    }
    step.arrive();
  }
}

}  // namespace gdr::cluster
