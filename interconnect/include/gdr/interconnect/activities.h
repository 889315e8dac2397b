// Activities: work on the resources of nodes and messages between nodes, each of which begins after others. Unlike the
// steps of a schedule, activities can express that a board computes while its host sends. Boards, hosts and networks
// share one clock.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

using ActivityId = std::uint32_t;
/// A board, a host or a node's memory. A resource does one piece of work at a time.
using ResourceId = std::uint32_t;
/// Category of an activity in reports, below kMostParts. The caller gives the numbers a meaning.
using PartId = std::uint8_t;
inline constexpr std::size_t kMostParts = 64;

/// Activities and the earlier activities that each waits for.
class ActivityGraph {
 public:
  enum class Kind : std::uint8_t { work, message, relayed, join };

  /// A graph for `nodes` nodes; resource r is at node node_of_resource[r]. Throws gdr::Error for a node that does not
  /// exist.
  ActivityGraph(std::string name, NodeId nodes, std::vector<NodeId> node_of_resource);

  /// Takes all activities out and keeps their memory, so that a graph of as many more activities needs none.
  void clear(std::string name);

  /// Adds work of `seconds` on a resource, which begins once everything in `after` is done. Each of these functions
  /// throws gdr::Error for a resource, node or activity that does not exist, for times and sizes that are negative or
  /// not finite, and for a message from a node to itself. Such a message takes no link; add its time as work on a
  /// resource of the node.
  ActivityId work(ResourceId resource, double seconds, std::span<const ActivityId> after, PartId part);
  /// Adds a message of `bytes` from one node to another.
  ActivityId message(NodeId from, NodeId to, double bytes, std::span<const ActivityId> after, PartId part);
  /// Adds a message that all nodes of the graph relay: each gets an equal part and passes it on once it has all of it.
  /// The parts of sender and receiver go directly, so that the link between them carries two of nodes() parts and, on
  /// an optical hub, each link to and from a relay one (multipath routing [Urino 2020]).
  ActivityId relayed(NodeId from, NodeId to, double bytes, std::span<const ActivityId> after, PartId part);
  /// Adds an activity without duration, which is done when everything in `after` is done.
  ActivityId join(std::span<const ActivityId> after);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return activities_.size(); }
  /// Messages between two nodes; of a relayed message, those from and to each relay.
  [[nodiscard]] std::size_t messages() const { return messages_; }
  /// True if a message is relayed.
  [[nodiscard]] bool has_relayed() const { return has_relayed_; }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] std::size_t resources() const { return node_of_resource_.size(); }
  [[nodiscard]] NodeId node_of(ResourceId resource) const { return node_of_resource_[resource]; }

  [[nodiscard]] Kind kind(ActivityId id) const { return activities_[id].kind; }
  [[nodiscard]] PartId part(ActivityId id) const { return activities_[id].part; }
  /// Of work: seconds. Of a message, relayed or not: bytes.
  [[nodiscard]] double amount(ActivityId id) const { return activities_[id].amount; }
  [[nodiscard]] ResourceId resource(ActivityId id) const { return activities_[id].place; }
  [[nodiscard]] NodeId from(ActivityId id) const { return activities_[id].place; }
  [[nodiscard]] NodeId to(ActivityId id) const { return activities_[id].to; }
  [[nodiscard]] std::span<const ActivityId> after(ActivityId id) const {
    const std::size_t begin = id == 0 ? 0 : activities_[id - 1].after_end;
    return std::span(after_).subspan(begin, activities_[id].after_end - begin);
  }

  /// Calls `each(relay)` for every node that relays parts of a relayed message: all but its sender and receiver.
  template <class Each>
  void for_relays(ActivityId id, const Each& each) const {
    for (NodeId relay = 0; relay < nodes_; ++relay) {
      if (relay != from(id) && relay != to(id)) each(relay);
    }
  }
  /// Bytes of a relayed message that each relay passes on. Twice as many go directly.
  [[nodiscard]] double bytes_of_relay(ActivityId id) const { return amount(id) / nodes_; }

 private:
  struct Activity {
    double amount;
    std::size_t after_end;  // where the activities in after_ end that this one waits for
    std::uint32_t place;    // resource, or sender
    NodeId to;
    Kind kind;
    PartId part;
  };

  void require_message(NodeId from, NodeId to, double bytes) const;
  ActivityId add(Kind kind, double amount, std::pair<std::uint32_t, NodeId> place, std::span<const ActivityId> after,
                 PartId part);

  std::string name_;
  NodeId nodes_;
  std::vector<NodeId> node_of_resource_;
  std::vector<Activity> activities_;
  std::vector<ActivityId> after_;
  std::size_t messages_ = 0;
  bool has_relayed_ = false;
};

/// The time for which a message occupies a link of its route.
struct LinkUse {
  ActivityId message = 0;
  LinkId link = 0;
  double begin = 0;    // s
  double seconds = 0;  // for which the link is occupied
};

/// When activities ended, and the critical path that explains it.
struct ActivityTimes {
  double seconds = 0;                 // end of the last activity
  std::vector<double> end_seconds;    // of each activity
  std::vector<double> resource_busy;  // s, of each resource
  std::vector<double> link_busy;      // s, of each link; empty if the executor does not count it
  /// Seconds of each part on the critical path, the chain of activities that determines `seconds`; they add up to
  /// `seconds`. Time for which a message waits for its links counts as the message's. Empty if the executor does not
  /// know the path.
  std::vector<double> path_seconds;  // [kMostParts]
  // For pictures of a run; filled only if CriticalPathOptions::keep_details is set.
  std::vector<double> begin_seconds;  // of each activity
  std::vector<ActivityId> path;       // critical path, first to last, without joins
  std::vector<LinkUse> link_uses;
};

struct CriticalPathOptions {
  FlowFactors factors = {};   // how a message library changes latency and bandwidth
  bool keep_details = false;  // keep begin times, the path's activities and the use of links
};

/// Goes through the graph in the order of time. Resources and links serve activities in the order in which they come,
/// one at a time; of those that come together the one that was added first. A message comes to each link of its route
/// one latency after it began on the link before, and ends when the slowest link has passed on all of it. A relay sends
/// a part when it has arrived. Exact if flows that share a link have the same size; otherwise links that are shared
/// fairly (run_s4u()) give other times. Throws gdr::Error if the topology has fewer nodes than the graph, or if the
/// time came out below what a link needs for its bytes.
[[nodiscard]] ActivityTimes run_critical_path(const ActivityGraph& graph, const Topology& topology,
                                              const CriticalPathOptions& options = {});

}  // namespace gdr::interconnect
