// Simulates activities with SimGrid's S4U: flows share links fairly, resources do one piece of work at a time. There
// are no actors: the end of an activity lets others begin.
#include <algorithm>
#include <deque>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "child.h"
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
    if (graph.kind(id) != ActivityGraph::Kind::message) continue;
    add_message(schedule, 0, graph.from(id), graph.to(id), static_cast<std::uint64_t>(graph.amount(id)), id);
  }
  return schedule;
}

class GraphSimulation {
 public:
  GraphSimulation(const ActivityGraph& graph, ExplicitZone& zone)
      : graph_(graph),
        zone_(zone),
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
          send(id);
          break;
        case ActivityGraph::Kind::work:
          Queue& queue = queues_[graph_.resource(id)];
          queue.waiting.push_back(id);
          work(queue);
          break;
      }
    }
  }

  void send(ActivityId id) {
    const s4u::CommPtr comm = s4u::Comm::sendto_init(zone_.hosts()[graph_.from(id)], zone_.hosts()[graph_.to(id)]);
    const auto bytes = static_cast<std::uint64_t>(graph_.amount(id));
    comm->set_payload_size(bytes);
    zone_.announce(bytes);
    under_way_[comm.get()] = {id, comm};
    comm->start();
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
      under_way_[exec.get()] = {id, exec};
      exec->start();
    }
  }

  void complete(const s4u::Activity& activity) {
    const auto found = under_way_.find(&activity);
    if (found == under_way_.end()) return;
    const auto [id, kept] = std::move(found->second);
    under_way_.erase(found);
    last_done_ = kept;
    if (graph_.kind(id) == ActivityGraph::Kind::work) {
      Queue& queue = queues_[graph_.resource(id)];
      queue.busy = false;
      done(id);
      work(queue);
    } else {
      done(id);
    }
    begin_ready();
  }

  void done(ActivityId id) {
    ends_[id] = s4u::Engine::get_clock();
    for (const ActivityId follower : followers_[id]) {
      if (--open_[follower] == 0) ready_.push_back(follower);
    }
  }

  const ActivityGraph& graph_;
  ExplicitZone& zone_;
  std::vector<std::size_t> open_;
  std::vector<double> ends_;
  std::vector<Queue> queues_;
  std::vector<std::vector<ActivityId>> followers_;
  std::deque<ActivityId> ready_;
  std::unordered_map<const s4u::Activity*, std::pair<ActivityId, s4u::ActivityPtr>> under_way_;
  s4u::ActivityPtr last_done_;  // SimGrid still uses an activity after it has reported that the activity is complete
};

/// Messages of the longest chain of which each waits for the one before.
std::size_t messages_in_a_row(const ActivityGraph& graph) {
  std::vector<std::size_t> until(graph.size());
  std::size_t most = 0;
  for (ActivityId id = 0; id < graph.size(); ++id) {
    for (const ActivityId before : graph.after(id)) until[id] = std::max(until[id], until[before]);
    if (graph.kind(id) == ActivityGraph::Kind::message) ++until[id];
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
  ChildResult child = compute_in_child("activities " + graph.name(), [&] {
    const auto engine = make_engine(options, resolution, Routes::limited);
    auto* zone = new ExplicitZone(messages, topology, options, Routes::limited,
                                  most_resources(graph));  // the engine owns it from here
    return GraphSimulation(graph, *zone).run(*engine);
  });
  ActivityTimes times;
  times.end_seconds = std::move(child.numbers);
  times.resource_busy.resize(graph.resources());
  for (ActivityId id = 0; id < graph.size(); ++id) {
    times.seconds = std::max(times.seconds, times.end_seconds[id]);
    if (graph.kind(id) == ActivityGraph::Kind::work) times.resource_busy[graph.resource(id)] += graph.amount(id);
  }
  bound.require(times.seconds);
  return times;
}

}  // namespace gdr::interconnect
