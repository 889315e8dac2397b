// Routes that share equally short paths and parallel cables of a graph out over its nodes.
#pragma once

#include <cstdint>

#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

enum class SharedBy : std::uint8_t { destination, source, hash };

/// Routes of as few links as possible. Of the n edges that lead one step nearer to the destination, parallel ones among
/// them, a message takes the one whose place in the graph's order is the number of its destination, its source or its
/// pair_hash() modulo n; the next choice uses the quotient, but parallel cables alone use the whole number. In a fat
/// tree this is routing by destination or by source, as of fat_tree(). Routes that the graph prescribes stay, and
/// choose between parallel cables alone. Throws gdr::Error as shortest_paths() does.
[[nodiscard]] Topology shared_shortest_paths(Graph graph, SharedBy by);

/// The same, but each message takes all of these edges: at each vertex its bytes are divided equally among the edges
/// that lead one step nearer, parallel ones among them. Also throws gdr::Error if that needs more than
/// Topology::kMostWays equal parts of a message.
[[nodiscard]] Topology all_shortest_paths(Graph graph);

}  // namespace gdr::interconnect
