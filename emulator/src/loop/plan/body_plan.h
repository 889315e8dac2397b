// What the text of a body has to compute, and in which form. This is decided before any text is written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "body_split.h"
#include "loop/code_target.h"
#include "loop/graph/body_graph.h"
#include "number_facts.h"

namespace gdr::emulator::jit {

/// How results are rounded.
enum class Rounding : std::uint8_t {
  quick,  // refuses the iterations of a call in which a result is near a tie
  robust  // settles ties; takes some 1.5 times the instructions
};

/// Plans one text at a time: an iteration that also leaves words that no other iteration reads, or one that only hands
/// on carried words.
class BodyPlan {
 public:
  /// Begins with the text that leaves all words if `leaves_all`.
  BodyPlan(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target,
           bool leaves_all);

  /// Goes on to another text, which leaves all words if `leaves`.
  void begin_part(bool leaves);

  // ---- numbers
  [[nodiscard]] const NumberFacts& facts(NodeId id) const { return facts_.of[id]; }
  [[nodiscard]] bool is_pair(NodeId id) const { return facts(id).form == NumberForm::pair; }
  [[nodiscard]] bool is_short(NodeId id) const { return facts(id).form == NumberForm::short_number; }
  [[nodiscard]] bool checked(NodeId id) const { return facts(id).check_lowest || facts(id).check_highest; }
  /// True if the node is held in two values: head and rest, or two planes.
  [[nodiscard]] bool is_two_values(NodeId id) const;
  /// True if the node's value is a literal in the code.
  [[nodiscard]] bool is_literal(NodeId id) const;

  // ---- of the current text
  [[nodiscard]] bool needed(NodeId id) const { return needed_[id]; }
  /// True if the product is computed by the sum that uses it, in one fused multiply-add.
  [[nodiscard]] bool fused(NodeId id) const { return fused_[id]; }
  /// True if the text needs the word only as a number.
  [[nodiscard]] bool is_number_alone(NodeId id) const;
  /// Calls function(left) for all that the text leaves and no iteration reads: words, then flags.
  template <class Function>
  void for_each_left(Function function) const {
    if (!leaves_) return;
    for (const Left& left : graph_.left) function(left);
    for (const Left& left : graph_.left_flags) function(left);
  }
  /// Values equal in all PEs that the text uses, in the order of nodes.
  [[nodiscard]] std::vector<NodeId> shared() const;

  // ---- of all texts
  [[nodiscard]] bool uniform(NodeId id) const { return uniform_[id]; }
  /// True if no iteration changes the value.
  [[nodiscard]] bool stays(NodeId id) const { return stays_[id]; }

  /// The mask under which alone the iteration computes the node, so that checks need not hold elsewhere. None for nodes
  /// that are computed outside their iteration.
  [[nodiscard]] std::optional<Gate> mask(NodeId id) const;

  /// How the target's ways share the body; empty if there are none.
  [[nodiscard]] const BodySplit& split() const { return split_; }
  /// Values of an iteration's own part that the chain takes, in the order in which its nodes use them.
  [[nodiscard]] std::vector<NodeId> operands_of(unsigned chain) const;

  // ---- carried words
  /// True if the carried word is held in two values inside the loop.
  [[nodiscard]] bool carries_two_values(std::size_t carried) const;
  /// The node that represents the carried word inside an iteration.
  [[nodiscard]] NodeId taken_as(std::size_t carried) const;
  /// Index of the first carried word whose `before` is this node; the number of carried words if there is none.
  [[nodiscard]] std::size_t first_carried_with(NodeId before) const;

  /// If iterations write the carried word behind this gate alone, and none reads it, only what they write is carried.
  /// The word's bits stay in its row, whatever they are, until the end of the call.
  [[nodiscard]] const std::optional<Gate>& written_behind(std::size_t carried) const {
    return written_behind_[carried];
  }

  // ---- the first part of an iteration, computed beside the rest of the iteration before
  /// Marks the first part of the longest chains of operations, with everything it needs in its iteration, down to words
  /// of records.
  void find_ahead();
  [[nodiscard]] bool ahead(NodeId id) const { return ahead_[id]; }
  /// Rough estimate of the host's cycles for the node.
  [[nodiscard]] int cycles(NodeId id) const {
    return node(id).op == NodeOp::add || node(id).op == NodeOp::multiply ? 3 : 1;
  }
  /// Nodes computed ahead that the rest of their iteration uses, in the order of nodes.
  [[nodiscard]] const std::vector<NodeId>& crossing() const { return crossing_; }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }
  void find_staying();
  void find_written();
  void find_needed();
  void find_shortcuts();
  void find_fused(const std::vector<unsigned>& uses, const std::vector<NodeId>& user);
  [[nodiscard]] bool only_in_sum(NodeId id, const std::vector<unsigned>& uses, const std::vector<NodeId>& user) const;
  /// True if the value differs between iterations and between PEs.
  [[nodiscard]] bool in_turn(NodeId id) const {
    return id != kNoNode && needed_[id] && !uniform_[id] && !stays_[id] && !is_literal(id);
  }
  /// True if none of the node's arguments is computed in the iteration. Repeating such a node costs less than keeping
  /// it.
  [[nodiscard]] bool is_first(NodeId id) const;
  void find_crossing();

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  CodeTarget target_;
  bool robust_;
  BodySplit split_;  // empty if the target has no ways
  std::vector<bool> uniform_;
  std::vector<bool> stays_;
  std::vector<std::optional<Gate>> written_behind_;  // by carried word
  bool leaves_ = false;                              // of the current text
  std::vector<bool> needed_;
  std::vector<bool> fused_;
  std::vector<bool> ahead_;  // computed in the iteration before
  std::vector<NodeId> crossing_;
};

}  // namespace gdr::emulator::jit
