#include "nearest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "acts.h"

namespace gdr::compiler {
namespace {

/// Integers that fit beside a number.
constexpr Bounds kKeys{-0x1p35, 0x1p35 - 1};

constexpr const char* kNumberAtTheEnd =
    "the number of a least or greatest key stands in one word with it until the host has it: the function for the end "
    "can neither read nor write it";

constexpr const char* kNumberBeyond =
    "what belongs to a least or greatest key shares a word with it and must be from 0 to 2^28 - 1: this is never "
    "there; add what brings it there, and subtract it on the host";

class NearestFinder {
 public:
  explicit NearestFinder(const PairFunction& function) : function_(function) {
    for (const Node& next : function.nodes) {  // operands come before the operations that use them
      const bool old = next.act == Act::input && next.record == Record::result;
      of_results_.push_back(
          old || std::any_of(next.operands.begin(), next.operands.end(), [&](int one) { return of_results(one); }));
    }
  }

  [[nodiscard]] std::vector<KeyedNumber> run() const {
    std::vector<KeyedNumber> found;
    for (std::size_t n = 0; n < function_.stores.size(); ++n) {
      if (std::optional<KeyedNumber> one = number_of(n)) found.push_back(*std::move(one));
    }
    return found;
  }

 private:
  [[nodiscard]] const Node& node(int number) const { return function_.nodes[static_cast<std::size_t>(number)]; }

  [[nodiscard]] bool is_old(int number, const Store& store) const {
    const Node& old = node(number);
    return old.act == Act::input && old.record == Record::result && old.field == store.field &&
           old.element == store.element;
  }

  [[nodiscard]] bool of_results(int number) const { return of_results_[static_cast<std::size_t>(number)]; }

  /// True if two nodes are found to be the same value; only some levels are compared.
  [[nodiscard]] bool same(int one, int other, int levels = 8) const {
    if (one == other) return true;
    if (levels == 0) return false;
    const Node& a = node(one);
    const Node& b = node(other);
    if (a.act != b.act || a.type != b.type || a.number != b.number || a.integer != b.integer || a.record != b.record ||
        a.field != b.field || a.element != b.element || a.operands.size() != b.operands.size()) {
      return false;
    }
    for (std::size_t n = 0; n < a.operands.size(); ++n) {
      if (!same(a.operands[n], b.operands[n], levels - 1)) return false;
    }
    return true;
  }

  static bool is_extreme(Act act, bool least) {
    return least ? act == Act::minimum || act == Act::imin : act == Act::maximum || act == Act::imax;
  }

  /// Splits a condition into conditions that must all hold.
  void take_apart(Under one, std::vector<Under>& all) const {
    const Node& condition = node(one.node);
    if (condition.act == Act::opposite) return take_apart({condition.operands[0], !one.opposite}, all);
    if (condition.act != (one.opposite ? Act::either : Act::both)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Under& other) {
        return other.opposite == one.opposite && same(other.node, one.node);
      });
      if (!known) all.push_back(one);
      return;
    }
    for (const int operand : condition.operands) take_apart({operand, one.opposite}, all);
  }

  struct Taken {
    int value = -1;
    std::vector<Under> conditions;
  };

  /// The new value of a result and its conditions; where a condition does not hold, the result stays.
  [[nodiscard]] std::optional<Taken> taken(const Store& store) const {
    Taken made{store.value, {}};
    for (;;) {
      const Node& choice = node(made.value);
      if (choice.act != Act::select) break;
      const bool first_old = is_old(choice.operands[1], store);
      if (!first_old && !is_old(choice.operands[2], store)) break;
      take_apart({choice.operands[0], first_old}, made.conditions);
      made.value = choice.operands[first_old ? 2 : 1];
    }
    if (made.conditions.empty() && !is_extreme(node(made.value).act, true) && !is_extreme(node(made.value).act, false))
      return std::nullopt;
    return made;
  }

  struct Comparison {
    int key = -1;
    int old = -1;
    bool least = true;
  };

  /// The comparison of a key with the old value of a result.
  [[nodiscard]] std::optional<Comparison> comparison(const Under& condition) const {
    const Node& less = node(condition.node);
    if (less.act != Act::less && less.act != Act::int_less) return std::nullopt;
    const int first = less.operands[0];
    const int second = less.operands[1];
    const auto result = [&](int number) {
      return node(number).act == Act::input && node(number).record == Record::result;
    };
    if (result(second) && !of_results(first)) return Comparison{first, second, !condition.opposite};
    if (result(first) && !of_results(second)) return Comparison{second, first, condition.opposite};
    return std::nullopt;
  }

