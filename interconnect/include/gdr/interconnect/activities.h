// What runs at nodes and between them: work on resources and messages over links, each after others. A schedule's steps
// cannot say that a board computes while its host sends; activities can. One clock for boards, hosts and networks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

using ActivityId = std::uint32_t;
/// A board, a host, a node's memory: takes one piece of work at a time.
using ResourceId = std::uint32_t;
/// What an activity counts as in reports; the caller gives the numbers a meaning. Below kMostParts.
using PartId = std::uint8_t;
inline constexpr std::size_t kMostParts = 64;

/// Activities with what each waits for, in an order in which nothing waits for a later one.
class ActivityGraph {
 public:
  enum class Kind : std::uint8_t { work, message, join };

  /// `nodes` nodes with `resources` resources, resource r at node node_of_resource[r]. Throws gdr::Error for a node
  /// that does not exist.
  ActivityGraph(std::string name, NodeId nodes, std::vector<NodeId> node_of_resource);

  /// Work of `seconds` on a resource, once everything in `after` is done. Each of these functions throws gdr::Error for
  /// a resource, node or activity that does not exist, for times and sizes that are negative or not finite, and for a
  /// message from a node to itself, which takes no link: its time is work on a resource of the node.
  ActivityId work(ResourceId resource, double seconds, std::span<const ActivityId> after, PartId part);
  /// `bytes` from one node to another.
  ActivityId message(NodeId from, NodeId to, double bytes, std::span<const ActivityId> after, PartId part);
  /// Takes no time: done when all in `after` are.
  ActivityId join(std::span<const ActivityId> after);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return kinds_.size(); }
  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] std::size_t resources() const { return node_of_resource_.size(); }
  [[nodiscard]] NodeId node_of(ResourceId resource) const { return node_of_resource_[resource]; }

  [[nodiscard]] Kind kind(ActivityId id) const { return kinds_[id]; }
  [[nodiscard]] PartId part(ActivityId id) const { return parts_[id]; }
  /// Of work: seconds. Of a message: bytes.
  [[nodiscard]] double amount(ActivityId id) const { return amounts_[id]; }
  [[nodiscard]] ResourceId resource(ActivityId id) const { return places_[id].first; }
  [[nodiscard]] NodeId from(ActivityId id) const { return places_[id].first; }
  [[nodiscard]] NodeId to(ActivityId id) const { return places_[id].second; }
  [[nodiscard]] std::span<const ActivityId> after(ActivityId id) const {
    return std::span(after_).subspan(after_begin_[id], after_begin_[id + 1] - after_begin_[id]);
  }

 private:
  ActivityId add(Kind kind, double amount, std::pair<std::uint32_t, std::uint32_t> place,
                 std::span<const ActivityId> after, PartId part);

  std::string name_;
  NodeId nodes_;
  std::vector<NodeId> node_of_resource_;
  std::vector<Kind> kinds_;
  std::vector<PartId> parts_;
  std::vector<double> amounts_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;
  std::vector<std::size_t> after_begin_{0};
  std::vector<ActivityId> after_;
  std::size_t messages_ = 0;
};

/// A message on a link of its route.
struct LinkUse {
  ActivityId message = 0;
  LinkId link = 0;
  double begin = 0;    // s
  double seconds = 0;  // that the link is taken
};

/// When activities ended, and why not earlier.
struct ActivityTimes {
  double seconds = 0;                 // when the last is done
  std::vector<double> end_seconds;    // of each activity
  std::vector<double> resource_busy;  // of each resource
  std::vector<double> link_busy;      // of each link; empty where the executor does not count it
  /// Seconds of the critical path, the chain of activities that decides `seconds`, by part. They add up to `seconds`.
  /// What a message waits for on its links counts as the message's. Empty where the executor does not know the path.
  std::vector<double> path_seconds;  // [kMostParts]
  // For pictures of a run, where CriticalPathOptions asks for them.
  std::vector<double> begin_seconds;  // of each activity
  std::vector<ActivityId> path;       // the critical one, first to last, joins left out
  std::vector<LinkUse> link_uses;
};

struct CriticalPathOptions {
  FlowFactors factors = {};   // what a message library makes of latency and bandwidth
  bool keep_details = false;  // begins, the path's activities and the use of links
};

/// Walks through the graph in the order in which activities become ready. Resources and links take them in that order,
/// one at a time; a message begins on each link of its route a latency after the link before, and ends when the
/// slowest link has passed all of it on. Exact where flows that share a link are of one size; where they are not, links
/// that share fairly (run_s4u) give other times. Throws gdr::Error if the topology has fewer nodes than the graph.
[[nodiscard]] ActivityTimes run_critical_path(const ActivityGraph& graph, const Topology& topology,
                                              const CriticalPathOptions& options = {});

}  // namespace gdr::interconnect
