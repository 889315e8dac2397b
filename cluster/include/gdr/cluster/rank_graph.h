// Activities of ranks that have boards, a host and a network between them, and the collective communication of MPI put
// together from messages.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gdr/cluster/cluster.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

using interconnect::ActivityId;
using Rank = std::uint32_t;

/// What seconds of a critical path were spent on. A transfer is one between host and board, at which both work.
enum class Part : interconnect::PartId { board, transfer, host, overhead, network, loopback };
inline constexpr std::size_t kParts = 6;
[[nodiscard]] std::string_view name_of(Part part);
/// Stages that a caller may tell apart; an activity's part in interconnect's sense is stage * kParts + part.
inline constexpr unsigned kMostStages = 8;
/// Seconds of the critical path by Part, and of one stage.
[[nodiscard]] std::array<double, kParts> part_seconds(const interconnect::ActivityTimes& times);
[[nodiscard]] double stage_seconds(const interconnect::ActivityTimes& times, unsigned stage);

/// Activities of ranks on a cluster's nodes, as many a node as the cluster has; rank r is on node r / ranks_per_node.
class RankGraph {
 public:
  RankGraph(const Cluster& cluster, Rank ranks, std::string name);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(front_.size()); }
  [[nodiscard]] const interconnect::ActivityGraph& graph() const { return graph_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of all messages between nodes

  /// The resource that is a rank's board.
  [[nodiscard]] static interconnect::ResourceId board_resource(Rank rank) { return 2 * rank; }

  /// What follows belongs to this stage, below kMostStages; at first 0.
  void stage(unsigned number) { stage_ = number; }

  /// Work that follows all that the rank did so far. Nothing is added for 0 seconds.
  void board(Rank rank, double seconds);
  void transfer(Rank rank, double seconds);
  void host(Rank rank, double seconds);

  /// The rank waits for messages that are known by their time alone.
  void wait_for_network(Rank rank, double seconds);
  /// All ranks of a group go on once all have come so far.
  void together(const std::vector<Rank>& group);

  /// The host of `from` spends the message's overhead, then the message travels; `from` goes on after its overhead.
  /// Returns what `to` has to wait for.
  [[nodiscard]] ActivityId send(Rank from, Rank to, double bytes);
  /// The rank goes on once these have arrived, too.
  void receive(Rank rank, const std::vector<ActivityId>& arrivals);

  /// The last activity of the rank, from which activities of the caller's may follow.
  [[nodiscard]] std::vector<ActivityId> front(Rank rank) const;
  /// Work beside what the rank does: it follows `after` alone, and the rank goes on until receive() is called with it.
  [[nodiscard]] ActivityId board_beside(Rank rank, double seconds, const std::vector<ActivityId>& after);
  [[nodiscard]] ActivityId transfer_beside(Rank rank, double seconds, const std::vector<ActivityId>& after);

 private:
  [[nodiscard]] interconnect::PartId id_of(Part part) const;
  void work(Rank rank, interconnect::ResourceId resource, double seconds, Part part);
  [[nodiscard]] ActivityId travel(Rank from, Rank to, double bytes, const std::vector<ActivityId>& after);

  const Cluster* cluster_;
  interconnect::ActivityGraph graph_;
  std::vector<ActivityId> front_;  // kNothing: the rank has done nothing
  std::uint64_t bytes_ = 0;
  unsigned stage_ = 0;
};

/// Ranks that communicate with each other, in an order of their own. Groups of one call share no rank.
using Group = std::vector<Rank>;

/// How a collective call is made of messages. An MPI library knows all of them and takes what suits the size.
enum class Method : std::uint8_t {
  posted,   // all messages at once
  ring,     // from neighbour to neighbour; of broadcasts and sums: first in parts, then the parts go round
  doubling  // in steps that double: Bruck's allgather, halving sums, binomial broadcast
};
inline constexpr Method kMethods[] = {Method::posted, Method::ring, Method::doubling};

/// Every rank of a group gets `bytes` of each other.
void allgather(RankGraph& graph, const std::vector<Group>& groups, double bytes, Method method);
/// Sums of `bytes` of each rank, in parts: each rank ends with the sums of its 1/size. The host adds words of 8 bytes
/// at `additions_per_second`; 0: in no time. Doubling takes groups whose size is a power of two, others are posted.
void reduce_scatter(RankGraph& graph, const std::vector<Group>& groups, double bytes, double additions_per_second,
                    Method method);
/// `bytes` from the rank in the place `root` of its group to the others.
void broadcast(RankGraph& graph, const std::vector<Group>& groups, const std::vector<std::size_t>& roots, double bytes,
               Method method);
/// A number of all ranks of a group, such as the time of the next block: by dissemination, in log2(size) steps.
void allreduce(RankGraph& graph, const std::vector<Group>& groups, double bytes);

}  // namespace gdr::cluster
