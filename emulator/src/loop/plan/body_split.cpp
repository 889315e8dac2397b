#include "body_split.h"

#include <algorithm>
#include <map>

#include "loop/graph/node_sets.h"

namespace gdr::emulator::jit {
namespace {

bool is_in_lm(NodeOp op) {
  return op == NodeOp::row_to_gather || op == NodeOp::row_to_scatter || op == NodeOp::gather || op == NodeOp::scatter;
}

std::string refusal_of(const BodyGraph& graph) {
  if (!graph.refusal.empty()) return graph.refusal;
  if (graph.carried.empty()) return "no word goes from iteration to iteration";
  if (!graph.stored.empty() || !graph.bm_steps.empty()) return "iterations use broadcast memory in their order";
  if (std::ranges::any_of(graph.nodes, is_in_lm, &Node::op)) return "iterations address local memory in their order";
  for (const Left& left : graph.left) {
    const auto took = [&](const Carried& carried) { return carried.before == left.value; };
    if (std::ranges::any_of(graph.carried, took)) return "the last iteration leaves a word that it took over";
  }
  return {};
}

}  // namespace

BodySplit split_body(const BodyGraph& graph) {
  BodySplit split;
  split.refusal = refusal_of(graph);
  if (!split.refusal.empty()) return split;
  const auto count = static_cast<NodeId>(graph.nodes.size());
  std::vector<bool> chained(count);
  NodeSets sets(count);
  for (const Carried& carried : graph.carried) chained[carried.before] = true;
  for (NodeId id = 0; id < count; ++id) {
    for (const NodeId arg : graph.nodes[id].args) {
      if (arg == kNoNode || !chained[arg]) continue;
      chained[id] = true;
      sets.join(id, arg);
    }
  }
  for (const Carried& carried : graph.carried) {
    if (chained[carried.after]) sets.join(carried.before, carried.after);
  }
  std::map<NodeId, unsigned> number;  // of a set
  for (const Carried& carried : graph.carried) number.try_emplace(sets.set_of(carried.before), number.size());
  split.chains = static_cast<unsigned>(number.size());
  split.chain_of.assign(count, BodySplit::kOwn);
  const std::vector<bool> uniform = graph.uniform();
  std::size_t own = 0;
  std::size_t in_chains = 0;
  for (NodeId id = 0; id < count; ++id) {
    if (chained[id]) split.chain_of[id] = number.at(sets.set_of(id));
    if (!uniform[id]) ++(chained[id] ? in_chains : own);
  }
  // Work-items with the same PE wait for one another's chains, so these must be the smaller part.
  if (in_chains > own) split.refusal = "most of an iteration needs the iteration before";
  return split;
}

}  // namespace gdr::emulator::jit
