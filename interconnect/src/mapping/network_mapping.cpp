#include "gdr/interconnect/network_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "gdr/base/error.h"
#include "placement.h"

namespace gdr::interconnect {
namespace {

constexpr NodeId kMostNodesToMap = 8192;  // distances of all pairs are kept: 268 MB
constexpr std::uint32_t kNoTask = ~0U;

void require_room(const TaskGraph& graph, const Topology& topology, std::uint32_t tasks_per_node) {
  if (tasks_per_node < 1) throw Error("0 tasks a node are refused: there must be at least one");
  const std::uint64_t room = std::uint64_t{topology.nodes()} * tasks_per_node;
  if (graph.tasks() <= room) return;
  throw Error(fmt::format("{} tasks are refused: {} nodes with {} tasks each have room for {}", graph.tasks(),
                          topology.nodes(), tasks_per_node, room));
}

/// Places of tasks: `tasks_per_node` slots a node.
class Slots {
 public:
  Slots(const NetworkMapping& mapping, NodeId nodes, std::uint32_t per_node)
      : per_node_(per_node), task_at_(std::size_t{nodes} * per_node, kNoTask), slot_of_(mapping.node_of.size()) {
    std::vector<std::uint32_t> used(nodes);
    for (std::uint32_t task = 0; task < slot_of_.size(); ++task) {
      const NodeId node = mapping.node_of[task];
      slot_of_[task] = node * per_node + used[node]++;
      task_at_[slot_of_[task]] = task;
    }
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(task_at_.size()); }
  [[nodiscard]] std::uint32_t task_at(std::uint32_t slot) const { return task_at_[slot]; }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t task) const { return slot_of_[task]; }
  [[nodiscard]] NodeId node_at(std::uint32_t slot) const { return slot / per_node_; }
  [[nodiscard]] NodeId node_of(std::uint32_t task) const { return slot_of_[task] / per_node_; }
  void exchange(std::uint32_t a, std::uint32_t b) {
    std::swap(task_at_[a], task_at_[b]);
    for (const std::uint32_t slot : {a, b}) {
      if (task_at_[slot] != kNoTask) slot_of_[task_at_[slot]] = slot;
    }
  }
  [[nodiscard]] NetworkMapping mapping() const {
    NetworkMapping mapping;
    for (const std::uint32_t slot : slot_of_) mapping.node_of.push_back(node_at(slot));
    return mapping;
  }

