// Divides a loop body's graph into what an iteration computes by itself and chains: the steps of the words that it
// takes over from the iteration before, such as sums and minima. Several iterations can compute their own part at once.
// The chains then take the results in the order of the iterations.
#pragma once

#include <string>
#include <vector>

#include "loop/graph/body_graph.h"

namespace gdr::emulator::jit {

struct BodySplit {
  static constexpr unsigned kOwn = ~0U;

  /// By node: the number of its chain, or kOwn. Chains are numbered in the order of their first carried words.
  std::vector<unsigned> chain_of;
  unsigned chains = 0;
  /// Why iterations side by side would not pay or are impossible; empty if the body is divided.
  std::string refusal;

  [[nodiscard]] bool in_chain(NodeId id) const { return !chain_of.empty() && chain_of[id] != kOwn; }
};

/// A node that needs a word of the iteration before is in a chain, and nodes of chains that need one another are in
/// the same one. All other nodes are the iteration's own.
[[nodiscard]] BodySplit split_body(const BodyGraph& graph);

}  // namespace gdr::emulator::jit
