#include "gdr/interconnect/activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

constexpr ActivityId kNone = std::numeric_limits<ActivityId>::max();
constexpr NodeId kNoRelay = std::numeric_limits<NodeId>::max();

void require_amount(const std::string& graph, std::string_view what, double amount) {
  if (amount >= 0 && std::isfinite(amount)) return;
  throw Error(fmt::format("activities {}: {} {} is refused: it must be at least 0 and finite", graph, what, amount));
}

/// For each activity, the activities that wait for it.
struct Followers {
  std::vector<std::size_t> begin;
  std::vector<ActivityId> all;

  explicit Followers(const ActivityGraph& graph) : begin(graph.size() + 1) {
    for (ActivityId id = 0; id < graph.size(); ++id) {
      for (const ActivityId before : graph.after(id)) ++begin[before + 1];
    }
    for (std::size_t n = 1; n < begin.size(); ++n) begin[n] += begin[n - 1];
    all.resize(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (ActivityId id = 0; id < graph.size(); ++id) {
      for (const ActivityId before : graph.after(id)) all[next[before]++] = id;
    }
  }
  [[nodiscard]] std::span<const ActivityId> of(ActivityId id) const {
    return std::span(all).subspan(begin[id], begin[id + 1] - begin[id]);
  }
};

class CriticalPath {
 public:
  CriticalPath(const ActivityGraph& graph, const Topology& topology, const CriticalPathOptions& options)
      : graph_(graph), topology_(topology), factors_(options.factors), keep_details_(options.keep_details) {}

  ActivityTimes run() {
    if (!run_as_added()) run_by_time();
    walk_back();
    times_.resource_busy.reserve(resources_.size());
    for (const Server& resource : resources_) times_.resource_busy.push_back(resource.busy);
    times_.link_busy.reserve(links_.size());
    for (const Server& link : links_) times_.link_busy.push_back(link.busy);
    require_link_bound();
    return std::move(times_);
  }

 private:
  /// A link or a resource, which serves one activity at a time.
  struct Server {
    double free = 0;        // when the last activity that it serves leaves it
    double last_ready = 0;  // when that activity was ready
    double busy = 0;
  };

  void clear() {
    times_.end_seconds.assign(graph_.size(), 0);
    cause_.assign(graph_.size(), kNone);
    resources_.assign(graph_.resources(), {});
    last_on_resource_.assign(graph_.resources(), kNone);
    links_.assign(topology_.links().size(), {});
    are_served_in_order_ = true;
  }

  /// Takes the activities in the order in which they were added, which needs no queue of those that are ready. Links
  /// and resources must serve them in the order in which they become ready, the first one that was added first. So this
  /// is right if, on every link and resource, no activity is ready before one that was added earlier. Returns false,
  /// having found nothing, if one is, and if the order of events is asked for.
  bool run_as_added() {
    if (keep_details_ || graph_.has_relayed()) return false;
    clear();
    for (ActivityId id = 0; id < graph_.size() && are_served_in_order_; ++id) take({find_cause(id), id});
    return are_served_in_order_;
  }

  /// Stores the activity whose end lets this one begin: the last to end of those that it waits for and, of those that
  /// end together, the one that is taken first. Returns when the activity is ready.
  double find_cause(ActivityId id) {
    double ready = 0;
    ActivityId cause = kNone;
    for (const ActivityId before : graph_.after(id)) {
      const double end = times_.end_seconds[before];
      if (cause == kNone || end > ready || (end == ready && is_taken_before(before, cause))) {
        ready = end;
        cause = before;
      }
    }
    cause_[id] = cause;
    return ready;
  }

  [[nodiscard]] bool is_taken_before(ActivityId a, ActivityId b) const {
    const auto ready = [&](ActivityId id) {
      double time = 0;
      for (const ActivityId before : graph_.after(id)) time = std::max(time, times_.end_seconds[before]);
      return time;
    };
    return std::pair(ready(a), a) < std::pair(ready(b), b);
  }