  [[nodiscard]] bool alike(const std::vector<Under>& some, const std::vector<Under>& others) const {
    const auto within = [&](const Under& one) {
      return std::any_of(others.begin(), others.end(), [&](const Under& other) {
        return one.opposite == other.opposite && same(one.node, other.node);
      });
    };
    return some.size() == others.size() && std::all_of(some.begin(), some.end(), within);
  }

  static std::vector<Under> without(std::vector<Under> conditions, std::size_t n) {
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(n));
    return conditions;
  }

  [[nodiscard]] bool any_of_results(const std::vector<Under>& conditions) const {
    return std::any_of(conditions.begin(), conditions.end(), [&](const Under& one) { return of_results(one.node); });
  }

  /// True if a store keeps the least, or greatest, value of the key that a number belongs to.
  [[nodiscard]] bool keeps_key(const Store& store, const Comparison& compared, const std::vector<Under>& all,
                               const std::vector<Under>& others) const {
    if (!is_old(compared.old, store)) return false;
    const std::optional<Taken> key = taken(store);
    if (!key) return false;
    if (same(key->value, compared.key)) return alike(key->conditions, all);
    const Node& extreme = node(key->value);
    if (!is_extreme(extreme.act, compared.least)) return false;
    const int value = extreme.operands[is_old(extreme.operands[0], store) ? 1 : 0];
    const bool of_old = is_old(extreme.operands[0], store) || is_old(extreme.operands[1], store);
    return of_old && same(value, compared.key) && alike(key->conditions, others);
  }

  [[nodiscard]] std::optional<KeyedNumber> number_of(std::size_t at) const {
    const Store& store = function_.stores[at];
    const std::optional<Taken> number = taken(store);
    if (!number || of_results(number->value)) return std::nullopt;
    for (std::size_t n = 0; n < number->conditions.size(); ++n) {
      const std::optional<Comparison> compared = comparison(number->conditions[n]);
      if (!compared || is_old(compared->old, store)) continue;
      std::vector<Under> others = without(number->conditions, n);
      if (any_of_results(others)) continue;
      for (std::size_t key = 0; key < function_.stores.size(); ++key) {
        if (!keeps_key(function_.stores[key], *compared, number->conditions, others)) continue;
        return KeyedNumber{at, key, number->value, compared->key, compared->least, std::move(others)};
      }
    }
    return std::nullopt;
  }

  const PairFunction& function_;
  std::vector<bool> of_results_;
};

void widen(PairFunction& function) {
  const auto one = [](Type& type) { type = type == Type::int_short ? Type::int_long : type; };
  for (std::vector<Field>& fields : function.records) {
    for (Field& field : fields) one(field.type);
  }
  for (Node& node : function.nodes) one(node.type);
}

/// True if both factors are the same value, in one width or two.
bool is_square(const PairFunction& function, const Node& product) {
  const auto narrow = [&](int number) {
    while (function.nodes[static_cast<std::size_t>(number)].act == Act::widen)
      number = function.nodes[static_cast<std::size_t>(number)].operands[0];
    return number;
  };
  return narrow(product.operands[0]) == narrow(product.operands[1]);
}

/// True if an int becomes a long somewhere, or a long an int.
bool mixes_integers(const PairFunction& function) {
  return std::ranges::any_of(function.nodes,
                             [](const Node& node) { return node.act == Act::widen && !is_float(node.type); });
}

void settle_integers_of_experiments(Imported& imported) {
  // Results are long words.
  bool mixed = std::ranges::any_of(imported.finish.records[static_cast<std::size_t>(Record::result)],
                                   [](const Field& field) { return field.type == Type::int_short; });
  for (const PairFunction* function : {&imported.begin, &imported.body, &imported.finish}) {
    mixed = mixed || mixes_integers(*function);
  }
  if (!mixed) return;
  for (PairFunction* function : {&imported.begin, &imported.body, &imported.finish}) widen(*function);
}

/// The node without changes of its width and type.
int bare(const PairFunction& function, int number) {
  const auto at = [&]() -> const Node& { return function.nodes[static_cast<std::size_t>(number)]; };
  while (at().act == Act::widen || at().act == Act::from_integer) number = at().operands[0];
  return number;
}

/// The member of j that a node is, whatever its width or type; null if it is none.
const Node* member_of_j(const PairFunction& function, int number) {
  const Node& node = function.nodes[static_cast<std::size_t>(bare(function, number))];
  return node.act == Act::input && node.record == Record::j ? &node : nullptr;
}