 private:
  std::uint32_t per_node_;
  std::vector<std::uint32_t> task_at_;
  std::vector<std::uint32_t> slot_of_;
};

/// What a task sends to another and receives from it.
struct Exchanged {
  std::uint32_t task;
  double sent;
  double received;
};

/// Links that a message passes, each counted with the message's share on it.
double hops_of(const std::vector<SharedLink>& route, const Topology& topology) {
  double hops = 0;
  for (const auto& [link, ways] : route) hops += ways;
  return hops / topology.ways();
}

class NetworkSearch {
 public:
  NetworkSearch(const TaskGraph& graph, const Topology& topology, std::uint32_t per_node, const RefineOptions& options,
                const MappingProgress& progress)
      : graph_(graph),
        topology_(topology),
        per_node_(per_node),
        options_(options),
        progress_(progress),
        others_(graph.tasks()),
        hops_(std::size_t{topology.nodes()} * topology.nodes()),
        dice_(options.seed) {
    for (const auto& [from, to, bytes] : graph.transfers()) {
      exchanged(from, to).sent += static_cast<double>(bytes);
      exchanged(to, from).received += static_cast<double>(bytes);
    }
    std::vector<SharedLink> route;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        topology.links_into(from, to, route);
        hops_[std::size_t{from} * topology.nodes() + to] = static_cast<float>(hops_of(route, topology));
      }
    }
  }

  NetworkMapping run() {
    consider(network_mapping_in_order(graph_, topology_, per_node_));
    const NetworkMapping natural = best_->second;
    const NetworkMapping grown = grow();
    consider(grown);
    // The share of the work that each search has: links take longer, and begin from what the other has found.
    const bool for_links = options_.objective == MappingObjective::link;
    consider(anneal_hops(natural, 0, 0.25));
    consider(anneal_hops(grown, 0.25, 0.5));
    if (foremost_->first < best_->first) {  // some link is too busy
      consider(anneal_links(NetworkMapping(foremost_->second), 0.5, 0.75, natural_->busiest_seconds));
      consider(anneal_links(NetworkMapping(best_->second), 0.75, 1, natural_->busiest_seconds));
      return best_->second;
    }
    consider(anneal_links(NetworkMapping(best_->second), 0.5, for_links ? 0.9 : 0.75));
    consider(for_links ? anneal_links(natural, 0.9, 1) : anneal_hops(best_->second, 0.75, 1));
    return best_->second;
  }

 private:
  Exchanged& exchanged(std::uint32_t task, std::uint32_t other) {
    auto& list = others_[task];
    const auto known = std::ranges::find(list, other, &Exchanged::task);
    if (known != list.end()) return *known;
    return list.emplace_back(Exchanged{other, 0, 0});
  }

  [[nodiscard]] double hops(NodeId from, NodeId to) const {
    return static_cast<double>(hops_[std::size_t{from} * topology_.nodes() + to]);
  }

  void consider(const NetworkMapping& mapping) {
    const NetworkMappingCost cost = network_mapping_cost(graph_, topology_, mapping);
    if (!natural_) natural_ = cost;
    std::pair<double, double> merit{cost.hop_bytes, cost.busiest_seconds};
    if (options_.objective == MappingObjective::link) std::swap(merit.first, merit.second);
    if (!foremost_ || merit < foremost_->first) foremost_ = {merit, mapping};
    const bool is_allowed = !best_ || is_better(cost, *natural_, options_.objective);
    if (!best_ || (is_allowed && merit < best_->first)) best_ = {merit, mapping};
  }

  /// Begins with the task that exchanges most; each next task is the one that exchanges most with those that have a
  /// place, and gets the free place with the fewest hops x bytes.
  [[nodiscard]] NetworkMapping grow() const {
    NetworkMapping mapping{std::vector<NodeId>(graph_.tasks(), 0)};
    std::vector<std::uint32_t> free(topology_.nodes(), per_node_);
    std::vector<bool> placed(graph_.tasks());
    std::vector<double> drawn(graph_.tasks());  // bytes with tasks that have a place
    const auto total = [&](std::uint32_t task) {
      double bytes = 0;
      for (const Exchanged& other : others_[task]) bytes += other.sent + other.received;
      return bytes;
    };
    for (std::uint32_t count = 0; count < graph_.tasks(); ++count) {
      std::uint32_t next = kNoTask;
      std::pair<double, double> most{-1, -1};
      for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
        if (placed[task] || drawn[task] < most.first) continue;
        const std::pair<double, double> merit{drawn[task], total(task)};
        if (next != kNoTask && merit <= most) continue;
        most = merit;
        next = task;
      }
      NodeId at = 0;
      double least = -1;
      for (NodeId node = 0; node < topology_.nodes(); ++node) {
        if (free[node] == 0) continue;
        double added = 0;
        for (const Exchanged& other : others_[next]) {
          if (!placed[other.task]) continue;
          const NodeId there = mapping.node_of[other.task];
          added += other.sent * hops(node, there) + other.received * hops(there, node);
        }
        if (least < 0 || added < least) {
          least = added;
          at = node;
        }
      }
      mapping.node_of[next] = at;
      --free[at];
      placed[next] = true;
      for (const Exchanged& other : others_[next]) drawn[other.task] += other.sent + other.received;
    }
    return mapping;
  }

  /// Exchanges that a search tries; a trial takes some 100 ns for each neighbour of its tasks.
  [[nodiscard]] double tries(double share) const {
    constexpr double kTriesOfTransfer = 400;
    constexpr double kLeastTries = 4e4;
    return share * options_.effort *
           std::max(kLeastTries, kTriesOfTransfer * static_cast<double>(graph_.transfers().size() + graph_.tasks()));
  }

  /// Calls change(a, b, allowed) for two slots with different contents, while the temperature falls.
  template <class Change>
  void anneal(const Slots& slots, double typical, double from, double to, const Change& change) {
    constexpr double kFirst = 1;
    constexpr double kLast = 1e-3;
    constexpr std::uint64_t kPollEvery = 256;
    const auto most = static_cast<std::uint64_t>(tries(to - from));
    double temperature = 0;
    for (std::uint64_t trial = 0; trial < most && !ended_; ++trial) {
      const double done = static_cast<double>(trial) / static_cast<double>(most);
      if (trial % kPollEvery == 0) {
        temperature = typical * kFirst * std::pow(kLast / kFirst, done);
        if (progress_ && !progress_(from + (to - from) * done)) ended_ = true;
      }
      const std::uint32_t a = dice_.below(slots.size());
      const std::uint32_t b = dice_.below(slots.size());
      if (slots.node_at(a) == slots.node_at(b)) continue;
      if (slots.task_at(a) == kNoTask && slots.task_at(b) == kNoTask) continue;
      change(a, b, -temperature * std::log(1 - dice_.uniform()));
    }
  }

  /// Bytes that two tasks exchange, both ways.
  [[nodiscard]] double mean_traffic() const {
    return 2 * static_cast<double>(graph_.total_bytes()) /
           std::max<double>(1, static_cast<double>(graph_.transfers().size()));
  }

  NetworkMapping anneal_hops(const NetworkMapping& start, double from, double to) {
    Slots slots(start, topology_.nodes(), per_node_);
    double now = 0;
    double least = 0;
    NetworkMapping best = start;
    const auto cost_of = [&](std::uint32_t task) {
      double cost = 0;
      if (task == kNoTask) return cost;
      const NodeId here = slots.node_of(task);
      for (const Exchanged& other : others_[task]) {
        const NodeId there = slots.node_of(other.task);
        cost += other.sent * hops(here, there) + other.received * hops(there, here);
      }
      return cost;
    };
    anneal(slots, mean_traffic(), from, to, [&](std::uint32_t a, std::uint32_t b, double allowed) {
      const std::uint32_t task_a = slots.task_at(a);
      const std::uint32_t task_b = slots.task_at(b);
      // What the two exchange with each other is counted twice before and after; the sum is of the others' changes and
      // twice its own, which is halved.
      const auto shared = [&] {
        if (task_a == kNoTask || task_b == kNoTask) return 0.0;
        const auto own = std::ranges::find(others_[task_a], task_b, &Exchanged::task);
        if (own == others_[task_a].end()) return 0.0;
        const NodeId here = slots.node_of(task_a);
        const NodeId there = slots.node_of(task_b);
        return own->sent * hops(here, there) + own->received * hops(there, here);
      };
      const double before = cost_of(task_a) + cost_of(task_b) - shared();
      slots.exchange(a, b);
      const double added = cost_of(task_a) + cost_of(task_b) - shared() - before;
      if (added > allowed) {
        slots.exchange(a, b);
        return;
      }
      now += added;
      if (now < least) {
        least = now;
        best = slots.mapping();
      }
    });
    return best;
  }

  /// Anneals the sum of the eighth powers of the links' seconds, which the busiest ones rule. With a bound, the sum of
  /// hops x bytes, and no link may take more seconds than the bound.
  NetworkMapping anneal_links(const NetworkMapping& start, double from, double to, std::optional<double> bound = {}) {
    constexpr double kPower = 8;
    constexpr double kHopsOfExcess = 4;  // of bytes beyond the bound
    Slots slots(start, topology_.nodes(), per_node_);
    std::vector<double> seconds(topology_.links().size());
    const auto carry = [&](NodeId here, NodeId there, double bytes, std::vector<std::pair<LinkId, double>>& changes) {
      if (bytes == 0 || here == there) return;
      topology_.links_into(here, there, route_);
      for (const auto& [link, ways] : route_) {
        changes.emplace_back(link, bytes * ways / topology_.ways() / topology_.links()[link].bytes_per_second);
      }
    };
    std::vector<std::pair<LinkId, double>> changes;
    for (const auto& [sender, receiver, bytes] : graph_.transfers()) {
      carry(slots.node_of(sender), slots.node_of(receiver), static_cast<double>(bytes), changes);
    }
    for (const auto& [link, added] : changes) seconds[link] += added;
    const double scale = std::ranges::max(seconds);
    if (scale <= 0) return start;
    const auto merit = [&](LinkId link, double value) {
      if (!bound) return std::pow(std::max(0.0, value) / scale, kPower);
      return (value + kHopsOfExcess * std::max(0.0, value - *bound)) * topology_.links()[link].bytes_per_second;
    };
    const auto is_within = [&](double busiest) { return !bound || busiest <= *bound * (1 + 1e-12); };
    double least = bound ? std::numeric_limits<double>::max() : scale;
    double sum = 0;
    for (LinkId link = 0; link < seconds.size(); ++link) sum += merit(link, seconds[link]);
    if (bound && is_within(scale)) least = sum;
    NetworkMapping best = start;
    std::vector<double> old(seconds.size());
    std::vector<bool> touched(seconds.size());
    std::vector<LinkId> links;
    anneal(slots, bound ? mean_traffic() : 1, from, to, [&](std::uint32_t a, std::uint32_t b, double allowed) {
      const std::uint32_t task_a = slots.task_at(a);
      const std::uint32_t task_b = slots.task_at(b);
      const auto traffic_of = [&](double sign) {
        for (const std::uint32_t task : {task_a, task_b}) {
          if (task == kNoTask) continue;
          for (const Exchanged& other : others_[task]) {
            if (task == task_b && other.task == task_a) continue;  // counted from a
            carry(slots.node_of(task), slots.node_of(other.task), sign * other.sent, changes);
            carry(slots.node_of(other.task), slots.node_of(task), sign * other.received, changes);
          }
        }
      };
      changes.clear();
      traffic_of(-1);
      slots.exchange(a, b);
      traffic_of(1);
      links.clear();
      for (const auto& [link, added] : changes) {
        if (!touched[link]) {
          touched[link] = true;
          old[link] = seconds[link];
          links.push_back(link);
        }
        seconds[link] += added;
      }
      double added = 0;
      for (const LinkId link : links) {
        added += merit(link, seconds[link]) - merit(link, old[link]);
        touched[link] = false;
      }
      if (added > allowed) {
        slots.exchange(a, b);
        for (const LinkId link : links) seconds[link] = old[link];
        return;
      }
      sum += added;
      if (bound ? sum >= least : added >= 0) return;
      const double busiest = std::ranges::max(seconds);
      const double now = bound ? sum : busiest;
      if (now < least * (1 - 1e-12) && is_within(busiest)) {
        least = now;
        best = slots.mapping();
      }
    });
    return best;
  }

  const TaskGraph& graph_;
  const Topology& topology_;
  std::uint32_t per_node_;
  const RefineOptions& options_;
  const MappingProgress& progress_;
  std::vector<std::vector<Exchanged>> others_;  // by task
  std::vector<float> hops_;                     // shape: [from][to]
  Dice dice_;
  std::vector<SharedLink> route_;
  bool ended_ = false;
  using Rated = std::pair<std::pair<double, double>, NetworkMapping>;  // objective and other quantity
  std::optional<NetworkMappingCost> natural_;
  std::optional<Rated> best_;      // natural order, or better than it
  std::optional<Rated> foremost_;  // in the objective, whether or not it is better than natural order
};

}  // namespace

