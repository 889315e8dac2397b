#include "truth_results.h"

#include <algorithm>
#include <map>

#include "acts.h"
#include "bounds.h"
#include "gdr/base/error.h"

namespace gdr::compiler {
namespace {

constexpr Bounds kOfTruth{0, 1};

/// A value of a pair function where a bool result was `before`.
class Settled {
 public:
  Settled(PairFunction& function, Conditions& conditions, const Store& store, bool before)
      : function_(function), conditions_(conditions), store_(store), before_(before) {}

  /// The lowest bit of an integer, which is all that a bool has; -1 if it depends on another result.
  int truth(int number) {
    number = settled(number);
    return number < 0 ? -1 : lowest_bit(number);
  }

 private:
  [[nodiscard]] const Node& node(int number) const { return function_.nodes[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool is_constant(int number) const { return node(number).act == Act::constant; }

  int made(Node node) {
    if (node.act != Act::constant) node.bounds = computed_bounds(node, function_.nodes);
    function_.nodes.push_back(std::move(node));
    return static_cast<int>(function_.nodes.size()) - 1;
  }

  int constant(Type type, std::int64_t value) {
    Node number;
    number.type = type;
    number.integer = value;
    number.bounds = {static_cast<double>(value), static_cast<double>(value)};
    return made(std::move(number));
  }

  /// The node with the bool in place of the result; itself if the result is not in it.
  int settled(int number) {
    const auto [known, is_new] = settled_.try_emplace(number, -1);
    if (!is_new) return known->second;
    const int found = settle(number);
    return settled_[number] = found;
  }

  int settle(int number) {
    const Node value = node(number);  // a copy: nodes are appended
    if (value.act == Act::input && value.record == Record::result) {
      const bool own = value.field == store_.field && value.element == store_.element;
      return own ? constant(value.type, before_ ? 1 : 0) : -1;
    }
    std::vector<int> operands;
    for (const int operand : value.operands) {
      operands.push_back(settled(operand));
      if (operands.back() < 0) return -1;
    }
    if (operands == value.operands) return number;
    if (value.type == Type::truth) return condition(value, operands);
    if (value.act == Act::select) {
      const std::optional<bool> known = conditions_.known(operands[0]);
      if (known) return operands[*known ? 1 : 2];
    }
    if (value.act == Act::widen || value.act == Act::zero_extend) {  // of a bool, which both leave as it is
      if (is_constant(operands[0]) && is_within(node(operands[0]).bounds, kOfTruth))
        return constant(value.type, node(operands[0]).integer);
    }
    if (value.act == Act::iand) {
      for (const int one : operands) {
        if (is_constant(one) && node(one).integer == 0) return constant(value.type, 0);
      }
    }
    if (value.act == Act::ior || value.act == Act::ixor) {
      for (const std::size_t n : {0U, 1U}) {
        if (is_constant(operands[n]) && node(operands[n]).integer == 0) return operands[1 - n];
      }
    }
    if (operands.size() == 2 && is_constant(operands[0]) && is_constant(operands[1])) {
      const std::int64_t a = node(operands[0]).integer;
      const std::int64_t b = node(operands[1]).integer;
      if (value.act == Act::iand) return constant(value.type, a & b);
      if (value.act == Act::ior) return constant(value.type, a | b);
      if (value.act == Act::ixor) return constant(value.type, a ^ b);
    }
    Node changed = value;
    changed.operands = std::move(operands);
    changed.name.clear();
    return made(std::move(changed));
  }

  int condition(const Node& value, const std::vector<int>& operands) {
    using Made = int (*)(Conditions&, const std::vector<int>&);
    static constexpr ActTable<Made> kLogic(
        [](Act act) { return family_of(act) == Family::logic; },
        {{Act::both, [](Conditions& in, const auto& of) { return in.both(of[0], of[1]); }},
         {Act::either, [](Conditions& in, const auto& of) { return in.either(of[0], of[1]); }},
         {Act::opposite, [](Conditions& in, const auto& of) { return in.opposite(of[0]); }}});
    const Family family = family_of(value.act);
    if (family == Family::logic) return kLogic[value.act](conditions_, operands);
    if (family == Family::select) return conditions_.choice(operands[0], operands[1], operands[2]);
    GDR_ASSERT(family == Family::comparison, "a truth value is made of others, of two of them by a third, or compared");
    if (value.act == Act::int_equal) return equal(operands[0], operands[1]);
    return conditions_.comparison(value.act, operands[0], operands[1]);
  }

  /// Two integers are equal.
  int equal(int a, int b) {
    if (is_constant(a)) std::swap(a, b);
    const Node value = node(a);
    if (is_constant(a)) return conditions_.constant(value.integer == node(b).integer);
    if (!is_constant(b)) return conditions_.comparison(Act::int_equal, a, b);
    const std::int64_t number = node(b).integer;
    if (static_cast<double>(number) < value.bounds.low || static_cast<double>(number) > value.bounds.high)
      return conditions_.constant(false);
    if (value.act == Act::select)
      return conditions_.choice(value.operands[0], equal(value.operands[1], b), equal(value.operands[2], b));
    if (value.act == Act::ior && number == 0)
      return conditions_.both(equal(value.operands[0], b), equal(value.operands[1], b));
    const bool extended = value.act == Act::zero_extend || value.act == Act::sign_extend;
    if (extended && number == 0 && has_low_one(value.operands[0])) return conditions_.constant(false);
    if (value.act == Act::ixor) {
      for (const std::size_t n : {0U, 1U}) {
        if (!is_constant(value.operands[n])) continue;
        return equal(value.operands[1 - n], constant(value.type, number ^ node(value.operands[n]).integer));
      }
    }
    const bool is_truth = is_within(value.bounds, kOfTruth);
    if (is_truth && number == 1) return conditions_.opposite(equal(a, constant(value.type, 0)));
    return conditions_.comparison(Act::int_equal, a, number == 0 ? zero(value.type) : b);
  }

  /// True if the lowest bit is 1 whatever the data are.
  [[nodiscard]] bool has_low_one(int number) const {
    const Node& value = node(number);
    if (value.act == Act::constant) return (value.integer & 1) != 0;
    return value.act == Act::ior && (has_low_one(value.operands[0]) || has_low_one(value.operands[1]));
  }

  /// One node for all, so that equal conditions are one.
  int zero(Type type) {
    const auto [known, is_new] = zeros_.try_emplace(type, -1);
    if (is_new) {
      for (std::size_t n = 0; n < function_.nodes.size() && known->second < 0; ++n) {
        const Node& one = function_.nodes[n];
        if (one.act == Act::constant && one.type == type && one.integer == 0) known->second = static_cast<int>(n);
      }
      if (known->second < 0) known->second = constant(type, 0);
    }
    return known->second;
  }

  int lowest_bit(int number) {
    const Node value = node(number);
    const auto of = [&](std::size_t n) { return lowest_bit(value.operands[n]); };
    switch (row_of(value.act).lowest_bit) {
      case LowestBit::of_constant:
        return conditions_.constant((value.integer & 1) != 0);
      case LowestBit::of_choice:
        return conditions_.choice(value.operands[0], of(1), of(2));
      case LowestBit::of_both:
        return conditions_.both(of(0), of(1));
      case LowestBit::of_either:
        return conditions_.either(of(0), of(1));
      case LowestBit::of_one: {
        const int other = of(1);
        return conditions_.choice(of(0), conditions_.opposite(other), other);
      }
      case LowestBit::of_first:
        return of(0);
      case LowestBit::own:
        break;
    }
    const auto [known, is_new] = bits_.try_emplace(number, -1);
    if (!is_new) return known->second;
    int bit = number;
    if (!is_within(value.bounds, kOfTruth)) {
      Node lowest;
      lowest.act = Act::iand;
      lowest.type = value.type;
      lowest.operands = {number, constant(value.type, 1)};
      lowest.place = value.place;
      bit = made(std::move(lowest));
    }
    const int set = conditions_.opposite(equal(bit, zero(value.type)));
    return bits_[number] = set;
  }

  PairFunction& function_;
  Conditions& conditions_;
  const Store& store_;
  bool before_;
  std::map<int, int> settled_;
  std::map<int, int> bits_;
  std::map<Type, int> zeros_;
};

}  // namespace

std::optional<TruthChange> truth_change(PairFunction& function, Conditions& conditions, const Store& store) {
  const int after_true = Settled(function, conditions, store, true).truth(store.value);
  const int after_false = Settled(function, conditions, store, false).truth(store.value);
  if (after_true < 0 || after_false < 0) return std::nullopt;
  if (conditions.known(after_true) == true) return TruthChange{Act::ior, after_false};
  if (conditions.known(after_false) == false) return TruthChange{Act::iand, conditions.opposite(after_true)};
  if (after_true == conditions.opposite(after_false)) return TruthChange{Act::ixor, after_false};
  return std::nullopt;
}

}  // namespace gdr::compiler
