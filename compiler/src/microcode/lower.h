// Translates operations of C++ to operations of the machine.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "builder.h"
#include "pair/acts.h"
#include "pair/changes.h"
#include "pair/nearest.h"

namespace gdr::compiler {

inline constexpr const char* kLongFunction = "this function is not known for double: take it of a float";
inline constexpr const char* kNoCondition = "a condition that has no counterpart on the machine";

/// The operation of a comparison, and what its result is if the comparison holds.
struct Comparison {
  isa::Op op = isa::Op::NOP;
  isa::Condition condition = isa::Condition::negative;
};
// A difference of equal numbers is +0, so that the word's uppermost bit is the sign of the comparison. Integers have
// four bits, or eight, more than those of C++: differences do not overflow.
inline constexpr ActTable<Comparison> kComparisons([](Act act) { return family_of(act) == Family::comparison; },
                                                   {{Act::less, {isa::Op::FSUB, isa::Condition::negative}},
                                                    {Act::equal, {isa::Op::FSUB, isa::Condition::zero}},
                                                    {Act::int_less, {isa::Op::USUB, isa::Condition::negative}},
                                                    {Act::int_less_unsigned, {isa::Op::USUB, isa::Condition::carry}},
                                                    {Act::int_equal, {isa::Op::USUB, isa::Condition::zero}}});

/// A flag is set anew for each reader of a condition that is made of others, and so are the flags of these, so that
/// their number may double with every branch. True if they are too many: then conditions must be words.
[[nodiscard]] bool sets_too_many_flags(const PairFunction& function, const std::vector<int>& roots);

class Lowering {
 public:
  /// `roots`: the nodes that are needed, each as often as it is used outside of other nodes.
  Lowering(const PairFunction& function, const std::vector<int>& roots, Microcode& code, Operations& section,
           std::vector<Message>& errors, ConditionStyle style);

  /// Results that every pair adds to: sums, minima and maxima.
  void accumulate_all(const Changes& changes);
  /// Words that get a new value. `in_place`: an operation whose value is read further, too, writes the word itself.
  void assign_all(bool in_place = false);
  /// Sets the flag by which an experiment goes on, unless the condition holds.
  void go_on_unless(int done);

 private:
  Operand operand(int node);
  Operand made(int node);
  Operand narrowed(int node);
  Operand floating(const Node& node, isa::Width width);
  Operand integer(const Node& node, isa::Width width);
  Operand choice(int number);
  std::optional<Operand> sum_where(const Node& node, isa::Width width);
  Operand base_of(int node, isa::Width width, bool& free);
  Truth truth(int node);
  Truth fresh_truth(int node);
  [[nodiscard]] unsigned flags_for(int node) const;
  static Truth turned(Truth value);
  Truth comparison(const Node& node, bool own);
  [[nodiscard]] isa::Width width_of_difference(const Node& node, isa::Op op, const Operand& a) const;
  Operand quotient(const Node& node, isa::Width width);

  void apply(const Change& change);
  Truth all_of(std::vector<Under> conditions);
  void write(isa::Op op, const Operand& value, unsigned field, unsigned element, const Place& place,
             const Truth& where);
  void accumulate(const KeyedNumber& number);
  bool is_read(int flag);
  Operand whole_number(int node);

  // Conditions as words: predicates.cpp.
  /// A word whose test is the condition, or its opposite.
  struct Word {
    Operand value;
    isa::Condition test = isa::Condition::negative;
    bool inverted = false;
  };
  struct KeptFlag {
    int node = -1;
    Truth truth;
  };
  Truth word_truth(int number);
  Truth all_words(const std::vector<Under>& conditions);
  Truth flag_from(const Word& word);
  Word word_from(const Truth& truth);
  Word word_of(int number);
  Word compared_word(const Node& node);
  std::optional<std::array<Operand, 2>> equal_words(const Node& node);
  Word signed_word(const Word& word);
  Word both_words(const Word& a, const Word& b);
  void forget_flags();
  [[nodiscard]] bool is_zero(int node) const;

  [[nodiscard]] const Node& node(int number) const { return function_.nodes[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool once(int number) const { return uses_[static_cast<std::size_t>(number)] == 1; }
  Operand refuse(const Node& at, std::string text);

  /// An operation on numbers whose operands are words; `y` is its second one.
  struct Floating {
    Lowering& in;
    const Node& node;
    isa::Width width;
    Operand x;
    Operand y;
    const Bounds& bounds;  // of x

    using One = Operand (Builder::*)(const Operand&);
    using Two = Operand (Builder::*)(const Operand&, const Operand&);
    using Whole = Operand (Builder::*)(const Operand&, isa::Width, const Bounds&);
    [[nodiscard]] bool wide() const { return width == isa::Width::long_word; }
    [[nodiscard]] Operand operation(isa::Op op) const { return in.builder_.operation(op, {x, y}, width); }
    /// A function by its form for short or for long words.
    [[nodiscard]] Operand of(One in_short, One in_long) const {
      return (in.builder_.*(wide() ? in_long : in_short))(x);
    }
    [[nodiscard]] Operand of(Two in_short, Two in_long) const {
      return (in.builder_.*(wide() ? in_long : in_short))(x, y);
    }
    /// A function that has a form for short words only.
    [[nodiscard]] Operand in_short(One form) const {
      return wide() ? in.refuse(node, kLongFunction) : (in.builder_.*form)(x);
    }
    [[nodiscard]] Operand whole(Whole form) const { return (in.builder_.*form)(x, width, bounds); }
    /// Sine, or after `quarters` of a turn.
    [[nodiscard]] Operand circular(int quarters) const {
      return wide() ? in.builder_.circular_long(x, quarters) : in.builder_.circular(x, quarters);
    }
  };
  /// An operation whose value is an integer.
  struct Whole {
    Builder& builder;
    const Node& node;
    isa::Width width;
    Operand a;
    Operand b;
    Bounds of_a;
    Bounds of_b;

    [[nodiscard]] unsigned bits() const { return static_cast<unsigned>(node.integer); }
    [[nodiscard]] Operand operation(isa::Op op) const { return builder.operation(op, {a, b}, width); }
  };

  const PairFunction& function_;
  Microcode& code_;
  std::vector<Message>& errors_;
  Builder builder_;
  ConditionStyle style_;
  std::vector<int> uses_;
  std::vector<bool> never_negative_;
  std::map<int, Operand> values_;
  std::map<int, Truth> truths_;
  std::map<int, int> last_writer_;  // for each result variable
  std::map<int, Word> words_;
  std::map<int, Word> signs_;         // of words that are tested for zero, or that are long
  std::map<int, Operand> opposites_;  // of words that are negative where their condition does not hold
  std::vector<KeptFlag> kept_flags_;  // the one used last at the end
  std::set<int> own_flags_;           // operations that set flags of conditions
  int looked_at_ = 0;                 // operations before this one have been searched for other flags
};

/// Puts operations into this order. `number`: the place of each in it.
void put_in_order(Operations& section, const std::vector<std::size_t>& order, const std::vector<int>& number);

/// Index of the variable for a word of a field. Variables are ordered by record, field and element.
[[nodiscard]] int variable_of(const Microcode& code, Record record, unsigned field, unsigned element);

}  // namespace gdr::compiler