/// True if an integer becomes a number in a short word on the way to this node.
bool is_rounded(const PairFunction& function, int number) {
  const Node* at = &function.nodes[static_cast<std::size_t>(number)];
  while (at->act == Act::widen) at = &function.nodes[static_cast<std::size_t>(at->operands[0])];
  return at->act == Act::from_integer && at->type == Type::float_short;
}

/// True if a condition compares a member of j with a constant.
bool tests(const PairFunction& function, int condition, const Node& member) {
  const Node& node = function.nodes[static_cast<std::size_t>(condition)];
  if (node.type != Type::truth) return false;
  const auto is_constant = [&](int operand) {
    return function.nodes[static_cast<std::size_t>(bare(function, operand))].act == Act::constant;
  };
  const auto is_member = [&](int operand) {
    const Node* const other = member_of_j(function, operand);
    return other != nullptr && other->field == member.field && other->element == member.element;
  };
  return (std::ranges::any_of(node.operands, is_constant) && std::ranges::any_of(node.operands, is_member)) ||
         std::ranges::any_of(node.operands, [&](int operand) { return tests(function, operand, member); });
}

/// Marks the members of j that are numbers beside keys. A member is Kept::tested only if every result that keeps it has
/// a condition that tests it.
void mark_kept(Imported& imported) {
  PairFunction& body = imported.body;
  std::vector<Field>& fields = body.records[static_cast<std::size_t>(Record::j)];
  std::vector<std::vector<bool>> kept(fields.size());  // by element
  std::vector<Place> places(fields.size());
  for (const KeyedNumber& one : keyed_numbers(body)) {
    const Node* const member = member_of_j(body, one.number);
    if (member == nullptr) continue;
    Field& field = fields[member->field];
    const bool tested =
        std::ranges::any_of(one.conditions, [&](const Under& each) { return tests(body, each.node, *member); });
    field.kept = tested && field.kept != Kept::fitting ? Kept::tested : Kept::fitting;
    kept[member->field].resize(field.count);
    kept[member->field][member->element] = true;
    places[member->field] = body.stores[one.number_store].place;
  }
  for (std::size_t n = 0; n < fields.size(); ++n) {
    if (std::ranges::count(kept[n], false) == 0) continue;
    imported.errors.push_back({places[n],
                               "some elements of this array of j are kept beside a least or greatest key, and others "
                               "are not: make them members of their own"});
  }
}

/// A comparison takes an `int` as a number, whose word may have further bits, which C++ has cut off. A result that a
/// comparison chooses takes the same number, so that both are seen to be one value.
void take_compared_numbers(PairFunction& function) {
  constexpr int kIntBits = 32;
  std::map<int, int> number_of;  // by word
  std::vector<bool> of_results;
  for (std::size_t n = 0; n < function.nodes.size(); ++n) {
    Node& node = function.nodes[n];
    const auto depends = [&](std::size_t operand) -> bool {
      return of_results[static_cast<std::size_t>(node.operands[operand])];
    };
    bool any = node.act == Act::input && node.record == Record::result;
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) any = any || depends(operand);
    of_results.push_back(any);
    if (node.type != Type::int_short) continue;
    if (node.act == Act::sign_extend && node.integer == kIntBits)
      number_of.emplace(node.operands[0], static_cast<int>(n));
    if (node.act != Act::select || !depends(0) || depends(1) == depends(2)) continue;
    int& chosen = node.operands[depends(1) ? 2 : 1];
    if (const auto found = number_of.find(chosen); found != number_of.end()) chosen = found->second;
  }
}

}  // namespace

std::vector<KeyedNumber> keyed_numbers(const PairFunction& function) { return NearestFinder(function).run(); }

bool is_fitting_member(const PairFunction& function, int node) {
  const Node* const member = member_of_j(function, node);
  if (member == nullptr) return false;
  const std::vector<Field>& fields = function.records[static_cast<std::size_t>(Record::j)];
  return fields[member->field].kept == Kept::fitting && !is_rounded(function, node);
}

