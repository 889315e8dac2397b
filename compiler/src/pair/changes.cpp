#include "changes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "acts.h"
#include "bounds.h"
#include "truth_results.h"

namespace gdr::compiler {
namespace {

constexpr const char* kCutExtreme =
    "an integer result is compared with a number that its type may not have, and C++ cuts what is kept to the type's "
    "bits at every pair, so that the result depends on their order: declare the result with the number's type, or "
    "convert the number to the result's type before";

bool is_sum(Act act) { return act == Act::add || act == Act::sub || act == Act::iadd || act == Act::isub; }

bool is_change(Act act) { return row_of(act).changes; }

/// A value of a result is the result before the pair, or an operation on an older value of it, or one of two such
/// values by a condition.
class ChangeFinder {
 public:
  ChangeFinder(PairFunction& function, const Store& store, Conditions& conditions, Message& refused)
      : function_(function), store_(store), conditions_(conditions), refused_(refused) {
    of_results_.reserve(function.nodes.size());
    for (const Node& next : function.nodes) {
      const bool old = next.act == Act::input && next.record == Record::result;
      of_results_.push_back(old ||
                            std::ranges::any_of(next.operands, [&](int one) { return of_results_[index(one)]; }));
    }
  }

  std::vector<Change> run() {
    if (!of_results(store_.value)) {
      refused_ = {store_.place, kResultForms};
    } else {
      take(store_.value, -1, -1);
    }
    const bool is_bool = function_.records[static_cast<std::size_t>(Record::result)][store_.field].is_truth;
    if (is_bool && (!refused_.text.empty() || !all_of_bool())) take_bool();
    std::ranges::reverse(changes_);
    return std::move(changes_);
  }

 private:
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  [[nodiscard]] const Node& node(int number) const { return function_.nodes[index(number)]; }
  [[nodiscard]] bool of_results(int number) const {
    return index(number) < of_results_.size() && of_results_[index(number)];
  }

  [[nodiscard]] bool is_old(int number) const {
    const Node& old = node(number);
    return old.act == Act::input && old.record == Record::result && old.field == store_.field &&
           old.element == store_.element;
  }

  [[nodiscard]] bool is_short() const {
    const auto& fields = function_.records[static_cast<std::size_t>(Record::result)];
    return fields[store_.field].type == Type::float_short;
  }

  /// The numbers of the member's type in C++; those of its word may be more.
  [[nodiscard]] Bounds bounds_of_member() const {
    constexpr unsigned kBits = 8;  // of a byte
    const Field& field = function_.records[static_cast<std::size_t>(Record::result)][store_.field];
    if (field.bytes == 0 || field.bytes >= sizeof(std::int64_t)) return {};
    return bounds_of_bits(kBits * field.bytes, field.is_signed);
  }

  /// `number`: the value that is no change.
  bool refuse(int number, std::string text) {
    const Place& place = node(number).place;
    if (refused_.text.empty()) refused_ = {place.line > 0 ? place : store_.place, std::move(text)};
    return false;
  }

  /// True if the changes are of the lowest bit only. C++ makes a bool of every other number.
  [[nodiscard]] bool all_of_bool() const {
    return std::ranges::all_of(changes_, [&](const Change& change) {
      const bool by_bits = change.act == Act::iand || change.act == Act::ior || change.act == Act::ixor;
      return by_bits && is_within(node(change.addend).bounds, {0, 1});
    });
  }

  /// A bool that is set, cleared or turned under a condition.
  void take_bool() {
    const std::optional<TruthChange> change = truth_change(function_, conditions_, store_);
    if (!change) {
      if (refused_.text.empty()) refused_ = {store_.place, kResultForms};
      return;
    }
    refused_ = {};
    changes_.clear();
    Node number;
    number.type = function_.records[static_cast<std::size_t>(Record::result)][store_.field].type;
    number.integer = change->act == Act::iand ? 0 : 1;
    number.bounds = {static_cast<double>(number.integer), static_cast<double>(number.integer)};
    function_.nodes.push_back(std::move(number));
    append(change->act, static_cast<int>(function_.nodes.size()) - 1, change->condition, store_.place);
  }

  /// The next older value of the result that `number` is made of; -1 if it is none. Where a value is one of two, that
  /// is the first one that both are made of.
  int older(int number) {
    const auto [known, is_new] = older_.try_emplace(number, -1);
    if (!is_new) return known->second;
    const int found = find_older(node(number));
    return older_[number] = found;
  }

