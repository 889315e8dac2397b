#include "gdr/cluster/activity_trace.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr::cluster {
namespace {

using interconnect::ActivityGraph;
using interconnect::ActivityTimes;
using interconnect::LinkUse;
using interconnect::ResourceId;

class Writer {
 public:
  Writer(const RankGraph& graph, const ActivityTimes& times, const interconnect::Topology& topology)
      : graph_(graph),
        activities_(graph.graph()),
        times_(times),
        topology_(topology),
        critical_(times.path.begin(), times.path.end()) {}

  std::string write() {
    name_tracks();
    for (ActivityId id = 0; id < activities_.size(); ++id) {
      if (activities_.kind(id) != ActivityGraph::Kind::work || activities_.amount(id) == 0) continue;
      const ResourceId resource = activities_.resource(id);
      event(process_of(resource), track_of(resource), name_of(static_cast<Part>(activities_.part(id) % kParts)), id,
            times_.begin_seconds[id], activities_.amount(id));
    }
    for (const LinkUse& use : times_.link_uses) {
      const std::string name = fmt::format("{} > {}: {:.0f} B", activities_.from(use.message),
                                           activities_.to(use.message), activities_.amount(use.message));
      event(network(), 1 + use.link, name, use.message, use.begin, use.seconds);
    }
    return json_ + "\n]}\n";
  }

 private:
  // The viewer shows a process for each rank, one for the memories of nodes, and one for the network.
  [[nodiscard]] unsigned memories() const { return graph_.ranks(); }
  [[nodiscard]] unsigned network() const { return graph_.ranks() + 1; }
  [[nodiscard]] unsigned process_of(ResourceId resource) const {
    return resource < 2 * graph_.ranks() ? resource / 2 : memories();
  }
  /// Tracks of a rank: the board, then the host.
  [[nodiscard]] unsigned track_of(ResourceId resource) const {
    return resource < 2 * graph_.ranks() ? 1 + resource % 2 : 1 + resource - 2 * graph_.ranks();
  }

  void add(const std::string& event) {
    json_ += first_ ? "\n" : ",\n";
    json_ += event;
    first_ = false;
  }

  void name_process(unsigned process, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})", process, name));
    add(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", process));
  }

  void name_track(unsigned process, unsigned track, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", process, track,
                    name));
  }

  void name_tracks() {
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      name_process(rank, fmt::format("rank {}", rank));
      name_track(rank, 1, "board");
      name_track(rank, 2, "host");
    }
    std::set<interconnect::LinkId> used;
    for (const LinkUse& use : times_.link_uses) used.insert(use.link);
    if (!used.empty()) name_process(network(), "network");
    for (const interconnect::LinkId link : used) name_track(network(), 1 + link, topology_.links().name(link));
    std::set<ResourceId> shared;
    for (ActivityId id = 0; id < activities_.size(); ++id) {
      if (activities_.kind(id) != ActivityGraph::Kind::work) continue;
      if (activities_.resource(id) >= 2 * graph_.ranks()) shared.insert(activities_.resource(id));
    }
    if (!shared.empty()) name_process(memories(), "memories");
    for (const ResourceId resource : shared) {
      name_track(memories(), track_of(resource), fmt::format("node {}", activities_.node_of(resource)));
    }
  }

  void event(unsigned process, unsigned track, std::string_view name, ActivityId id, double begin, double seconds) {
    add(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.6f},"dur":{:.6f},"args":{{"activity":{},"critical":{}}}}})",
        process, track, name, kMega * begin, kMega * seconds, id, critical_.contains(id)));
  }

  const RankGraph& graph_;
  const ActivityGraph& activities_;
  const ActivityTimes& times_;
  const interconnect::Topology& topology_;
  std::set<ActivityId> critical_;
  std::string json_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  bool first_ = true;
};

}  // namespace

std::string activity_trace(const RankGraph& graph, const ActivityTimes& times, const interconnect::Topology& topology) {
  if (times.begin_seconds.size() != graph.graph().size()) {
    throw Error("a trace is refused: the times of the activities are without details");
  }
  return Writer(graph, times, topology).write();
}

}  // namespace gdr::cluster