void require_whole_numbers(Imported& imported) {
  const PairFunction& body = imported.body;
  std::vector<bool> whole;  // by node; operands come before the operations that use them
  for (const Node& node : body.nodes) {
    const auto all_whole = [&](std::size_t first) {
      return std::all_of(node.operands.begin() + static_cast<std::ptrdiff_t>(first), node.operands.end(),
                         [&](int operand) { return whole[static_cast<std::size_t>(operand)]; });
    };
    const bool rounds = node.act == Act::floor || node.act == Act::ceil || node.act == Act::trunc ||
                        node.act == Act::round || node.act == Act::nearest || node.act == Act::from_integer;
    const bool keeps = node.act == Act::widen || node.act == Act::narrow || node.act == Act::add ||
                       node.act == Act::sub || node.act == Act::mul || node.act == Act::negate ||
                       node.act == Act::absolute || node.act == Act::minimum || node.act == Act::maximum;
    const bool constant = node.act == Act::constant && node.number == std::trunc(node.number);
    whole.push_back(!is_float(node.type) || rounds || constant || (keeps && all_whole(0)) ||
                    (node.act == Act::select && all_whole(1)));
  }
  for (const KeyedNumber& one : keyed_numbers(body)) {
    if (whole[static_cast<std::size_t>(one.number)]) continue;
    imported.errors.push_back({body.stores[one.number_store].place,
                               "what belongs to a least or greatest key shares a word with it and must be whole, from "
                               "0 to 2^28 - 1: make it an int, such as the number of the j, or round it"});
  }
}

void settle_numbers(Imported& imported) {
  if (imported.experiment) return settle_integers_of_experiments(imported);
  PairFunction& body = imported.body;
  take_compared_numbers(body);
  std::vector<Field>& results = body.records[static_cast<std::size_t>(Record::result)];
  std::vector<bool> is_number(body.stores.size(), false);
  bool has_short = false;
  for (const KeyedNumber& one : keyed_numbers(body)) {
    const Store& store = body.stores[one.number_store];
    is_number[one.number_store] = true;
    results[store.field].numbered = true;
    const Node& key = body.nodes[static_cast<std::size_t>(one.key)];
    for (const Type type : {body.nodes[static_cast<std::size_t>(one.number)].type, key.type}) {
      has_short = has_short || type == Type::int_short;
    }
    if (key.type == Type::int_long && !is_within(key.bounds, kKeys)) {
      imported.errors.push_back(
          {body.stores[one.key_store].place,
           "a key that a number belongs to shares a word with it and has 36 bits: make it an int"});
    }
  }
  for (const KeyedNumber& one : keyed_numbers(body)) {
    const Bounds& bounds = body.nodes[static_cast<std::size_t>(one.number)].bounds;
    if (bounds.high >= 0 && bounds.low <= static_cast<double>(kLargestNumber)) continue;
    imported.errors.push_back({body.stores[one.number_store].place, kNumberBeyond});
  }
  for (std::size_t n = 0; n < body.stores.size(); ++n) {
    if (!results[body.stores[n].field].numbered || is_number[n]) continue;
    imported.errors.push_back({body.stores[n].place,
                               "some elements of this array are numbers that belong to a least or greatest key, and "
                               "others are not: make them members of their own"});
  }
  if (has_short || mixes_integers(body) || mixes_integers(imported.finish)) widen(body), widen(imported.finish);
  for (Field& field : results) {
    if (field.numbered) field.type = Type::int_long;
  }
  mark_kept(imported);
  imported.finish.records = body.records;
  for (const Node& node : imported.finish.nodes) {
    if (node.act == Act::input && node.record == Record::result && results[node.field].numbered)
      imported.errors.push_back({node.place, kNumberAtTheEnd});
  }
  for (const Store& store : imported.finish.stores) {
    if (results[store.field].numbered) imported.errors.push_back({store.place, kNumberAtTheEnd});
  }
}

std::vector<bool> never_negative(const PairFunction& function) {
  std::vector<bool> never;
  const auto is_never = [&](const Node& node) -> bool {
    const auto operand = [&](std::size_t n) -> bool { return never[static_cast<std::size_t>(node.operands[n])]; };
    switch (row_of(node.act).never_negative) {
      case NeverNegative::unknown:
        return false;
      case NeverNegative::always:
        return true;
      case NeverNegative::of_constant:
        return node.number >= 0;
      case NeverNegative::of_product:
        return is_square(function, node) || (operand(0) && operand(1));
      case NeverNegative::of_both:
        return operand(0) && operand(1);
      case NeverNegative::of_either:
        return operand(0) || operand(1);
      case NeverNegative::of_first:
        return operand(0);
      case NeverNegative::of_choice:
        return operand(1) && operand(2);
    }
    return false;
  };
  for (const Node& node : function.nodes) never.push_back(is_never(node));
  return never;
}

}  // namespace gdr::compiler