  int find_older(const Node& value) {
    switch (family_of(value.act)) {
      case Family::widen:
        return value.operands[0];
      case Family::narrow:  // a result in a short word is rounded by each operation
        return is_short() ? value.operands[0] : -1;
      case Family::select: {
        // By a comparison with the result itself, one may be no value of it: see extreme().
        const bool first = of_results(value.operands[1]);
        if (of_results(value.operands[0]) && first != of_results(value.operands[2]))
          return value.operands[first ? 1 : 2];
        std::set<int> of_first;
        for (int at = value.operands[1]; at >= 0; at = older(at)) of_first.insert(at);
        for (int at = value.operands[2]; at >= 0; at = older(at)) {
          if (of_first.contains(at) && of_results(at)) return at;
        }
        return -1;
      }
      case Family::constant:
      case Family::input:
      case Family::negate:
      case Family::from_integer:
      case Family::number:
      case Family::integer:
      case Family::comparison:
      case Family::logic:
        break;
    }
    if (!is_change(value.act)) return -1;
    const bool commutes = value.act != Act::sub && value.act != Act::isub;
    const bool first = of_results(value.operands[0]);
    const bool second = of_results(value.operands[1]);
    if (first == second || (!first && !commutes)) return -1;
    return value.operands[first ? 0 : 1];
  }

  /// Appends what leads from `until`, or from the result before the pair, to `number`; the last change first.
  bool take(int number, int until, int condition) {
    while (number != until && !is_old(number)) {
      const Node value = node(number);  // a copy: conditions append nodes
      if (value.act == Act::select && of_results(value.operands[0])) {
        const int before = extreme(value, condition);
        if (before < 0) return refuse(number, kResultForms);
        number = before;
        continue;
      }
      const int before = older(number);
      if (before < 0) return refuse(number, reason(number));
      if (value.act == Act::select) {
        const int holds = value.operands[0];
        const bool taken = take(value.operands[2], before, also(condition, conditions_.opposite(holds))) &&
                           take(value.operands[1], before, also(condition, holds));
        if (!taken) return false;
      } else if (is_change(value.act)) {
        append(value.act, value.operands[before == value.operands[0] ? 1 : 0], condition, value.place);
      }
      number = before;
    }
    return true;
  }

  void append(Act act, int addend, int condition, const Place& place) {
    // If 0 is added under a condition, the sum is written only under the opposite condition.
    Node added = node(addend);
    if (added.act == Act::widen) added = node(added.operands[0]);
    if (is_sum(act) && added.act == Act::select && (is_zero(added.operands[1]) || is_zero(added.operands[2]))) {
      const bool zero_first = is_zero(added.operands[1]);
      const int holds = added.operands[0];
      const int other = added.operands[zero_first ? 2 : 1];
      return append(act, other, also(condition, zero_first ? conditions_.opposite(holds) : holds), place);
    }
    if (condition >= 0 && conditions_.known(condition) == false) return;
    if (condition >= 0 && conditions_.known(condition) == true) condition = -1;
    if ((act == Act::imin || act == Act::imax) && !is_within(node(addend).bounds, bounds_of_member())) {
      if (refused_.text.empty()) refused_ = {place.line > 0 ? place : store_.place, kCutExtreme};
      return;
    }
    changes_.push_back({store_.field, store_.element, act, addend, condition, place});
  }

  [[nodiscard]] bool is_zero(int number) const {
    const Node& value = node(number);
    if (value.act == Act::widen) return is_zero(value.operands[0]);
    return value.act == Act::constant && value.number == 0 && value.integer == 0;
  }

  int also(int condition, int other) { return condition < 0 ? other : conditions_.both(condition, other); }

  /// One of two values by a comparison with the result, among other conditions: `c && e < f.x ? e : f.x`. Returns the
  /// value before that; -1 if it is none.
  int extreme(const Node& value, int condition) {
    for (const bool first : {true, false}) {
      const int key = value.operands[first ? 1 : 2];
      const int before = value.operands[first ? 2 : 1];
      if (of_results(key) || !of_results(before)) continue;
      const int holds = first ? value.operands[0] : conditions_.opposite(value.operands[0]);
      std::optional<Extreme> extreme;
      int others = condition;
      bool fits = true;
      for (const int part : conditions_.parts(holds)) {
        if (!depends(part)) {
          others = also(others, part);
        } else if (const std::optional<Extreme> found = compared(part, key, before); found && !extreme) {
          extreme = found;
        } else {
          fits = false;
        }
      }
      if (!fits || !extreme) break;
      append(extreme->act, extreme->key, others, value.place);
      return before;
    }
    return -1;
  }

  struct Extreme {
    Act act = Act::minimum;
    int key = -1;
  };

