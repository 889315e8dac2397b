// Translates operations of C++ to operations of the machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "builder.h"
#include "pair/nearest.h"

namespace gdr::compiler {

/// Message for a result that is not accumulated; other languages have a message of their own.
inline constexpr const char* kResultForms =
    "a result must be accumulated: f.x += ..., f.x -= ..., f.x = fmin(f.x, ...) or fmax; integers also |=, &=, ^=, min "
    "and max; and under a condition";

inline constexpr const char* kLongFunction =
    "this function is not known for double: take it of a float (expf, logf, sinf, ...), or write it out";

class Lowering {
 public:
  Lowering(const PairFunction& function, Microcode& code, Operations& section, std::vector<Message>& errors,
           bool fresh_conditions);

  /// Results that every pair adds to: sums, minima and maxima.
  void accumulate_all();
  /// Results that get a new value from results and parameters.
  void assign_all();

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

  struct Sum {
    isa::Op op;
    int value;  // node
  };
  /// How a result is changed: where all conditions hold, it becomes `changed`, which is `before` with `sum` applied.
  struct Change {
    int changed = -1;
    int before = -1;
    std::optional<Sum> sum;
    std::vector<Under> conditions;
  };
  std::optional<Change> change_of(int number, const Store& store) const;
  [[nodiscard]] bool follows(int later, int earlier) const;
  bool gather(int number, const Store& store, std::vector<Under>& conditions, std::vector<Change>& changes) const;
  void apply(Change change, const Store& store);
  Truth all_of(std::vector<Under> conditions);
  bool accumulate(int node, const Store& store);
  std::optional<Sum> sum_of(const Node& node, const Store& store) const;
  std::optional<Sum> chosen_extreme(const Node& node, const Store& store) const;
  void write(isa::Op op, const Operand& value, const Store& store, const Node& at, const Truth& where);
  void accumulate(const KeyedNumber& number);
  Operand whole_number(int node);
  [[nodiscard]] bool is_old(int node, const Store& store) const;
  [[nodiscard]] bool depends_on_results(int node) const;
  [[nodiscard]] bool is_zero(int node) const;
  /// True for the same node, and for two constants of the same value.
  [[nodiscard]] bool is_same(int one, int other) const;

  [[nodiscard]] const Node& node(int number) const { return function_.nodes[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool once(int number) const { return uses_[static_cast<std::size_t>(number)] == 1; }
  Operand refuse(const Node& at, std::string text);

  const PairFunction& function_;
  Microcode& code_;
  std::vector<Message>& errors_;
  Builder builder_;
  bool fresh_conditions_;
  std::vector<int> uses_;
  std::vector<bool> never_negative_;
  std::map<int, Operand> values_;
  std::map<int, Truth> truths_;
  std::map<int, int> last_writer_;  // for each result variable
};

/// Index of the variable for a word of a field. Variables are ordered by record, field and element.
[[nodiscard]] int variable_of(const Microcode& code, Record record, unsigned field, unsigned element);

}  // namespace gdr::compiler
