#include "graph_nodes.h"

#include <span>

namespace gdr::emulator::jit {

NodeId GraphNodes::add(const Node& node) {
  const auto [at, is_new] = ids_.try_emplace(node.key(), static_cast<NodeId>(nodes_.size()));
  if (is_new) {
    nodes_.push_back(node);
    nodes_.back().line = line_;
    nodes_.back().mask = mask_;
  } else if (nodes_[at->second].mask != mask_) {
    nodes_[at->second].mask.reset();
  }
  return at->second;
}

NodeId GraphNodes::of_one(NodeOp op, NodeType type, Width width, NodeId arg) {
  Node node;
  node.op = op;
  node.type = type;
  node.width = width;
  node.args[0] = arg;
  return add(node);
}

NodeId GraphNodes::constant(isa::LongWord value, NodeType type) {
  Node node;
  node.type = type;
  node.width = type == NodeType::short_bits ? Width::short_word : Width::long_word;
  node.value = value;
  return add(node);
}

NodeId GraphNodes::constant_flag(bool set) {
  const NodeId zero = constant({}, NodeType::short_bits);
  Node node;  // no word is less than itself, and zero is zero
  node.op = set ? NodeOp::is_zero : NodeOp::is_below;
  node.type = NodeType::flag;
  node.args = {zero, set ? kNoNode : zero, kNoNode};
  return add(node);
}

NodeId GraphNodes::behind(const Gate& gate, NodeId id) const {
  while (nodes_[id].op == NodeOp::select && nodes_[id].args[0] == gate.flag)
    id = nodes_[id].args[gate.inverted ? 2 : 1];
  return id;
}

NodeId GraphNodes::select(NodeId flag, NodeId set, NodeId clear) {
  set = behind({flag, false}, set);
  clear = behind({flag, true}, clear);
  if (set == clear) return set;
  const auto type = [&](NodeId id) { return nodes_[id].type; };
  if (type(set) != type(clear)) {
    if (type(set) == NodeType::number && is_number(clear)) {
      clear = as_number(clear);
    } else if (type(clear) == NodeType::number && is_number(set)) {
      set = as_number(set);
    } else {
      set = as_bits(set);
      clear = as_bits(clear);
    }
  }
  Node node;
  node.op = NodeOp::select;
  node.type = type(clear) == NodeType::long_bits ? type(clear) : type(set);
  const bool both_short = nodes_[set].width == Width::short_word && nodes_[clear].width == Width::short_word;
  node.width = both_short ? Width::short_word : Width::long_word;
  node.args = {flag, set, clear};
  return add(node);
}

NodeId GraphNodes::arithmetic(NodeOp op, Width width, NodeId a, NodeId b, bool negate_a, bool negate_b) {
  Node node;
  node.op = op;
  node.width = width;
  node.negated = static_cast<std::uint8_t>((negate_a ? 1 : 0) | (negate_b ? 2 : 0));
  node.args[0] = as_number(a);
  if (b != kNoNode) node.args[1] = as_number(b);
  if (op == NodeOp::multiply) {
    for (NodeId& arg : std::span(node.args).first(2)) arg = at_port(arg);
  }
  return add(node);
}

bool GraphNodes::holds_infinity(NodeId id) const {
  const Node& node = nodes_[id];
  return is_infinity(id) || (node.op == NodeOp::select && node.type != NodeType::flag &&
                             (holds_infinity(node.args[1]) || holds_infinity(node.args[2])));
}

NodeId GraphNodes::passed(Width width, NodeId id) {
  if (is_infinity(id)) return id;
  const Node node = nodes_[id];
  if (!holds_infinity(id)) return arithmetic(NodeOp::cut, width, id, kNoNode, false, false);
  return select(node.args[0], passed(width, node.args[1]), passed(width, node.args[2]));
}

NodeId GraphNodes::as_bits(NodeId id) {
  const Node& node = nodes_[id];
  if (node.type != NodeType::number) return id;
  return of_one(NodeOp::bits, node.width == Width::long_word ? NodeType::long_bits : NodeType::short_bits, node.width,
                id);
}

NodeId GraphNodes::as_word(NodeId id, Width width) {
  if (width == Width::short_word && nodes_[id].width == Width::long_word) {
    throw Refusal{"it takes a long word for a short integer"};
  }
  return as_bits(id);
}

NodeId GraphNodes::upper(NodeId id) {
  const Node& node = nodes_[id];
  if (node.width == Width::short_word) return id;
  const NodeType type = node.type == NodeType::number ? NodeType::number : NodeType::short_bits;
  return of_one(NodeOp::upper, type, Width::short_word, id);
}

NodeId GraphNodes::lower(NodeId id) {
  if (nodes_[id].type != NodeType::long_bits) throw Refusal{"it takes half of a number"};
  return of_one(NodeOp::lower, NodeType::short_bits, Width::short_word, id);
}

NodeId GraphNodes::as_number(NodeId id) {
  const Node node = nodes_[id];
  if (node.type == NodeType::number) return id;
  if (node.op == NodeOp::bits) return node.args[0];
  if (node.op == NodeOp::select && is_number(node.args[1]) && is_number(node.args[2])) {
    return select(node.args[0], as_number(node.args[1]), as_number(node.args[2]));
  }
  // T holds one number. Any other pair of rows may hold two.
  if (node.op == NodeOp::upper && nodes_[node.args[0]].op == NodeOp::row && nodes_[node.args[0]].place >= simd::kTRow) {
    return upper(as_number(node.args[0]));
  }
  return of_one(NodeOp::number, NodeType::number,
                node.type == NodeType::long_bits ? Width::long_word : Width::short_word, id);
}

NodeId GraphNodes::at_port(NodeId number) {
  if (nodes_[number].width == Width::short_word) return number;
  return of_one(NodeOp::port, NodeType::number, Width::long_word, number);
}

bool GraphNodes::is_infinity(NodeId id) const {
  const Node& node = nodes_[id];
  return node.op == NodeOp::constant && (node.value.high << 1) == std::uint64_t{2047} << 53 && node.value.low == 0;
}

bool GraphNodes::is_number(NodeId id) const {
  return nodes_[id].op == NodeOp::bits || (is_input(id) && !is_infinity(id));
}

bool GraphNodes::is_input(NodeId id) const {
  const NodeOp op = nodes_[id].op;
  return op == NodeOp::row || op == NodeOp::kept || op == NodeOp::record || op == NodeOp::parameter ||
         op == NodeOp::constant;
}

}  // namespace gdr::emulator::jit
