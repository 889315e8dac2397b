// What the text of a body has to work out, and in which form: decided before a word of it is written.
#pragma once

#include <cstdint>
#include <vector>

#include "body_graph.h"
#include "code_target.h"
#include "number_facts.h"

namespace gdr::emulator::jit {

/// How results are rounded.
enum class Rounding : std::uint8_t {
  quick,  // gives up on a run with a result that is near a tie
  robust  // settles ties; some 1.5 times the instructions
};

/// Of one text at a time: a turn that leaves what no other one reads, or one that hands on words alone.
class BodyPlan {
 public:
  /// Begins with the text that leaves all, if `leaves_all`.
  BodyPlan(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target,
           bool leaves_all);

  /// Goes on to another text.
  void begin_part(bool leaves);

  // ---- numbers
  [[nodiscard]] const NumberFacts& facts(NodeId id) const { return facts_.of[id]; }
  [[nodiscard]] bool is_pair(NodeId id) const { return facts(id).form == NumberForm::pair; }
  [[nodiscard]] bool is_short(NodeId id) const { return facts(id).form == NumberForm::short_number; }
  [[nodiscard]] bool checked(NodeId id) const { return facts(id).check_lowest || facts(id).check_highest; }
  /// True if the node is two values: head and rest, or two planes.
  [[nodiscard]] bool is_two_values(NodeId id) const;
  /// True if the value stands in the code.
  [[nodiscard]] bool is_literal(NodeId id) const;

  // ---- of the text at hand
  [[nodiscard]] bool needed(NodeId id) const { return needed_[id]; }
  /// A product that its sum forms.
  [[nodiscard]] bool fused(NodeId id) const { return fused_[id]; }
  /// True if the text wants the word as a number and as nothing else.
  [[nodiscard]] bool is_number_alone(NodeId id) const;
  /// What the text leaves that no turn reads: words, then flags.
  template <class Function>
  void for_each_left(Function function) const {
    if (!leaves_) return;
    for (const Left& left : graph_.left) function(left);
    for (const Left& left : graph_.left_flags) function(left);
  }
  /// What it takes of the values that are equal in all PEs, in the order of nodes.
  [[nodiscard]] std::vector<NodeId> shared() const;

  // ---- of all texts
  [[nodiscard]] bool uniform(NodeId id) const { return uniform_[id]; }
  /// What no turn changes.
  [[nodiscard]] bool stays(NodeId id) const { return stays_[id]; }

  // ---- words carried
  /// True if the word is two values inside the loop.
  [[nodiscard]] bool carries_two_values(std::size_t carried) const;
  /// The node that it is inside a turn.
  [[nodiscard]] NodeId taken_as(std::size_t carried) const;
  /// Index of the first word carried that this node is taken over for; none: how many there are.
  [[nodiscard]] std::size_t first_carried_with(NodeId before) const;

  // ---- the first part of a turn beside the rest of the turn before
  /// Marks the first part of the longest chains: what they take in the turn, down to words of records.
  void find_ahead();
  [[nodiscard]] bool ahead(NodeId id) const { return ahead_[id]; }
  /// Roughly, that the host takes for it.
  [[nodiscard]] int cycles(NodeId id) const {
    return node(id).op == NodeOp::add || node(id).op == NodeOp::multiply ? 3 : 1;
  }
  /// Of these, what goes from there to its turn, in the order of nodes.
  [[nodiscard]] const std::vector<NodeId>& crossing() const { return crossing_; }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }
  void find_staying();
  void find_needed();
  void find_shortcuts();
  void find_fused(const std::vector<unsigned>& uses, const std::vector<NodeId>& user);
  [[nodiscard]] bool only_in_sum(NodeId id, const std::vector<unsigned>& uses, const std::vector<NodeId>& user) const;
  /// What varies from turn to turn and PE to PE.
  [[nodiscard]] bool in_turn(NodeId id) const {
    return id != kNoNode && needed_[id] && !uniform_[id] && !stays_[id] && !is_literal(id);
  }
  /// True if the node takes nothing that is worked out in the turn: it costs less to do it again than to keep it.
  [[nodiscard]] bool is_first(NodeId id) const;
  void find_crossing();

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  CodeTarget target_;
  bool robust_;
  std::vector<bool> uniform_;
  std::vector<bool> stays_;
  bool leaves_ = false;  // the text at hand
  std::vector<bool> needed_;
  std::vector<bool> fused_;
  std::vector<bool> ahead_;  // worked out in the turn before
  std::vector<NodeId> crossing_;
};

}  // namespace gdr::emulator::jit