  /// The extreme that a comparison of `key` with the older value of the result chooses. The bits of an integer above
  /// those of its type are right in the comparison.
  [[nodiscard]] std::optional<Extreme> compared(int condition, int key, int before) {
    bool opposite = false;
    const Node* less = &node(condition);
    for (; less->act == Act::opposite; less = &node(less->operands[0])) opposite = !opposite;
    if (less->act != Act::less && less->act != Act::int_less) return std::nullopt;
    for (const std::size_t side : {0U, 1U}) {
      int own = less->operands[side];
      int older = bare(less->operands[1 - side]);
      if (const Extended of_type = extended(older); of_type.of >= 0) older = bare(of_type.of);
      if (older != bare(before)) continue;
      const Extended of_own = extended(own);
      const Extended of_key = extended(key);
      const bool both = of_own.bits == of_key.bits && of_own.is_signed == of_key.is_signed && of_key.of >= 0;
      const bool is_wider = of_own.of >= 0 && (is_same(of_own.of, key) || (both && is_same(of_own.of, of_key.of)));
      if (!is_wider && !is_same(own, key)) continue;
      const bool least = (side == 0) != opposite;
      if (!is_wider) own = key;
      if (less->act == Act::less) return Extreme{least ? Act::minimum : Act::maximum, own};
      return Extreme{least ? Act::imin : Act::imax, own};
    }
    return std::nullopt;
  }

  /// An integer whose bits above its type are made those of the number, by an operation or by a mask.
  struct Extended {
    int of = -1;  // -1: it is none
    unsigned bits = 0;
    bool is_signed = false;
  };
  /// To the type of the result; other bits are another number.
  [[nodiscard]] Extended extended(int number) const {
    constexpr unsigned kBits = 8;  // of a byte
    const Field& field = function_.records[static_cast<std::size_t>(Record::result)][store_.field];
    const Extended found = extension(number);
    return found.bits == kBits * field.bytes && found.is_signed == field.is_signed ? found : Extended{};
  }
  [[nodiscard]] Extended extension(int number) const {
    const Node& value = node(number);
    if (value.act == Act::sign_extend || value.act == Act::zero_extend)
      return {value.operands[0], static_cast<unsigned>(value.integer), value.act == Act::sign_extend};
    if (value.act != Act::iand) return {};
    for (const std::size_t side : {0U, 1U}) {
      const Node& mask = node(bare(value.operands[side]));
      const auto bits = static_cast<std::uint64_t>(mask.integer);
      if (mask.act == Act::constant && bits != 0 && (bits & (bits + 1)) == 0)
        return {value.operands[1 - side], static_cast<unsigned>(std::bit_width(bits)), false};
    }
    return {};
  }

  [[nodiscard]] int bare(int number) const {
    while (node(number).act == Act::widen) number = node(number).operands[0];
    return number;
  }

  /// The same value: an expression that is written twice is computed twice here.
  [[nodiscard]] bool is_same(int one, int other) {
    const int first = bare(one);
    const int second = bare(other);
    if (first == second) return true;
    const auto [known, is_new] = same_.try_emplace(std::minmax(first, second), false);
    if (!is_new) return known->second;
    const Node& a = node(first);
    const Node& b = node(second);
    if (a.act != b.act || a.number != b.number || a.integer != b.integer) return false;
    const bool constant = a.act == Act::constant;
    if (!constant && (a.type != b.type || a.operands.size() != b.operands.size())) return false;
    if (a.act == Act::input && (a.record != b.record || a.field != b.field || a.element != b.element)) return false;
    for (std::size_t n = 0; n < a.operands.size(); ++n) {
      if (!is_same(a.operands[n], b.operands[n])) return false;
    }
    return same_[std::minmax(first, second)] = true;
  }

  [[nodiscard]] bool depends(int number) const {
    if (index(number) < of_results_.size()) return of_results(number);
    return std::ranges::any_of(node(number).operands, [&](int one) { return depends(one); });
  }

  [[nodiscard]] std::string reason(int number) const {
    const Node& value = node(number);
    if (value.act == Act::to_integer && of_results(value.operands[0])) {
      const auto& fields = function_.records[static_cast<std::size_t>(Record::result)];
      return "'" + fields[store_.field].name +
             "' is an integer and takes a sum of floating-point numbers, which C++ cuts to an integer at every pair, "
             "so "
             "that the result depends on their order: add an integer, or declare the result float or double";
    }
    return kResultForms;
  }

  PairFunction& function_;
  const Store& store_;
  Conditions& conditions_;
  Message& refused_;
  std::vector<bool> of_results_;
  std::map<int, int> older_;
  std::map<std::pair<int, int>, bool> same_;
  std::vector<Change> changes_;
};

/// Counters by an integer under a condition, `if (c) { if (n == 0) ...; if (n == 1) ...; }`: the condition goes into
/// the integer, which is none of the numbers where it does not hold. Then each counter needs one comparison alone.
class SharedConditions {
 public:
  SharedConditions(PairFunction& function, Conditions& conditions) : function_(function), conditions_(conditions) {}