  /// Takes the activities in the order in which they become ready.
  void run_by_time() {
    clear();
    const Followers followers(graph_);
    std::vector<std::uint32_t> open(graph_.size());
    std::vector<double> ready(graph_.size());  // by what is known so far
    for (ActivityId id = 0; id < graph_.size(); ++id) {
      open[id] = static_cast<std::uint32_t>(graph_.after(id).size());
      if (open[id] == 0) ready_.push({0.0, id});
    }
    while (!ready_.empty()) {
      const Ready next = ready_.top();
      ready_.pop();
      if (!take(next)) continue;
      const double end = times_.end_seconds[next.id];
      for (const ActivityId follower : followers.of(next.id)) {
        if (cause_[follower] == kNone || end > ready[follower]) {
          ready[follower] = end;
          cause_[follower] = next.id;
        }
        if (--open[follower] == 0) ready_.push({ready[follower], follower});
      }
    }
  }

  /// An activity, or the parts of a relayed message that relays `relay` ... `last_relay` have.
  struct Ready {
    double time;
    ActivityId id;
    NodeId relay = kNoRelay;
    NodeId last_relay = kNoRelay;
  };
  /// Of activities that are ready at the same time, the first one that was added is taken first.
  struct Later {
    bool operator()(const Ready& a, const Ready& b) const {
      return std::tie(a.time, a.id, a.relay) > std::tie(b.time, b.id, b.relay);
    }
  };

  /// Returns true if the end of the activity is known by now.
  bool take(const Ready& next) {
    switch (graph_.kind(next.id)) {
      case ActivityGraph::Kind::work:
        work(next.id, next.time);
        return true;
      case ActivityGraph::Kind::message:
        times_.end_seconds[next.id] =
            sent(next.id, graph_.from(next.id), graph_.to(next.id), graph_.amount(next.id), next.time);
        return true;
      case ActivityGraph::Kind::relayed:
        return next.relay == kNoRelay ? send_to_relays(next) : pass_on(next);
      case ActivityGraph::Kind::join:
        times_.end_seconds[next.id] = next.time;
        return true;
    }
    return true;
  }

  void work(ActivityId id, double ready) {
    const ResourceId resource = graph_.resource(id);
    Server& server = resources_[resource];
    if (server.free > ready) cause_[id] = last_on_resource_[resource];
    last_on_resource_[resource] = id;
    times_.end_seconds[id] = serve(server, ready, ready, graph_.amount(id)) + graph_.amount(id);
  }

  /// Serves an activity that was ready at `ready` and comes at `comes`. Returns when it begins to be served.
  double serve(Server& server, double ready, double comes, double seconds) {
    are_served_in_order_ = are_served_in_order_ && ready >= server.last_ready;
    server.last_ready = ready;
    const double begin = std::max(comes, server.free);
    server.free = begin + seconds;
    server.busy += seconds;
    return begin;
  }

  /// When an activity that is done began.
  [[nodiscard]] double begin(ActivityId id) const { return cause_[id] == kNone ? 0 : times_.end_seconds[cause_[id]]; }

  /// The direct parts and those to the relays leave together. Relays that have their parts at the same time pass them
  /// on together.
  bool send_to_relays(const Ready& next) {
    const ActivityId id = next.id;
    const NodeId from = graph_.from(id);
    const double part = graph_.bytes_of_relay(id);
    times_.end_seconds[id] = sent(id, from, graph_.to(id), 2 * part, next.time);
    Ready group{0, id};
    graph_.for_relays(id, [&](NodeId relay) {
      ++parts_open_[id];
      const double arrived = sent(id, from, relay, part, next.time);
      if (group.relay == kNoRelay || arrived != group.time) {
        if (group.relay != kNoRelay) ready_.push(group);
        group = {arrived, id, relay, relay};
      }
      group.last_relay = relay;
    });
    if (group.relay == kNoRelay) return true;
    ready_.push(group);
    return false;
  }

