// Writes nodes of a body's graph as instructions. A node gets a value when a function first needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "body_code.h"
#include "code_writer.h"
#include "lm_code.h"
#include "loop/plan/body_plan.h"
#include "number_code.h"
#include "number_forms.h"

namespace gdr::emulator::jit {

/// Writes nodes of the current function.
class NodeCode {
 public:
  /// `code` is told what the instructions use: shared values, rows, words of records, flags.
  NodeCode(const BodyGraph& graph, const BodyFacts& facts, const BodyPlan& plan, const CodeTarget& target,
           Rounding rounding, BodyCode& code);

  /// Begins a new function, in which no node has a value and every lane is right. `uniform`: the function of values
  /// that are equal in all PEs.
  void begin(Writer& writer, bool uniform);
  /// Continues in another text.
  void write_to(Writer& writer);
  /// What follows is inside an iteration, where values that uniform() has left are available.
  void begin_turns() { in_turns_ = true; }

  /// By node; empty if not yet computed.
  std::vector<Value> values;
  [[nodiscard]] NumberCode& numbers() { return number_; }

  /// The node's value as this function computes it.
  const Value& own(NodeId id);
  /// The value of any node: a literal, a value of this function, or one that uniform() has left.
  Value of(NodeId id);
  std::string flag_of(NodeId id) { return of(id).first; }
  Value planes_of(NodeId id, bool is_long);
  /// Planes of a word that the last iteration leaves. If the iteration took it over as a number, these are the number's
  /// planes.
  Value planes_left(const Left& left);
  /// Value of a carried word in the form in which the next iteration takes it over.
  Value next_of(std::size_t carried);
  /// Checks a number that an iteration has taken over.
  void check_taken(NodeId id);
  /// Checks a word of memory that is used as a number.
  void check_word(const Value& planes);
  /// Planes of the words that an iteration stores, without those of its scatters.
  [[nodiscard]] unsigned word_planes() const;

  // ---- several iterations side by side
  /// Begins with `values` as those of the first iteration. `carried_as`: by node inside an iteration, the index of its
  /// carried word, or kNotCarried.
  void begin_several(std::vector<std::size_t> carried_as, unsigned turns);
  void end_several();
  /// Makes another of these iterations the current one, with its `values`.
  void go_to_turn(unsigned turn);
  static constexpr std::size_t kNotCarried = ~std::size_t{0};

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] Value constant(const Node& each) const;
  Value constant_number(NodeId id);
  Value taken(NodeId id);
  void emit(NodeId id);
  void emit_node(NodeId id);
  void take_rows(const Node& each);
  Value record(NodeId id);
  Value upper(const Node& each);
  Value lower(const Node& each);
  Value bits(const Node& each);
  std::optional<std::string> selection(const Node& row);
  std::string is_zero(NodeId id);
  std::string is_negative(NodeId id);
  [[nodiscard]] bool is_worked_out(NodeId id) const;
  Value number(NodeId id);
  Value select(NodeId id);
  Value with_sign(Value value, bool negate);
  [[nodiscard]] HeldNumber held(NodeId id, Value value) const {
    return {std::move(value), plan_.facts(id).form, plan_.facts(id).bits};
  }
  Value sum(NodeId id);
  Value sum_with_product(NodeId product, bool negate_product, NodeId other, bool negate_other);
  Value product(NodeId id);
  Value cut(NodeId id);

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  const BodyPlan& plan_;
  CodeTarget target_;
  bool robust_;
  BodyCode& code_;
  NumberCode number_;
  LmCode memory_;
  Writer* w_ = nullptr;
  std::optional<std::uint32_t> line_;  // the current line
  bool in_uniform_ = false;
  bool in_turns_ = false;
  std::vector<std::size_t> carried_as_;
  std::vector<std::vector<Value>> other_turns_;  // the values of all iterations but the current one
  unsigned turn_ = 0;
};

}  // namespace gdr::emulator::jit
