// Collective communication as schedules: by direct messages, or over all other nodes as relays (Urino 2020,
// section 2.3).
#pragma once

#include <cstdint>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

enum class Path {
  direct,     // each message takes the route between its two nodes
  multipath,  // split into a part for each node and sent by way of all nodes: scatter, then allgather
};

/// Sends `bytes` from rank 0 to all others. Throws gdr::Error, as all functions here, unless `nodes` is from 2 to 4096.
[[nodiscard]] Schedule make_broadcast(Rank nodes, std::uint64_t bytes, Path path);
/// The same by a binomial tree: in step t, the 2^t ranks that have the data send them to as many others.
[[nodiscard]] Schedule make_tree_broadcast(Rank nodes, std::uint64_t bytes);
/// Sums `bytes` of each rank at rank 0. Each addition of 8 bytes counts as one flop.
[[nodiscard]] Schedule make_reduce(Rank nodes, std::uint64_t bytes, Path path);
/// Sums `bytes` of each rank at all ranks.
[[nodiscard]] Schedule make_allreduce(Rank nodes, std::uint64_t bytes, Path path);
/// The same by recursive doubling: in step t, ranks whose numbers differ in bit t exchange their sums. Ranks beyond a
/// power of two hand their data to a neighbour before and get the sum after it. Where ranks in a row are near each
/// other, as in sub-clusters of HA-PACS/TCA, all steps but the last few stay there. Nothing is sent on one rank, which
/// is taken.
[[nodiscard]] Schedule make_doubling_allreduce(Rank nodes, std::uint64_t bytes);
/// Sends `bytes` from rank 0 to rank 1.
[[nodiscard]] Schedule make_send(Rank nodes, std::uint64_t bytes, Path path);

enum class AllgatherOrder {
  posted,    // all messages at once
  pairwise,  // in step s each rank receives from the rank s places before
  ring,      // each block passes from each rank to the next
  bruck,     // in step t each rank sends what it has to the rank 2^t places before: ceil(log2 nodes) steps
};
/// Sends `bytes` from each rank to each other one, other bytes to each: `order` is posted or pairwise. Throws
/// gdr::Error for another order, too.
[[nodiscard]] Schedule make_alltoall(Rank nodes, std::uint64_t bytes, AllgatherOrder order);
/// Sends `bytes` of each rank to all others.
[[nodiscard]] Schedule make_allgather(Rank nodes, std::uint64_t bytes, AllgatherOrder order);

}  // namespace gdr::interconnect
