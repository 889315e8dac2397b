// Conditions of a pair function as shared nodes: equal conditions are one node, and what is implied is left out.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

/// Makes truth nodes of a function. All are made of comparisons, `both` and `opposite`; chains of `both` begin at their
/// first operand, so that conditions with a common beginning share it.
class Conditions {
 public:
  /// Keeps a reference to `function`, to which nodes are appended. Nodes that are there already may be operands.
  explicit Conditions(PairFunction& function) : function_(function) {}

  /// The place of nodes that are made from now on.
  void place(const Place& place) { place_ = place; }

  int constant(bool value);
  /// `act`: less, equal, int_less, int_less_unsigned or int_equal.
  int comparison(Act act, int a, int b);
  int opposite(int a);
  int both(int a, int b);
  int either(int a, int b);
  /// The truth value `yes` where `condition` holds, otherwise `no`.
  int choice(int condition, int yes, int no);

  /// The constant that a condition is, if it is one.
  [[nodiscard]] std::optional<bool> known(int node) const;
  /// Conditions that all hold where `node` does.
  [[nodiscard]] std::vector<int> parts(int node) const;
  /// True if `b` holds wherever `a` does, as far as that is seen.
  [[nodiscard]] bool implies(int a, int b) const;

 private:
  /// Numbers for which a comparison with a constant holds: those from `low` to `high`, or all but `low`.
  struct Range {
    int value = -1;  // node that is compared
    double low = 0;
    double high = 0;
    bool open_low = false;
    bool open_high = false;
    bool all_but = false;
  };

  [[nodiscard]] const Node& at(int node) const { return function_.nodes[static_cast<std::size_t>(node)]; }
  [[nodiscard]] std::optional<double> number_of(int node) const;
  [[nodiscard]] std::optional<Range> range_of(int node) const;
  [[nodiscard]] static Range outside(const Range& range);
  [[nodiscard]] static bool within(const Range& a, const Range& b);
  [[nodiscard]] bool excludes(int a, int b) const;
  [[nodiscard]] int reduced(int node, const std::vector<int>& given);
  int all(const std::vector<int>& conditions);
  int made(Act act, std::vector<int> operands, std::int64_t integer = 0);

  PairFunction& function_;
  Place place_;
  std::map<std::tuple<Act, std::vector<int>, std::int64_t>, int> known_;
};

}  // namespace gdr::compiler