NetworkMappingCost network_mapping_cost(const TaskGraph& graph, const Topology& topology,
                                        const NetworkMapping& mapping) {
  if (mapping.node_of.size() != graph.tasks()) {
    throw Error(
        fmt::format("a mapping of {} tasks is refused: the graph has {}", mapping.node_of.size(), graph.tasks()));
  }
  for (const NodeId node : mapping.node_of) {
    if (node >= topology.nodes()) {
      throw Error(fmt::format("node {} is refused: it must be from 0 to {}", node, topology.nodes() - 1));
    }
  }
  NetworkMappingCost cost;
  std::vector<std::uint64_t> bytes_on(topology.links().size());
  std::vector<SharedLink> route;
  for (const auto& [from, to, bytes] : graph.transfers()) {
    if (mapping.node_of[from] == mapping.node_of[to]) {
      cost.inside += bytes;
      continue;
    }
    topology.links_into(mapping.node_of[from], mapping.node_of[to], route);
    cost.hop_bytes += static_cast<double>(bytes) * hops_of(route, topology);
    for (const auto& [link, ways] : route) bytes_on[link] += bytes * ways;
  }
  for (std::size_t link = 0; link < bytes_on.size(); ++link) {
    cost.busiest_seconds = std::max(cost.busiest_seconds, static_cast<double>(bytes_on[link]) / topology.ways() /
                                                              topology.links()[link].bytes_per_second);
  }
  return cost;
}