  bool pass_on(const Ready& next) {
    const NodeId to = graph_.to(next.id);
    NodeId& open = parts_open_.at(next.id);
    for (NodeId relay = next.relay; relay <= next.last_relay; ++relay) {
      if (relay == graph_.from(next.id) || relay == to) continue;
      const double end = sent(next.id, relay, to, graph_.bytes_of_relay(next.id), next.time);
      times_.end_seconds[next.id] = std::max(times_.end_seconds[next.id], end);
      --open;
    }
    if (open > 0) return false;
    parts_open_.erase(next.id);
    return true;
  }

  /// When the last of `bytes` that are sent at `ready` has arrived.
  double sent(ActivityId id, NodeId from, NodeId to, double bytes, double ready) {
    double end = ready;
    const FlowFactors::Class of_size = factors_.of(static_cast<std::uint64_t>(bytes));
    for (std::uint32_t way = 0; way < topology_.ways(); ++way) {
      topology_.way_into(from, to, way, route_);
      end = std::max(end, arrival(id, bytes / topology_.ways(), of_size, ready));
    }
    if (topology_.ways() == 1 || of_size.rate_cap == 0) return end;
    // The parts together get no more than the cap on what all ways give the message alone.
    topology_.links_into(from, to, shared_);
    double alone = std::numeric_limits<double>::infinity();
    for (const auto& [link, ways] : shared_) {
      alone = std::min(alone, topology_.links()[link].bytes_per_second * topology_.ways() / ways);
    }
    const double delay = of_size.latency * topology_.latency_seconds(from, to);
    return std::max(end, ready + delay + bytes / (of_size.rate_cap * alone));
  }

  /// When the last of `bytes` that follow route_ has arrived.
  double arrival(ActivityId id, double bytes, const FlowFactors::Class& of_size, double ready) {
    double head = ready;  // when the first byte reaches the link
    double end = ready;
    double slowest = std::numeric_limits<double>::infinity();
    for (const LinkId number : route_) {
      const Cable& link = topology_.links()[number];
      const double occupied = bytes / link.bytes_per_second;
      const double begin = serve(links_[number], ready, head, occupied);
      if (keep_details_) times_.link_uses.push_back({id, number, begin, occupied});
      slowest = std::min(slowest, link.bytes_per_second);
      head = begin + of_size.latency * link.latency_seconds;
      end = std::max(end + of_size.latency * link.latency_seconds, head + occupied);
    }
    // Even alone, a message gets no more than its cap on the narrowest link.
    if (of_size.rate_cap > 0) end = std::max(end, head + bytes / (of_size.rate_cap * slowest));
    return end;
  }

  void walk_back() {
    ActivityId last = kNone;
    for (ActivityId id = 0; id < graph_.size(); ++id) {
      if (last == kNone || times_.end_seconds[id] > times_.end_seconds[last]) last = id;
    }
    times_.path_seconds.resize(kMostParts);
    if (keep_details_) {
      for (ActivityId id = 0; id < graph_.size(); ++id) times_.begin_seconds.push_back(begin(id));
    }
    if (last == kNone) return;
    times_.seconds = times_.end_seconds[last];
    for (ActivityId id = last; id != kNone; id = cause_[id]) {
      times_.path_seconds[graph_.part(id)] += times_.end_seconds[id] - begin(id);
      if (keep_details_ && graph_.kind(id) != ActivityGraph::Kind::join) times_.path.push_back(id);
    }
    std::ranges::reverse(times_.path);
  }

  void require_link_bound() const {
    constexpr double kRounding = 1e-9;  // of sums of many times
    for (std::size_t link = 0; link < times_.link_busy.size(); ++link) {
      const double needed = times_.link_busy[link];
      if (times_.seconds >= needed * (1 - kRounding)) continue;
      throw Error(fmt::format(
          "activities {} on {}: time {:.6g} s is refused: link {} needs {:.6g} s for its bytes, so "
          "the model is wrong; please report it with the command",
          graph_.name(), topology_.name(), times_.seconds, topology_.links().name(static_cast<LinkId>(link)), needed));
    }
  }

