// Sets of a graph's nodes that belong together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "body_graph.h"

namespace gdr::emulator::jit {

/// Disjoint sets. In the beginning each node is a set of its own.
class NodeSets {
 public:
  explicit NodeSets(std::size_t nodes) : set_(nodes) { std::iota(set_.begin(), set_.end(), NodeId{}); }

  void join(NodeId a, NodeId b) {
    a = set_of(a);
    b = set_of(b);
    set_[std::max(a, b)] = std::min(a, b);
  }
  /// The first node of the set.
  [[nodiscard]] NodeId set_of(NodeId id) const {
    while (set_[id] != id) id = set_[id];
    return id;
  }

 private:
  std::vector<NodeId> set_;  // an earlier node of the same set, or the node itself
};

}  // namespace gdr::emulator::jit
