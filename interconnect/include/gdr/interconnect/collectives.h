// Collective communication as schedules: by direct messages, or over all other nodes as relays (Urino 2020,
// section 2.3).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

enum class Path {
  direct,     // each message takes the route between its two nodes
  multipath,  // split into a part for each node and sent by way of all nodes: scatter, then allgather
};

/// Sends `bytes` from rank 0 to all others. Throws gdr::Error, as all functions here, if there are no nodes or more
/// than 2^20, or if the schedule has more messages than one for each pair of 4096 nodes. One node sends nothing.
[[nodiscard]] Schedule make_broadcast(Rank nodes, std::uint64_t bytes, Path path);
/// The same by a binomial tree: in step t, the 2^t ranks that have the data send them to as many others.
[[nodiscard]] Schedule make_tree_broadcast(Rank nodes, std::uint64_t bytes);
/// Sums `bytes` of each rank at rank 0. Each addition of 8 bytes counts as one flop.
[[nodiscard]] Schedule make_reduce(Rank nodes, std::uint64_t bytes, Path path);
/// Sums `bytes` of each rank at all ranks.
[[nodiscard]] Schedule make_allreduce(Rank nodes, std::uint64_t bytes, Path path);
/// The same by recursive doubling: in step t, ranks whose numbers differ in bit t exchange their sums. Ranks beyond a
/// power of two hand their data to a neighbour before and get the sum after it. Where ranks in a row are near each
/// other, as in sub-clusters of HA-PACS/TCA, all steps but the last few stay there.
[[nodiscard]] Schedule make_doubling_allreduce(Rank nodes, std::uint64_t bytes);
/// Sends `bytes` from rank 0 to rank 1. Also throws gdr::Error for one node.
[[nodiscard]] Schedule make_send(Rank nodes, std::uint64_t bytes, Path path);

enum class AllgatherOrder {
  posted,    // all messages at once
  pairwise,  // in step s each rank receives from the rank s places before
  ring,      // each block passes from each rank to the next
  bruck,     // in step t each rank sends what it has to the rank 2^t places before: ceil(log2 nodes) steps
  doubling,  // in step t ranks whose numbers differ in bit t exchange what they have; their number is a power of two
};
/// Sends `bytes` from each rank to each other one, other bytes to each: `order` is posted, pairwise or bruck. In step t
/// of Bruck's algorithm each rank sends all blocks for ranks whose distance has bit t. Throws gdr::Error for another
/// order, too.
[[nodiscard]] Schedule make_alltoall(Rank nodes, std::uint64_t bytes, AllgatherOrder order);
/// Sends `bytes` of each rank to all others.
[[nodiscard]] Schedule make_allgather(Rank nodes, std::uint64_t bytes, AllgatherOrder order);

/// Operations of all ranks together, and the algorithms that this component has for them.
enum class CollectiveOperation : std::uint8_t { allgather, allreduce, alltoall, broadcast };
enum class CollectiveAlgorithm : std::uint8_t {
  bruck,             // all-gather, all-to-all: ceil(log2 nodes) steps
  direct,            // broadcast, all-reduce: every message goes straight to its receiver
  doubling,          // all-gather, all-reduce: recursive doubling
  halving,           // all-reduce: reduce-scatter by recursive halving, then an all-gather by doubling
  levels,            // all-gather: between groups of ranks, then within each
  multipath,         // broadcast, all-reduce: over all nodes as relays
  pairwise,          // all-gather, all-to-all: in step s with the ranks s places away
  posted,            // all-gather, all-to-all: all messages at once
  ring,              // all-gather
  scatter_doubling,  // broadcast: the parts of the message to all ranks, then an all-gather of them by doubling
  scatter_ring,      // the same with a ring
  tree,              // broadcast: binomial tree
};
/// The names that users give them: bruck, scatter-doubling, ...
[[nodiscard]] std::string_view name_of(CollectiveAlgorithm algorithm);
/// Algorithms of an operation, by name.
[[nodiscard]] std::vector<CollectiveAlgorithm> algorithms_of(CollectiveOperation operation);
/// The one with this name. Throws gdr::Error with the known names if there is none.
[[nodiscard]] CollectiveAlgorithm algorithm_called(CollectiveOperation operation, std::string_view name);

struct Collective {
  CollectiveOperation operation = CollectiveOperation::broadcast;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::tree;
  std::uint64_t bytes = 0;  // of each rank that sends; of an all-to-all, to each other rank
  Rank group = 0;           // levels: so many ranks in a row are near each other
};

/// The library whose choice library_algorithm() makes.
inline constexpr std::string_view kCollectiveLibrary = "MPICH 3.1.3";
/// An all-gather of fewer bytes than this in all is short for that library.
inline constexpr std::uint64_t kShortAllgather = 81920;
/// The algorithm that kCollectiveLibrary takes for ranks on nodes of their own, with its default thresholds [Thakur et
/// al. 2005]. Sums are commutative, of eight bytes each. In its pairwise all-to-all on a power of two of ranks,
/// partners are found by exclusive or; `pairwise` takes those at a distance here, too.
[[nodiscard]] CollectiveAlgorithm library_algorithm(CollectiveOperation operation, Rank nodes, std::uint64_t bytes);

/// The method by which programs run a collective if nothing else is asked for: library_algorithm() chooses.
inline constexpr std::string_view kAutoMethod = "auto";
/// The algorithm of the name `method`, or the library's for kAutoMethod. Throws gdr::Error as algorithm_called().
[[nodiscard]] CollectiveAlgorithm algorithm_by(CollectiveOperation operation, std::string_view method, Rank nodes,
                                               std::uint64_t bytes);

/// Throws gdr::Error as the functions above; for an algorithm that the operation does not have; for doubling of data on
/// nodes that are no power of two; and for levels unless `group` divides the nodes.
[[nodiscard]] Schedule make_collective(const Collective& collective, Rank nodes);

struct CollectiveClosedForm {
  ClosedForm times;
  Traffic traffic;
  std::vector<LinkLoad> loads;  // shape: [links]
};
/// What run_closed_form(), traffic() and link_loads() give for make_collective(collective, topology.nodes()), up to
/// rounding, without the schedule in memory. A step that a ring repeats is counted once. Throws gdr::Error as
/// make_collective() does, but for many messages.
[[nodiscard]] CollectiveClosedForm collective_closed_form(const Collective& collective, const Topology& topology,
                                                          double flops_per_second = 0);
/// About as many messages as a collective has, and as many routes as collective_closed_form() follows.
struct CollectiveSize {
  double messages = 0;
  double routes = 0;
};
[[nodiscard]] CollectiveSize collective_size(const Collective& collective, Rank nodes);

}  // namespace gdr::interconnect