bool is_better(const NetworkMappingCost& cost, const NetworkMappingCost& natural, MappingObjective objective) {
  if (objective == MappingObjective::cost && cost.busiest_seconds > natural.busiest_seconds) return false;
  const std::pair by_cost(std::pair(cost.hop_bytes, cost.busiest_seconds),
                          std::pair(natural.hop_bytes, natural.busiest_seconds));
  const std::pair by_link(std::pair(cost.busiest_seconds, cost.hop_bytes),
                          std::pair(natural.busiest_seconds, natural.hop_bytes));
  return objective == MappingObjective::cost ? by_cost.first < by_cost.second : by_link.first < by_link.second;
}

NetworkMapping network_mapping_in_order(const TaskGraph& graph, const Topology& topology,
                                        std::uint32_t tasks_per_node) {
  require_room(graph, topology, tasks_per_node);
  NetworkMapping mapping;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) mapping.node_of.push_back(task / tasks_per_node);
  return mapping;
}

NetworkMapping map_on_network(const TaskGraph& graph, const Topology& topology, std::uint32_t tasks_per_node,
                              const RefineOptions& options, const MappingProgress& progress) {
  require_room(graph, topology, tasks_per_node);
  if (topology.nodes() > kMostNodesToMap) {
    throw Error(fmt::format("{} nodes are refused: there must be at most {}, as the distances of all pairs are kept",
                            topology.nodes(), kMostNodesToMap));
  }
  if (!(options.effort >= 0 && options.effort <= 1e6)) {
    throw Error(fmt::format("effort {} is refused: it must be from 0 to 1000000", options.effort));
  }
  return NetworkSearch(graph, topology, tasks_per_node, options, progress).run();
}

Schedule traffic_at_once(const TaskGraph& graph, const NetworkMapping& mapping, const Topology& topology) {
  std::map<std::pair<NodeId, NodeId>, std::uint64_t> bytes;
  for (const auto& [from, to, sent] : graph.transfers()) {
    const std::pair pair(mapping.node_of[from], mapping.node_of[to]);
    if (pair.first != pair.second) bytes[pair] += sent;
  }
  Schedule schedule{"task graph", {}};
  schedule.ranks.resize(topology.nodes());
  for (const auto& [pair, sum] : bytes) add_message(schedule, 0, pair.first, pair.second, sum, 0);
  return schedule;
}

TaskMapping places_of(const NetworkMapping& mapping, std::uint32_t tasks_per_node) {
  std::map<NodeId, std::uint32_t> used;
  TaskMapping places;
  for (const NodeId node : mapping.node_of) places.push_back(node * tasks_per_node + used[node]++);
  return places;
}

}  // namespace gdr::interconnect
