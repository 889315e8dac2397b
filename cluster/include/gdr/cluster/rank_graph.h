// Activities of ranks with boards and hosts and a network between them, and the collectives of MPI, composed of
// messages.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/cluster/cluster.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

using interconnect::ActivityId;
using Rank = std::uint32_t;

/// What the time of a critical path was spent on. A transfer is between host and board, and both take part in it.
enum class Part : interconnect::PartId { board, transfer, host, overhead, network, loopback };
inline constexpr std::size_t kParts = base::enumerators<Part>();
[[nodiscard]] std::string_view name_of(Part part);
/// Number of stages that a caller can distinguish. The interconnect::PartId of an activity is stage * kParts + part.
inline constexpr unsigned kMostStages = 8;
/// Seconds of the critical path by Part, and those of one stage.
[[nodiscard]] std::array<double, kParts> part_seconds(const interconnect::ActivityTimes& times);
[[nodiscard]] double stage_seconds(const interconnect::ActivityTimes& times, unsigned stage);

/// Activities of ranks on the nodes of a cluster; rank r is on node r / ranks_per_node.
class RankGraph {
 public:
  RankGraph(const Cluster& cluster, Rank ranks, std::string name);

  /// Takes all activities out and keeps their memory. Stage 0 follows, without relays.
  void clear(std::string name);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(front_.size()); }
  [[nodiscard]] const interconnect::ActivityGraph& graph() const { return graph_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of all messages between nodes

  /// The resource that stands for a rank's board.
  [[nodiscard]] static interconnect::ResourceId board_resource(Rank rank) { return 2 * rank; }

  /// Activities added from now on belong to this stage, which must be below kMostStages; it is 0 at first.
  void stage(unsigned number) { stage_ = number; }

  /// Whether all nodes relay the messages that are added from now on; false at first.
  void relayed(bool is_relayed) { relayed_ = is_relayed; }

  /// Work that begins when all earlier activities of the rank have ended. 0 seconds add no activity.
  void board(Rank rank, double seconds);
  void transfer(Rank rank, double seconds);
  void host(Rank rank, double seconds);

  /// The rank waits for messages of which only the time is known.
  void wait_for_network(Rank rank, double seconds);
  /// A barrier: the ranks of the group go on when all of them have come to this point.
  void together(const std::vector<Rank>& group);

  /// The host of `from` spends the message's overhead, then the message travels; `from` goes on after its overhead. If
  /// nodes relay the message, the host spends the overhead of each part and that of a relay, whose host is not charged.
  /// Returns the activity that `to` must wait for with receive().
  [[nodiscard]] ActivityId send(Rank from, Rank to, double bytes);
  /// The rank goes on when its earlier activities have ended and these messages have arrived.
  void receive(Rank rank, std::span<const ActivityId> arrivals);

  /// The rank's last activity, after which a caller can add its own; empty if there is none. Valid until the rank's
  /// next activity is added.
  [[nodiscard]] std::span<const ActivityId> front(Rank rank) const;
  /// Work concurrent with the rank's other activities. It depends only on `after`, and the rank does not wait for it
  /// until receive() is called with the activity returned.
  [[nodiscard]] ActivityId board_beside(Rank rank, double seconds, std::span<const ActivityId> after);
  [[nodiscard]] ActivityId transfer_beside(Rank rank, double seconds, std::span<const ActivityId> after);

 private:
  [[nodiscard]] interconnect::PartId id_of(Part part) const;
  void work(Rank rank, interconnect::ResourceId resource, double seconds, Part part);
  [[nodiscard]] ActivityId travel(Rank from, Rank to, double bytes, std::span<const ActivityId> after);

  const Cluster* cluster_;
  interconnect::ActivityGraph graph_;
  std::vector<ActivityId> front_;  // kNothing: the rank has done nothing
  std::vector<ActivityId> after_;  // of the activity that is being added
  std::uint64_t bytes_ = 0;
  unsigned stage_ = 0;
  bool relayed_ = false;
};

/// Ranks that communicate with each other, in the order that the collective uses. The groups of one call must be
/// disjoint.
using Group = std::vector<Rank>;

/// How a collective is made of messages. MPI libraries have all of these methods and choose by the size.
enum class Method : std::uint8_t {
  posted,   // all messages at once
  ring,     // from neighbour to neighbour; sums go round in parts, as do broadcasts after the root has sent the parts
  doubling  // distances double: Bruck's allgather, sums by recursive halving, binomial broadcast
};
inline constexpr Method kMethods[] = {Method::posted, Method::ring, Method::doubling};

/// A method, and whether nodes relay its messages.
struct Way {
  Method method = Method::posted;
  bool relayed = false;
};
/// Adds the messages of a call to a graph.
using Call = std::function<void(RankGraph& graph, Method method)>;
/// Makes the call in this way.
void make(RankGraph& graph, const Call& call, Way way);
/// The way in which the call takes the least time if all ranks begin it together; without `relays`, a direct one.
[[nodiscard]] Way fastest_way(const Cluster& cluster, Rank ranks, const interconnect::Topology& topology,
                              const interconnect::FlowFactors& factors, std::span<const Method> methods, bool relays,
                              const Call& call);

/// Every rank of a group gets `bytes` bytes from each of the others.
void allgather(RankGraph& graph, const std::vector<Group>& groups, double bytes, Method method);
/// Sums over the ranks of a group of `bytes` bytes of each; every rank ends with the sums of 1/size of them. The host
/// adds words of 8 bytes at `additions_per_second`; 0: additions take no time. Method::doubling is for groups whose
/// size is a power of two; other groups use Method::posted.
void reduce_scatter(RankGraph& graph, const std::vector<Group>& groups, double bytes, double additions_per_second,
                    Method method);
/// `bytes` bytes from one rank of each group to its others; `roots` has the place of that rank in its group.
void broadcast(RankGraph& graph, const std::vector<Group>& groups, const std::vector<std::size_t>& roots, double bytes,
               Method method);
/// Combines a number of all ranks of a group, such as the time of the next block, by dissemination in log2(size) steps.
void allreduce(RankGraph& graph, const std::vector<Group>& groups, double bytes);

}  // namespace gdr::cluster
