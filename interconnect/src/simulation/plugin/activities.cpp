// Simulates activities with SimGrid's S4U: flows share links fairly, resources do one piece of work at a time. There
// are no actors: the end of an activity lets others begin.
#include <algorithm>
#include <deque>
#include <optional>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "child/child.h"
#include "executors.h"
#include "gdr/base/error.h"
#include "zone.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

/// A schedule with only the graph's messages, for the links that they take.
Schedule messages_of(const ActivityGraph& graph) {
  Schedule schedule{.name = graph.name(), .ranks = std::vector<std::vector<Step>>(graph.nodes())};
  for (ActivityId id = 0; id < graph.size(); ++id) {
    const auto add = [&](NodeId from, NodeId to, double bytes) {
      add_message(schedule, 0, from, to, static_cast<std::uint64_t>(bytes), id);
    };
    if (graph.kind(id) == ActivityGraph::Kind::message) add(graph.from(id), graph.to(id), graph.amount(id));
    if (graph.kind(id) != ActivityGraph::Kind::relayed) continue;
    const double part = graph.bytes_of_relay(id);
    add(graph.from(id), graph.to(id), 2 * part);
    graph.for_relays(id, [&](NodeId relay) {
      add(graph.from(id), relay, part);
      add(relay, graph.to(id), part);
    });
  }
  return schedule;
}

class GraphSimulation {
 public:
  GraphSimulation(const ActivityGraph& graph, ExplicitZone& zone, SharedNumber& share_done)
      : graph_(graph),
        zone_(zone),
        share_done_(share_done),
        open_(graph.size()),
        ends_(graph.size()),
        queues_(graph.resources()),
        followers_(graph.size()) {
    for (ActivityId id = 0; id < graph.size(); ++id) {
      open_[id] = graph.after(id).size();
      for (const ActivityId before : graph.after(id)) followers_[before].push_back(id);
    }
  }

  std::vector<double> run(s4u::Engine& engine) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
    for (ActivityId id = 0; id < graph_.size(); ++id) {
      if (graph_.after(id).empty()) ready_.push_back(id);
    }
    begin_ready();
    engine.run();
    return std::move(ends_);
  }

 private:
  struct UnderWay {
    ActivityId id = 0;
    s4u::ActivityPtr activity;
    std::optional<NodeId> relay;
  };
  struct Queue {
    bool busy = false;
    std::deque<ActivityId> waiting;
  };

  /// Begins all activities that are ready, and those that thereby become ready in no time.
  void begin_ready() {
    while (!ready_.empty()) {
      const ActivityId id = ready_.front();
      ready_.pop_front();
      switch (graph_.kind(id)) {
        case ActivityGraph::Kind::join:
          done(id);
          break;
        case ActivityGraph::Kind::message:
          send(id, graph_.from(id), graph_.to(id), graph_.amount(id));
          break;
        case ActivityGraph::Kind::relayed:
          send_to_relays(id);
          break;
        case ActivityGraph::Kind::work:
          Queue& queue = queues_[graph_.resource(id)];
          queue.waiting.push_back(id);
          work(queue);
          break;
      }
    }
  }

  /// `relay` is the node that passes on what arrives.
  void send(ActivityId id, NodeId from, NodeId to, double size, std::optional<NodeId> relay = {}) {
    const s4u::CommPtr comm = s4u::Comm::sendto_init(zone_.hosts()[from], zone_.hosts()[to]);
    const auto bytes = static_cast<std::uint64_t>(size);
    comm->set_payload_size(bytes);
    zone_.announce(bytes);
    under_way_[comm.get()] = {id, comm, relay};
    comm->start();
  }

  void send_to_relays(ActivityId id) {
    const double part = graph_.bytes_of_relay(id);
    std::size_t parts = 1;
    graph_.for_relays(id, [&](NodeId) { ++parts; });
    parts_open_[id] = parts;
    send(id, graph_.from(id), graph_.to(id), 2 * part);
    graph_.for_relays(id, [&](NodeId relay) { send(id, graph_.from(id), relay, part, relay); });
  }

  /// A part of a relayed message has reached a relay or the receiver.
  void part_arrived(ActivityId id, std::optional<NodeId> relay) {
    if (relay) {
      send(id, *relay, graph_.to(id), graph_.bytes_of_relay(id));
    } else if (--parts_open_.at(id) == 0) {
      parts_open_.erase(id);
      done(id);
    }
  }

  /// Begins the first piece of work of a queue whose resource is free.
  void work(Queue& queue) {
    while (!queue.busy && !queue.waiting.empty()) {
      const ActivityId id = queue.waiting.front();
      queue.waiting.pop_front();
      if (graph_.amount(id) == 0) {
        done(id);
        continue;
      }
      queue.busy = true;
      const s4u::ExecPtr exec = s4u::Exec::init();
      // Hosts have a speed of 1, so that work is given in seconds, and a core for each resource of the node.
      exec->set_flops_amount(graph_.amount(id))->set_host(zone_.hosts()[graph_.node_of(graph_.resource(id))]);
      under_way_[exec.get()] = {id, exec, {}};
      exec->start();
    }
  }

  void complete(const s4u::Activity& activity) {
    const auto found = under_way_.find(&activity);
    if (found == under_way_.end()) return;
    const auto [id, kept, relay] = std::move(found->second);
    under_way_.erase(found);
    last_done_ = kept;
    if (graph_.kind(id) == ActivityGraph::Kind::work) {
      Queue& queue = queues_[graph_.resource(id)];
      queue.busy = false;
      done(id);
      work(queue);
    } else if (graph_.kind(id) == ActivityGraph::Kind::relayed) {
      part_arrived(id, relay);
    } else {
      done(id);
    }
    begin_ready();
  }

  void done(ActivityId id) {
    ends_[id] = s4u::Engine::get_clock();
    share_done_.set(static_cast<double>(++count_done_) / static_cast<double>(graph_.size()));
    for (const ActivityId follower : followers_[id]) {
      if (--open_[follower] == 0) ready_.push_back(follower);
    }
  }

  const ActivityGraph& graph_;
  ExplicitZone& zone_;
  SharedNumber& share_done_;
  std::size_t count_done_ = 0;
  std::vector<std::size_t> open_;
  std::vector<double> ends_;
  std::vector<Queue> queues_;
  std::vector<std::vector<ActivityId>> followers_;
  std::deque<ActivityId> ready_;
  std::unordered_map<const s4u::Activity*, UnderWay> under_way_;
  std::unordered_map<ActivityId, std::size_t> parts_open_;  // of a relayed message: parts that have not arrived
  s4u::ActivityPtr last_done_;  // SimGrid still uses an activity after it has reported that the activity is complete
};

