// Translates operations of C++ to operations of the machine.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "builder.h"
#include "pair/changes.h"
#include "pair/nearest.h"

namespace gdr::compiler {

inline constexpr const char* kLongFunction = "this function is not known for double: take it of a float";

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
  Operand function(const Node& node, isa::Width width);
  Operand integer(const Node& node, isa::Width width);
  Operand choice(int number);
  std::optional<Operand> sum_where(const Node& node, isa::Width width);
  Operand base_of(int node, isa::Width width, bool& free);
  Truth truth(int node);
  Truth fresh_truth(int node);
  [[nodiscard]] unsigned flags_for(int node) const;
  static Truth turned(Truth value);
  Truth comparison(const Node& node, bool own);
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
