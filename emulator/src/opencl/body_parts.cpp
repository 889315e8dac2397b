#include "body_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "loop/graph/node_sets.h"

namespace gdr::emulator::opencl {
namespace {

using jit::BodyGraph;
using jit::kNoNode;
using jit::Node;
using jit::NodeId;
using jit::NodeOp;

/// Sets of nodes that need one another. Uniform nodes, and words and flags of PEs that no iteration writes, are in
/// none: every part has those that it needs.
class ElementSets {
 public:
  explicit ElementSets(const BodyGraph& graph) : in_all_(graph.uniform()), sets_(graph.nodes.size()) {
    std::vector<bool> carried(graph.nodes.size());
    for (const jit::Carried& each : graph.carried) carried[each.before] = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      in_all_[id] = in_all_[id] || (graph.nodes[id].args[0] == kNoNode && !carried[id]);
      if (in_all_[id]) continue;
      for (const NodeId arg : graph.nodes[id].args) {
        if (arg != kNoNode && !in_all_[arg]) sets_.join(id, arg);
      }
    }
    for (const jit::Carried& each : graph.carried) {
      if (!in_all_[each.after]) sets_.join(each.before, each.after);
    }
  }

  [[nodiscard]] bool in_all(NodeId id) const { return in_all_[id]; }
  [[nodiscard]] NodeId set_of(NodeId id) const { return sets_.set_of(id); }

  /// Number of nodes of each set, by its first node.
  [[nodiscard]] std::map<NodeId, unsigned> sizes() const {
    std::map<NodeId, unsigned> size;
    for (NodeId id = 0; id < in_all_.size(); ++id) {
      if (!in_all_[id]) ++size[set_of(id)];
    }
    return size;
  }

 private:
  std::vector<bool> in_all_;
  jit::NodeSets sets_;
};

/// A graph of some nodes. Uniform ones come first, so that they have the same numbers in all parts.
class Part {
 public:
  Part(const BodyGraph& graph, const std::vector<bool>& uniform, const std::vector<bool>& has)
      : number_(uniform.size()) {
    for (const bool of_uniform : {true, false}) {
      for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (!has[id] || uniform[id] != of_uniform) continue;
        number_[id] = static_cast<NodeId>(part_.nodes.size());
        Node& node = part_.nodes.emplace_back(graph.nodes[id]);
        for (NodeId& arg : node.args) arg = arg == kNoNode ? arg : number_[arg];
      }
    }
    part_.elements = graph.elements;
    part_.last_refusal = graph.last_refusal;
  }

  void add(const jit::Carried& carried) {
    part_.carried.push_back({carried.row, carried.is_long, number_[carried.before], number_[carried.after]});
  }
  void add_left(const jit::Left& left) { part_.left.push_back({left.place, left.is_long, number_[left.value]}); }
  void add_flag(const jit::Left& left) { part_.left_flags.push_back({left.place, left.is_long, number_[left.value]}); }
  [[nodiscard]] BodyGraph take() { return std::move(part_); }

 private:
  BodyGraph part_;
  std::vector<NodeId> number_;  // of the graph's nodes
};

/// True if the part does on words of an element what `first` does on those of element 0.
bool does_the_same(const BodyGraph& part, const BodyGraph& first, unsigned element) {
  const auto moved = [&](unsigned row, bool is_long) { return row + element * (is_long ? 2 : 1); };
  const auto same_node = [&](const Node& a, Node b) {
    if (b.op == NodeOp::row) b.place = moved(b.place, b.width == isa::Width::long_word);
    if (b.op == NodeOp::flag) b.place += element;
    return a.key() == b.key();
  };
  const auto same_carried = [&](const jit::Carried& a, const jit::Carried& b) {
    return a.row == moved(b.row, b.is_long) && a.is_long == b.is_long && a.before == b.before && a.after == b.after;
  };
  const auto same_left = [](const jit::Left& a, const jit::Left& b) {  // wherever
    return a.is_long == b.is_long && a.value == b.value;
  };
  return std::ranges::equal(part.nodes, first.nodes, same_node) &&
         std::ranges::equal(part.carried, first.carried, same_carried) &&
         std::ranges::equal(part.left, first.left, same_left) &&
         std::ranges::equal(part.left_flags, first.left_flags, same_left);
}

}  // namespace

std::vector<BodyGraph> element_parts(const BodyGraph& graph) {
  if (!graph.refusal.empty() || !graph.bm_steps.empty() || graph.elements != isa::kVectorElements) return {graph};
  const ElementSets sets(graph);
  // Where all elements do the same there are four sets of each kind, which begin one after the other.
  std::map<NodeId, unsigned> part_of_set;
  std::map<unsigned, unsigned> met;  // sets of each size
  for (const auto& [set, size] : sets.sizes()) part_of_set[set] = met[size]++ % isa::kVectorElements;
  const std::vector<bool> uniform = graph.uniform();
  std::vector<BodyGraph> parts;
  for (unsigned n = 0; n < isa::kVectorElements; ++n) {
    // What is in all parts is left by each, so that all need the same shared values.
    const auto is_here = [&](NodeId id) { return sets.in_all(id) || part_of_set.at(sets.set_of(id)) == n; };
    std::vector<bool> has = uniform;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (sets.in_all(id) || !is_here(id)) continue;
      has[id] = true;
      for (const NodeId arg : graph.nodes[id].args) {
        if (arg != kNoNode) has[arg] = true;
      }
    }
    for (const jit::Carried& each : graph.carried) has[each.after] = has[each.after] || is_here(each.before);
    for (const jit::Left& each : graph.left) has[each.value] = has[each.value] || is_here(each.value);
    for (const jit::Left& each : graph.left_flags) has[each.value] = has[each.value] || is_here(each.value);
    Part part(graph, uniform, has);
    for (const jit::Carried& each : graph.carried) {
      if (is_here(each.before)) part.add(each);
    }
    for (const jit::Left& each : graph.left) {
      if (is_here(each.value)) part.add_left(each);
    }
    for (const jit::Left& each : graph.left_flags) {
      if (is_here(each.value)) part.add_flag(each);
    }
    parts.push_back(part.take());
    if (parts.back().nodes.size() == uniform.size() || !does_the_same(parts.back(), parts.front(), n)) return {graph};
  }
  return parts;
}

}  // namespace gdr::emulator::opencl