/// Messages of the longest chain of which each waits for the one before.
std::size_t messages_in_a_row(const ActivityGraph& graph) {
  std::vector<std::size_t> until(graph.size());
  std::size_t most = 0;
  for (ActivityId id = 0; id < graph.size(); ++id) {
    for (const ActivityId before : graph.after(id)) until[id] = std::max(until[id], until[before]);
    if (graph.kind(id) == ActivityGraph::Kind::message) ++until[id];
    if (graph.kind(id) == ActivityGraph::Kind::relayed) until[id] += 2;
    most = std::max(most, until[id]);
  }
  return most;
}

/// Resources of the node that has most of them.
int most_resources(const ActivityGraph& graph) {
  std::vector<int> count(graph.nodes());
  for (ResourceId resource = 0; resource < graph.resources(); ++resource) ++count[graph.node_of(resource)];
  return std::max(1, count.empty() ? 0 : *std::ranges::max_element(count));
}

}  // namespace

ActivityTimes simulate_on_s4u(const ActivityGraph& graph, const Topology& topology, const SimulationOptions& options) {
  const Schedule messages = messages_of(graph);
  // Without messages nothing is shared, and SimGrid's own resolution is good enough.
  constexpr double kLeastResolution = 1e-12;
  const LinkBound bound(messages, topology, options, messages_in_a_row(graph));
  const double resolution = std::max(kLeastResolution, bound.resolution_seconds());
  SharedNumber done;
  const auto simulate = [&] {
    s4u::Engine& engine = make_engine(options, resolution, Shares::changed);
    auto* zone = new ExplicitZone(messages, topology, options, Routes::solved,
                                  most_resources(graph));  // the engine owns it from here
    return GraphSimulation(graph, *zone, done).run(engine);
  };
  ChildResult<std::vector<double>> child =
      compute_in_child("activities " + graph.name(), simulate, telling(options, done));
  ActivityTimes times;
  times.end_seconds = std::move(child.computed);
  times.resource_busy.resize(graph.resources());
  for (ActivityId id = 0; id < graph.size(); ++id) {
    times.seconds = std::max(times.seconds, times.end_seconds[id]);
    if (graph.kind(id) == ActivityGraph::Kind::work) times.resource_busy[graph.resource(id)] += graph.amount(id);
  }
  bound.require(times.seconds);
  return times;
}

}  // namespace gdr::interconnect
