// Adds nodes to a body's graph. Equal nodes are stored once. Operands are converted to numbers or integers as needed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "body_graph.h"

namespace gdr::emulator::jit {

/// Thrown if the body contains something that only the interpreter can run. make_body_graph() catches it.
struct Refusal {
  std::string why;
};

class GraphNodes {
 public:
  /// Adds nodes to `nodes`, which must outlive this object.
  explicit GraphNodes(std::vector<Node>& nodes) : nodes_(nodes) {}

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[id]; }
  [[nodiscard]] const std::vector<Node>& all() const { return nodes_; }

  /// Nodes added from here on belong to the body's next line.
  void next_line() { ++line_; }
  /// Nodes added from here on are computed by lines under this mask, or in all elements if there is none.
  void set_mask(const std::optional<Gate>& mask) { mask_ = mask; }
  [[nodiscard]] const std::optional<Gate>& mask() const { return mask_; }

  /// Returns the node that equals `node`; adds it if there is none.
  NodeId add(const Node& node);
  NodeId constant(isa::LongWord value, NodeType type);
  NodeId constant_flag(bool set);
  NodeId select(NodeId flag, NodeId set, NodeId clear);
  /// `value` where the gate is open, else `old`.
  NodeId gated(const Gate& gate, NodeId value, NodeId old) {
    return gate.inverted ? select(gate.flag, old, value) : select(gate.flag, value, old);
  }
  /// What the node is where the gate is open: of choices by this gate, the one that is taken there.
  [[nodiscard]] NodeId behind(const Gate& gate, NodeId id) const;

  /// An operation of the adder or multiplier on one or two words, with the result rounded to `width`.
  NodeId arithmetic(NodeOp op, Width width, NodeId a, NodeId b, bool negate_a, bool negate_b);
  /// True if the word may be a constant infinity. It does not count as a number here; in all other cases the word is
  /// one.
  [[nodiscard]] bool holds_infinity(NodeId id) const;
  /// The result of FPASSA: the word rounded to `width`; an infinity stays as it is.
  NodeId passed(Width width, NodeId id);

  NodeId as_bits(NodeId id);
  /// The word as an integer of this width. A short word taken as a long one has zeros below it. Throws Refusal if the
  /// word is longer than `width`.
  NodeId as_word(NodeId id, Width width);
  NodeId upper(NodeId id);
  /// The lower half of the word. Throws Refusal if the word is a number or short.
  NodeId lower(NodeId id);

 private:
  NodeId of_one(NodeOp op, NodeType type, Width width, NodeId arg);
  NodeId as_number(NodeId id);
  NodeId at_port(NodeId number);
  [[nodiscard]] bool is_infinity(NodeId id) const;
  /// True if taking the word as a number costs nothing in an iteration.
  [[nodiscard]] bool is_number(NodeId id) const;
  /// True if the word comes from memory, so that checking it costs nothing in an iteration.
  [[nodiscard]] bool is_input(NodeId id) const;

  std::vector<Node>& nodes_;
  std::map<decltype(Node().key()), NodeId> ids_;
  std::uint32_t line_ = 0;  // line of the body
  std::optional<Gate> mask_;
};

}  // namespace gdr::emulator::jit
