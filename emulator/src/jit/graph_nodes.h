// Nodes as a body's graph gets them: equal ones are one, and what an operation takes becomes a number or an integer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "body_graph.h"

namespace gdr::emulator::jit {

/// The body has something that stays with the interpreter. make_body_graph() catches it.
struct Refusal {
  std::string why;
};

class GraphNodes {
 public:
  /// Adds to `nodes`, which must outlive the object.
  explicit GraphNodes(std::vector<Node>& nodes) : nodes_(nodes) {}

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[id]; }
  [[nodiscard]] const std::vector<Node>& all() const { return nodes_; }

  /// What is added from here on belongs to the body's next line.
  void next_line() { ++line_; }

  /// Equal nodes are one.
  NodeId add(const Node& node);
  NodeId constant(isa::LongWord value, NodeType type);
  NodeId constant_flag(bool set);
  NodeId select(NodeId flag, NodeId set, NodeId clear);

  /// An operation of the adder or multiplier on one word or two, rounded to `width`.
  NodeId arithmetic(NodeOp op, Width width, NodeId a, NodeId b, bool negate_a, bool negate_b);
  /// True if the word may be a constant infinity, which is no number here, and else is one.
  [[nodiscard]] bool holds_infinity(NodeId id) const;
  /// What FPASSA makes of it: an infinity stays as it is.
  NodeId passed(Width width, NodeId id);

  NodeId as_bits(NodeId id);
  /// A word as an integer of this width, or of the narrower one with zeros below. Throws Refusal if it is longer.
  NodeId as_word(NodeId id, Width width);
  NodeId upper(NodeId id);
  /// Throws Refusal if the word is a number, or short.
  NodeId lower(NodeId id);

 private:
  NodeId of_one(NodeOp op, NodeType type, Width width, NodeId arg);
  NodeId as_number(NodeId id);
  NodeId at_port(NodeId number);
  [[nodiscard]] bool is_infinity(NodeId id) const;
  /// A word that costs nothing in a turn to be taken for a number.
  [[nodiscard]] bool is_number(NodeId id) const;
  /// A word that comes from memory: to look at it costs nothing in a turn.
  [[nodiscard]] bool is_input(NodeId id) const;

  std::vector<Node>& nodes_;
  std::map<decltype(Node().key()), NodeId> ids_;
  std::uint32_t line_ = 0;  // of the body
};

}  // namespace gdr::emulator::jit
