#include "gdr/interconnect/activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"

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
  static constexpr std::size_t kEventsAPause = 4096;  // less than a millisecond of them

  /// A link or a resource, which serves one activity at a time.
  struct Server {
    double free = 0;        // when the last activity that it serves leaves it
    double last_comes = 0;  // when that activity came
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

  /// Takes the activities in the order in which they were added, each of them whole, which needs no queue. Links and
  /// resources must serve them in the order in which they come, of those that come together the first one that was
  /// added first. So this is right if, on every link and resource, no activity comes before one that was added earlier.
  /// Returns false, having found nothing, if one does, and if the order of events is asked for.
  bool run_as_added() {
    if (keep_details_ || graph_.has_relayed()) return false;
    clear();
    for (ActivityId id = 0; id < graph_.size() && are_served_in_order_; ++id) {
      if (id % kEventsAPause == 0) base::pause();
      begin_activity(id, find_cause(id));
    }
    return are_served_in_order_;
  }

  /// Stores the activity whose end lets this one begin: the last to end of those that it waits for and, of those that
  /// end together, the one that was ready first. Returns when the activity is ready.
  double find_cause(ActivityId id) {
    double ready = 0;
    ActivityId cause = kNone;
    for (const ActivityId before : graph_.after(id)) {
      const double end = times_.end_seconds[before];
      if (cause == kNone || end > ready || (end == ready && was_ready_before(before, cause))) {
        ready = end;
        cause = before;
      }
    }
    cause_[id] = cause;
    return ready;
  }

  [[nodiscard]] bool was_ready_before(ActivityId a, ActivityId b) const {
    const auto ready = [&](ActivityId id) {
      double time = 0;
      for (const ActivityId before : graph_.after(id)) time = std::max(time, times_.end_seconds[before]);
      return time;
    };
    return std::pair(ready(a), a) < std::pair(ready(b), b);
  }

  /// Takes activities when they become ready, and the heads of messages when they come to a link.
  void run_by_time() {
    clear();
    waiting_.emplace(graph_);
    for (ActivityId id = 0; id < graph_.size(); ++id) {
      if (waiting_->open[id] == 0) events_.push({0.0, id});
    }
    for (std::size_t taken = 0; !events_.empty(); ++taken) {
      if (taken % kEventsAPause == 0) base::pause();
      const Event next = events_.top();
      events_.pop();
      if (next.flight != kNoFlight) {
        go_on(next.flight);
      } else if (next.relay != kNoRelay) {
        pass_on(next);
      } else {
        begin_activity(next.id, next.time);
      }
    }
  }

  /// For each activity, the activities that wait for it and those that it waits for itself.
  struct Waiting {
    explicit Waiting(const ActivityGraph& graph) : followers(graph), open(graph.size()), ready(graph.size()) {
      for (ActivityId id = 0; id < graph.size(); ++id) open[id] = static_cast<std::uint32_t>(graph.after(id).size());
    }
    Followers followers;
    std::vector<std::uint32_t> open;
    std::vector<double> ready;  // by what is known so far
  };

  using FlightId = std::uint32_t;
  static constexpr FlightId kNoFlight = std::numeric_limits<FlightId>::max();

  /// An activity becomes ready, the relays `relay` ... `last_relay` of a relayed message have their parts, or the head
  /// of a message comes to a link. Of events at one time that of the activity that was added first comes first.
  struct Event {
    double time;
    ActivityId id;
    NodeId relay = kNoRelay;
    NodeId last_relay = kNoRelay;
    std::uint32_t way = 0;
    FlightId flight = kNoFlight;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::tie(a.time, a.id, a.relay, a.way) > std::tie(b.time, b.id, b.relay, b.way);
    }
  };

  void begin_activity(ActivityId id, double ready) {
    switch (graph_.kind(id)) {
      case ActivityGraph::Kind::work:
        work(id, ready);
        return;
      case ActivityGraph::Kind::message:
        if (const auto end = send({id, graph_.from(id), graph_.to(id)}, graph_.amount(id), ready)) finish(id, *end);
        return;
      case ActivityGraph::Kind::relayed:
        send_to_relays(id, ready);
        return;
      case ActivityGraph::Kind::join:
        finish(id, ready);
        return;
    }
  }

  /// The end of the activity is known.
  void finish(ActivityId id, double end) {
    times_.end_seconds[id] = end;
    if (!waiting_) return;
    for (const ActivityId follower : waiting_->followers.of(id)) {
      double& ready = waiting_->ready[follower];
      ActivityId& cause = cause_[follower];
      if (cause == kNone || end > ready || (end == ready && was_ready_before(id, cause))) {
        ready = end;
        cause = id;
      }
      if (--waiting_->open[follower] == 0) events_.push({ready, follower});
    }
  }

  void work(ActivityId id, double ready) {
    const ResourceId resource = graph_.resource(id);
    Server& server = resources_[resource];
    if (server.free > ready) cause_[id] = last_on_resource_[resource];
    last_on_resource_[resource] = id;
    finish(id, serve(server, ready, graph_.amount(id)) + graph_.amount(id));
  }

  /// Serves an activity that comes at `comes`. Returns when it begins to be served.
  double serve(Server& server, double comes, double seconds) {
    are_served_in_order_ = are_served_in_order_ && comes >= server.last_comes;
    server.last_comes = comes;
    const double begin = std::max(comes, server.free);
    server.free = begin + seconds;
    server.busy += seconds;
    return begin;
  }

  /// When an activity that is done began.
  [[nodiscard]] double begin(ActivityId id) const { return cause_[id] == kNone ? 0 : times_.end_seconds[cause_[id]]; }

  /// Bytes that go from one node to another: a message, or a part of a relayed one, which goes to or from `relay`.
  struct Part {
    ActivityId id;
    NodeId from;
    NodeId to;
    NodeId relay = kNoRelay;
  };
  /// A part on its way; it may take several ways at once.
  struct Sending {
    Part part;
    double bytes;
    double ready;
    double end;  // of the ways that have arrived
    std::uint32_t ways_open;
  };
  /// What takes one way.
  struct Flight {
    std::uint32_t sending = 0;
    std::uint32_t way = 0;
    double bytes = 0;
    double head = 0;  // when the first byte comes to the next link
    double end = 0;   // when the last byte has left the link before
    double slowest = std::numeric_limits<double>::infinity();
    FlowFactors::Class of_size;
    std::vector<LinkId> route;
    std::size_t passed = 0;  // links
  };

  /// A list whose places are used again.
  template <class Item>
  struct Places {
    std::vector<Item> items;
    std::vector<std::uint32_t> free;

    std::uint32_t take() {
      if (free.empty()) {
        items.emplace_back();
        return static_cast<std::uint32_t>(items.size() - 1);
      }
      const std::uint32_t place = free.back();
      free.pop_back();
      return place;
    }
    Item& operator[](std::uint32_t place) { return items[place]; }
    void give_back(std::uint32_t place) { free.push_back(place); }
  };

  /// Sends bytes that are ready. Returns when all of them have arrived if that is known at once; otherwise arrive()
  /// will be told.
  std::optional<double> send(const Part& part, double bytes, double ready) {
    const FlowFactors::Class of_size = factors_.of(static_cast<std::uint64_t>(bytes));
    Sending sending{part, bytes, ready, ready, 0};
    std::optional<std::uint32_t> place;
    for (std::uint32_t way = 0; way < topology_.ways(); ++way) {
      topology_.way_into(part.from, part.to, way, flight_.route);
      flight_.way = way;
      flight_.bytes = bytes / topology_.ways();
      flight_.head = flight_.end = ready;
      flight_.slowest = std::numeric_limits<double>::infinity();
      flight_.of_size = of_size;
      flight_.passed = 0;
      do {
        pass_link(flight_, part.id);
      } while (!waiting_ && !has_arrived(flight_));
      if (has_arrived(flight_)) {
        sending.end = std::max(sending.end, arrival(flight_));
        continue;
      }
      if (!place) place = sendings_.take();
      flight_.sending = *place;
      ++sending.ways_open;
      const FlightId flight = flights_.take();
      std::swap(flights_[flight], flight_);
      push(flight, part);
    }
    if (!place) return end_of(sending);
    sendings_[*place] = sending;
    return std::nullopt;
  }

  void push(FlightId flight, const Part& part) {
    events_.push({flights_[flight].head, part.id, part.relay, part.relay, flights_[flight].way, flight});
  }

  /// The head of a flight comes to its next link.
  void go_on(FlightId place) {
    Flight& flight = flights_[place];
    Sending& sending = sendings_[flight.sending];
    pass_link(flight, sending.part.id);
    if (!has_arrived(flight)) {
      push(place, sending.part);
      return;
    }
    sending.end = std::max(sending.end, arrival(flight));
    flights_.give_back(place);
    if (--sending.ways_open > 0) return;
    const Sending done = sending;
    sendings_.give_back(flight.sending);
    arrive(done.part, end_of(done));
  }

  static bool has_arrived(const Flight& flight) { return flight.passed == flight.route.size(); }

  void pass_link(Flight& flight, ActivityId id) {
    const LinkId number = flight.route[flight.passed++];
    const Cable& link = topology_.links()[number];
    const double occupied = flight.bytes / link.bytes_per_second;
    const double latency = flight.of_size.latency * link.latency_seconds;
    const double begin = serve(links_[number], flight.head, occupied);
    if (keep_details_) times_.link_uses.push_back({id, number, begin, occupied});
    flight.slowest = std::min(flight.slowest, link.bytes_per_second);
    flight.head = begin + latency;
    flight.end = std::max(flight.end + latency, flight.head + occupied);
  }

  /// When the last byte of a flight has arrived. Even alone, it gets no more than its cap on the narrowest link.
  static double arrival(const Flight& flight) {
    const double cap = flight.of_size.rate_cap;
    return cap > 0 ? std::max(flight.end, flight.head + flight.bytes / (cap * flight.slowest)) : flight.end;
  }

  /// When the last byte of all ways has arrived. Together they get no more than the cap on what all ways give the
  /// message alone.
  double end_of(const Sending& sending) {
    const FlowFactors::Class of_size = factors_.of(static_cast<std::uint64_t>(sending.bytes));
    if (topology_.ways() == 1 || of_size.rate_cap == 0) return sending.end;
    const auto& [id, from, to, relay] = sending.part;
    topology_.links_into(from, to, shared_);
    double alone = std::numeric_limits<double>::infinity();
    for (const auto& [link, ways] : shared_) {
      alone = std::min(alone, topology_.links()[link].bytes_per_second * topology_.ways() / ways);
    }
    const double delay = of_size.latency * topology_.latency_seconds(from, to);
    return std::max(sending.end, sending.ready + delay + sending.bytes / (of_size.rate_cap * alone));
  }

  void arrive(const Part& part, double end) {
    if (part.relay == kNoRelay && graph_.kind(part.id) == ActivityGraph::Kind::message) {
      finish(part.id, end);
    } else if (part.relay == part.to) {
      events_.push({end, part.id, part.relay, part.relay});
    } else {
      end_part(part.id, end);
    }
  }

  /// The direct parts and those to the relays leave together. Relays that have their parts at the same time pass them
  /// on together.
  void send_to_relays(ActivityId id, double ready) {
    const NodeId from = graph_.from(id);
    const double bytes = graph_.bytes_of_relay(id);
    parts_open_[id] = graph_.nodes() - 1;  // the direct one, and one for each relay
    if (const auto end = send({id, from, graph_.to(id)}, 2 * bytes, ready)) end_part(id, *end);
    std::optional<Event> together;
    graph_.for_relays(id, [&](NodeId relay) {
      const std::optional<double> arrived = send({id, from, relay, relay}, bytes, ready);
      if (together && together->time == arrived) {
        together->last_relay = relay;
        return;
      }
      if (together) events_.push(*std::exchange(together, std::nullopt));
      if (arrived) together = Event{*arrived, id, relay, relay};
    });
    if (together) events_.push(*together);
  }

  void pass_on(const Event& parts) {
    const NodeId to = graph_.to(parts.id);
    for (NodeId relay = parts.relay; relay <= parts.last_relay; ++relay) {
      if (relay == graph_.from(parts.id) || relay == to) continue;
      if (const auto end = send({parts.id, relay, to, relay}, graph_.bytes_of_relay(parts.id), parts.time)) {
        end_part(parts.id, *end);
      }
    }
  }

  /// A part of a relayed message has arrived where it goes to.
  void end_part(ActivityId id, double end) {
    NodeId& open = parts_open_.at(id);
    times_.end_seconds[id] = std::max(times_.end_seconds[id], end);
    if (--open > 0) return;
    parts_open_.erase(id);
    finish(id, times_.end_seconds[id]);
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
  std::unordered_map<ActivityId, NodeId> parts_open_;  // of a relayed message: parts that have not arrived
  std::optional<Waiting> waiting_;                     // of run_by_time()
  Places<Sending> sendings_;
  Places<Flight> flights_;
  Flight flight_;  // before it waits for its next link
  std::vector<SharedLink> shared_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
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
