// Collective communication as schedules: by direct messages, or over all other nodes as relays (Urino 2020,
// section 2.3).
#pragma once

#include <cstdint>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

enum class Path {
  direct,     // each message takes the route between its two nodes
  multipath,  // in as many parts as there are nodes, by way of all of them: scatter, then allgather
};

/// `bytes` from rank 0 to all others. Throws gdr::Error, as all functions here, unless nodes are from 2 to 4096.
[[nodiscard]] Schedule make_broadcast(Rank nodes, std::uint64_t bytes, Path path);
/// The same by a binomial tree: in step t the 2^t ranks that have it send it on to as many more.
[[nodiscard]] Schedule make_tree_broadcast(Rank nodes, std::uint64_t bytes);
/// The sum of `bytes` of each rank, at rank 0. Each addition of 8 bytes counts one flop.
[[nodiscard]] Schedule make_reduce(Rank nodes, std::uint64_t bytes, Path path);
/// The sum of `bytes` of each rank, at all of them.
[[nodiscard]] Schedule make_allreduce(Rank nodes, std::uint64_t bytes, Path path);
/// `bytes` from rank 0 to rank 1.
[[nodiscard]] Schedule make_send(Rank nodes, std::uint64_t bytes, Path path);

enum class AllgatherOrder {
  posted,    // all messages at once
  pairwise,  // in step s from the rank s places before
  ring,      // everything passes from each rank to the next
  bruck,     // in step t what a rank has goes to the rank 2^t places before: ceil(log2 nodes) steps
};
/// `bytes` of each rank to all others.
[[nodiscard]] Schedule make_allgather(Rank nodes, std::uint64_t bytes, AllgatherOrder order);

}  // namespace gdr::interconnect
