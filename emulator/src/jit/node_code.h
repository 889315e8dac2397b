// Nodes of a body's graph as instructions: each becomes a value once a function needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "body_code.h"
#include "body_plan.h"
#include "code_writer.h"
#include "lm_code.h"
#include "number_code.h"

namespace gdr::emulator::jit {

/// Of the function at hand.
class NodeCode {
 public:
  /// `code` learns what the instructions take: values of the other function, rows, words of records, flags.
  NodeCode(const BodyGraph& graph, const BodyFacts& facts, const BodyPlan& plan, const CodeTarget& target,
           Rounding rounding, BodyCode& code);

  /// A new function: nothing has a value yet, and every lane is right. `uniform`: it is the one of what is equal in all
  /// PEs.
  void begin(Writer& writer, bool uniform);
  /// Goes on in another text.
  void write_to(Writer& writer);
  /// What comes now is in a turn, where there are values that another function has left.
  void begin_turns() { in_turns_ = true; }

  /// By node; empty: not yet worked out.
  std::vector<Value> values;
  [[nodiscard]] NumberCode& numbers() { return number_; }

  /// As it is in this function.
  const Value& own(NodeId id);
  /// Of any node.
  Value of(NodeId id);
  std::string flag_of(NodeId id) { return of(id).first; }
  Value planes_of(NodeId id, bool is_long);
  /// Of a word that the last turn leaves. A word that it took over as a number has the planes of that number.
  Value planes_left(const Left& left);
  /// Of a word carried, as the next turn takes it.
  Value next_of(std::size_t carried);
  /// Checks a number that a turn has taken over.
  void check_taken(NodeId id);
  /// A word of memory is wanted as a number.
  void check_word(const Value& planes);
  /// Of a turn, without those of its scatters.
  [[nodiscard]] unsigned word_planes() const;

  // ---- several turns side by side
  /// From `values` on, which are those of the first one. `carried_as`: by node inside a turn, the word carried.
  void begin_several(std::vector<std::size_t> carried_as, unsigned turns);
  void end_several();
  /// The values at hand become those of another one of these turns.
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
  Value sum(NodeId id);
  std::string short_sum(NodeId x, NodeId y, const Value& a, const Value& b);
  Value sum_with_product(NodeId product, bool negate_product, NodeId other, bool negate_other);
  std::string port(NodeId id);
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
  std::optional<std::uint32_t> line_;  // that is at hand
  bool in_uniform_ = false;
  bool in_turns_ = false;
  std::vector<std::size_t> carried_as_;
  std::vector<std::vector<Value>> other_turns_;  // the values of those that are not at hand
  unsigned turn_ = 0;
};

}  // namespace gdr::emulator::jit