  void run(std::vector<std::vector<Change>>& of_stores) {
    constexpr std::size_t kFewest = 3;  // below, the integer costs more than it saves
    std::map<std::pair<int, std::vector<int>>, std::vector<Change*>> groups;
    for (std::vector<Change>& changes : of_stores) {
      for (Change& change : changes) {
        if (const std::optional<Case> one = case_of(change.condition)) {
          groups[{one->value, one->others}].push_back(&change);
        }
      }
    }
    for (const auto& [of, changes] : groups) {
      if (changes.size() >= kFewest) share(of.first, of.second, changes);
    }
  }

 private:
  struct Case {
    int value = -1;
    int number = -1;  // node of the constant that it is compared with
    std::vector<int> others;
  };

  [[nodiscard]] const Node& node(int number) const { return function_.nodes[static_cast<std::size_t>(number)]; }

  [[nodiscard]] std::optional<Case> case_of(int condition) const {
    if (condition < 0) return std::nullopt;
    Case one;
    for (const int part : conditions_.parts(condition)) {
      const Node& equal = node(part);
      if (equal.act != Act::int_equal || node(equal.operands[1]).act != Act::constant) {
        one.others.push_back(part);
      } else if (one.value < 0) {
        one.value = equal.operands[0];
        one.number = equal.operands[1];
      } else {
        return std::nullopt;
      }
    }
    if (one.value < 0 || one.others.empty()) return std::nullopt;
    return one;
  }

  void share(int value, const std::vector<int>& others, const std::vector<Change*>& changes) {
    std::set<std::int64_t> numbers;
    for (const Change* change : changes) numbers.insert(node(case_of(change->condition)->number).integer);
    std::int64_t none = 0;
    while (numbers.contains(none)) ++none;
    int holds = others.front();
    for (const int other : others) holds = conditions_.both(holds, other);
    Node other = node(value);
    other.act = Act::constant;
    other.operands.clear();
    other.integer = none;
    function_.nodes.push_back(other);
    Node chosen = node(value);
    chosen.act = Act::select;
    chosen.operands = {holds, value, static_cast<int>(function_.nodes.size()) - 1};
    function_.nodes.push_back(chosen);
    const int shared = static_cast<int>(function_.nodes.size()) - 1;
    // An integer that was a float is below 2^22, so it is one again exactly. Then the adder compares while the integer
    // unit counts.
    constexpr std::size_t kWorthAFloat = 6;
    const bool floating = node(value).act == Act::to_integer && changes.size() >= kWorthAFloat;
    const int number = floating ? made(Act::from_integer, {shared}, 0, chosen.place) : shared;
    for (Change* change : changes) {
      const int constant = case_of(change->condition)->number;
      const std::int64_t integer = node(constant).integer;
      change->condition =
          floating ? conditions_.comparison(Act::equal, number, made(Act::constant, {}, integer, chosen.place))
                   : conditions_.comparison(Act::int_equal, shared, constant);
    }
  }

  /// A number in a short word.
  int made(Act act, std::vector<int> operands, std::int64_t number, const Place& place) {
    Node node;
    node.act = act;
    node.type = Type::float_short;
    node.operands = std::move(operands);
    node.number = static_cast<double>(number);
    node.place = place;
    function_.nodes.push_back(std::move(node));
    return static_cast<int>(function_.nodes.size()) - 1;
  }

  PairFunction& function_;
  Conditions& conditions_;
};

}  // namespace

Changes changes_of(PairFunction& function, std::vector<Message>& errors) {
  Changes changes;
  changes.numbers = keyed_numbers(function);
  Conditions conditions(function);
  for (std::size_t n = 0; n < function.stores.size(); ++n) {
    std::vector<Change>& made = changes.of_stores.emplace_back();
    const bool number =
        std::ranges::any_of(changes.numbers, [&](const KeyedNumber& one) { return one.number_store == n; });
    if (number) continue;
    Message refused;
    made = ChangeFinder(function, function.stores[n], conditions, refused).run();
    if (!refused.text.empty()) errors.push_back(std::move(refused));
  }
  if (errors.empty()) SharedConditions(function, conditions).run(changes.of_stores);
  return changes;
}

std::vector<int> Changes::roots() const {
  std::vector<int> all;
  for (const std::vector<Change>& changes : of_stores) {
    for (const Change& change : changes) {
      all.push_back(change.addend);
      if (change.condition >= 0) all.push_back(change.condition);
    }
  }
  for (const KeyedNumber& number : numbers) {
    all.push_back(number.key);
    all.push_back(number.number);
    for (const Under& condition : number.conditions) all.push_back(condition.node);
  }
  return all;
}

}  // namespace gdr::compiler