  const ActivityGraph& graph_;
  const Topology& topology_;
  const FlowFactors& factors_;
  bool keep_details_;
  std::vector<ActivityId> cause_;  // the activity whose end let this one begin
  std::vector<Server> resources_;
  std::vector<ActivityId> last_on_resource_;
  std::vector<Server> links_;
  bool are_served_in_order_ = true;
  std::unordered_map<ActivityId, NodeId> parts_open_;  // of a relayed message: parts that relays must still pass on
  std::vector<LinkId> route_;
  std::vector<SharedLink> shared_;
  std::priority_queue<Ready, std::vector<Ready>, Later> ready_;
  ActivityTimes times_;
};

}  // namespace

ActivityGraph::ActivityGraph(std::string name, NodeId nodes, std::vector<NodeId> node_of_resource)
    : name_(std::move(name)), nodes_(nodes), node_of_resource_(std::move(node_of_resource)) {
  for (const NodeId node : node_of_resource_) {
    if (node >= nodes_) {
      throw Error(
          fmt::format("activities {}: a resource of node {} is refused: there are {} nodes", name_, node, nodes_));
    }
  }
}

void ActivityGraph::clear(std::string name) {
  name_ = std::move(name);
  activities_.clear();
  after_.clear();
  messages_ = 0;
  has_relayed_ = false;
}

ActivityId ActivityGraph::work(ResourceId resource, double seconds, std::span<const ActivityId> after, PartId part) {
  if (resource >= resources()) {
    throw Error(fmt::format("activities {}: resource {} is refused: there are {}", name_, resource, resources()));
  }
  require_amount(name_, "work of seconds", seconds);
  return add(Kind::work, seconds, {resource, 0}, after, part);
}

ActivityId ActivityGraph::message(NodeId from, NodeId to, double bytes, std::span<const ActivityId> after,
                                  PartId part) {
  require_message(from, to, bytes);
  ++messages_;
  return add(Kind::message, bytes, {from, to}, after, part);
}

ActivityId ActivityGraph::relayed(NodeId from, NodeId to, double bytes, std::span<const ActivityId> after,
                                  PartId part) {
  require_message(from, to, bytes);
  messages_ += 1 + 2 * (std::size_t{nodes_} - 2);
  has_relayed_ = true;
  return add(Kind::relayed, bytes, {from, to}, after, part);
}

void ActivityGraph::require_message(NodeId from, NodeId to, double bytes) const {
  if (from >= nodes_ || to >= nodes_ || from == to) {
    throw Error(fmt::format("activities {}: a message from node {} to {} is refused: they must be two of {} nodes",
                            name_, from, to, nodes_));
  }
  require_amount(name_, "a message of bytes", bytes);
}

ActivityId ActivityGraph::join(std::span<const ActivityId> after) { return add(Kind::join, 0, {0, 0}, after, 0); }

ActivityId ActivityGraph::add(Kind kind, double amount, std::pair<std::uint32_t, NodeId> place,
                              std::span<const ActivityId> after, PartId part) {
  const auto id = static_cast<ActivityId>(size());
  if (id == kNone) throw Error(fmt::format("activities {}: there are more than {}", name_, kNone - 1));
  if (part >= kMostParts) {
    throw Error(fmt::format("activities {}: part {} is refused: it must be below {}", name_, part, kMostParts));
  }
  for (const ActivityId before : after) {
    if (before >= id) {
      throw Error(
          fmt::format("activities {}: activity {} cannot wait for {}, which is not there yet", name_, id, before));
    }
  }
  after_.insert(after_.end(), after.begin(), after.end());
  activities_.push_back({amount, after_.size(), place.first, place.second, kind, part});
  return id;
}

ActivityTimes run_critical_path(const ActivityGraph& graph, const Topology& topology,
                                const CriticalPathOptions& options) {
  if (graph.nodes() > topology.nodes()) {
    throw Error(fmt::format("activities {}: {} nodes are refused: {} has {}", graph.name(), graph.nodes(),
                            topology.name(), topology.nodes()));
  }
  return CriticalPath(graph, topology, options).run();
}

}  // namespace gdr::interconnect
