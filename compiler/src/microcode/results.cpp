// How a pair function changes its results: sums, minima and maxima in the loop, any changes at its end.
#include <algorithm>

#include "gdr/base/error.h"
#include "lower.h"

namespace gdr::compiler {
namespace {

using isa::Op;
using isa::Width;

}  // namespace

bool Lowering::is_old(int number, const Store& store) const {
  const Node& node = this->node(number);
  return node.act == Act::input && node.record == Record::result && node.field == store.field &&
         node.element == store.element;
}

bool Lowering::depends_on_results(int number) const {
  std::vector<int> open{number};
  std::set<int> seen;
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const Node& node = this->node(next);
    if (node.act == Act::input && node.record == Record::result) return true;
    open.insert(open.end(), node.operands.begin(), node.operands.end());
  }
  return false;
}

std::optional<Lowering::Sum> Lowering::chosen_extreme(const Node& node, const Store& store) const {
  const Node* condition = &this->node(node.operands[0]);
  bool opposite = false;
  for (; condition->act == Act::opposite; condition = &this->node(condition->operands[0])) opposite = !opposite;
  const bool floating = condition->act == Act::less;
  if (!floating && condition->act != Act::int_less) return std::nullopt;
  const int yes = node.operands[1];
  const int no = node.operands[2];
  const int value = is_old(yes, store) ? no : yes;
  if (!is_old(yes, store) && !is_old(no, store)) return std::nullopt;
  int first = condition->operands[0];
  const int second = condition->operands[1];
  const bool first_old = is_old(first, store);
  if (!is_same(first_old ? second : first, value) || (!first_old && !is_old(second, store))) return std::nullopt;
  const bool smaller = (is_same(yes, first) || (first_old && is_old(yes, store))) != opposite;
  if (floating) return Sum{smaller ? Op::FMIN : Op::FMAX, value};
  return Sum{smaller ? Op::UMIN : Op::UMAX, value};
}

std::optional<Lowering::Sum> Lowering::sum_of(const Node& node, const Store& store) const {
  static const std::map<Act, Op> acts{{Act::add, Op::FADD},     {Act::sub, Op::FSUB},  {Act::minimum, Op::FMIN},
                                      {Act::maximum, Op::FMAX}, {Act::iadd, Op::UADD}, {Act::isub, Op::USUB},
                                      {Act::iand, Op::UAND},    {Act::ior, Op::UOR},   {Act::ixor, Op::UXOR},
                                      {Act::imin, Op::UMIN},    {Act::imax, Op::UMAX}};
  const auto act = acts.find(node.act);
  if (act == acts.end()) return std::nullopt;
  const bool commutes = node.act != Act::sub && node.act != Act::isub;
  const bool first = is_old(node.operands[0], store) || depends_on_results(node.operands[0]);
  if (!first && !(commutes && depends_on_results(node.operands[1]))) return std::nullopt;
  return Sum{act->second, node.operands[first ? 1 : 0]};
}

void Lowering::write(Op op, const Operand& value, const Store& store, const Node& at, const Truth& where) {
  const int variable = variable_of(code_, Record::result, store.field, store.element);
  const Width width = code_.variables[static_cast<std::size_t>(variable)].width;
  builder_.source(code_.variables[static_cast<std::size_t>(variable)].name, at.place);
  const Operand old{Operand::Kind::variable, variable, -1, false};
  const Operand made = builder_.operation(op, {old, value}, width);
  Operation& operation = builder_.of(made);
  operation.variable = variable;
  operation.predicate = where.operation;
  operation.inverted = where.inverted;
  const auto before = last_writer_.find(variable);
  if (before != last_writer_.end()) operation.after = before->second;
  last_writer_[variable] = made.index;
}

/// Separates the conditions from a result that is changed under them; `changed` is then a sum or an extreme of
/// `before`.
std::optional<Lowering::Change> Lowering::change_of(int number, const Store& store) const {
  Change change;
  std::vector<int> kept;  // values of the result where a condition does not hold
  for (;;) {
    const Node& node = this->node(number);
    change.changed = number;
    if (node.act != Act::select) {
      change.sum = sum_of(node, store);
      if (change.sum) change.before = change.sum->value == node.operands[0] ? node.operands[1] : node.operands[0];
      break;
    }
    if ((change.sum = chosen_extreme(node, store))) {
      change.before = is_old(node.operands[1], store) ? node.operands[1] : node.operands[2];
      break;
    }
    // The branch that is not an older state of the result is the one that changes it.
    const bool first = !is_old(node.operands[1], store) &&
                       (is_old(node.operands[2], store) || follows(node.operands[1], node.operands[2]));
    change.conditions.push_back({node.operands[0], !first});
    kept.push_back(node.operands[first ? 2 : 1]);
    number = node.operands[first ? 1 : 2];
  }
  if (!change.sum || change.before < 0 || depends_on_results(change.sum->value)) return std::nullopt;
  const bool ordered = std::any_of(change.conditions.begin(), change.conditions.end(),
                                   [&](const Under& one) { return depends_on_results(one.node); });
  if (ordered) return std::nullopt;  // otherwise the added value would depend on the order of pairs
  const bool same = std::all_of(kept.begin(), kept.end(), [&](int one) { return one == change.before; });
  return same ? std::optional(change) : std::nullopt;
}

/// True if `later` is computed from `earlier`.
bool Lowering::follows(int later, int earlier) const {
  std::vector<int> open{later};
  std::set<int> seen;
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (next == earlier) return true;
    if (!seen.insert(next).second) continue;
    open.insert(open.end(), node(next).operands.begin(), node(next).operands.end());
  }
  return false;
}

Truth Lowering::all_of(std::vector<Under> conditions) {
  std::stable_sort(conditions.begin(), conditions.end(),
                   [&](const Under& a, const Under& b) { return flags_for(a.node) > flags_for(b.node); });
  Truth all{-1, false, true};
  for (const Under& condition : conditions) {
    const Truth next = conditions.size() == 1 ? truth(condition.node) : fresh_truth(condition.node);
    all = builder_.both(all, condition.opposite ? turned(next) : next);
  }
  return all;
}

/// Collects branches that each change the result as it was before the pair, under conditions that exclude one another.
bool Lowering::gather(int number, const Store& store, std::vector<Under>& conditions,
                      std::vector<Change>& changes) const {
  const Node& node = this->node(number);
  if (is_old(number, store)) return true;
  if (node.act == Act::select && !chosen_extreme(node, store)) {
    if (depends_on_results(node.operands[0])) return false;
    for (const bool opposite : {false, true}) {
      conditions.push_back({node.operands[0], opposite});
      if (!gather(node.operands[opposite ? 2 : 1], store, conditions, changes)) return false;
      conditions.pop_back();
    }
    return true;
  }
  std::optional<Change> change = change_of(number, store);
  if (!change || !change->conditions.empty() || !is_old(change->before, store)) return false;
  change->conditions = conditions;
  changes.push_back(*std::move(change));
  return true;
}

/// Appends the operations that lead from the result before the pair to `number`; false if that is no sum.
bool Lowering::accumulate(int number, const Store& store) {
  if (is_old(number, store)) return true;
  if (const std::optional<Change> change = change_of(number, store)) {
    if (!accumulate(change->before, store)) return false;
    apply(*change, store);
    return true;
  }
  std::vector<Under> conditions;
  std::vector<Change> changes;
  if (!gather(number, store, conditions, changes) || changes.empty()) return false;
  for (const Change& change : changes) apply(change, store);
  return true;
}

void Lowering::apply(Change change, const Store& store) {
  Sum sum = *change.sum;
  // If 0 is added under a condition, the sum is written only under the opposite condition.
  const Node* added = &this->node(sum.value);
  if (added->act == Act::widen) added = &this->node(added->operands[0]);
  const bool adds = sum.op == Op::FADD || sum.op == Op::FSUB || sum.op == Op::UADD || sum.op == Op::USUB;
  if (adds && added->act == Act::select && (is_zero(added->operands[1]) || is_zero(added->operands[2]))) {
    const bool zero_first = is_zero(added->operands[1]);
    change.conditions.push_back({added->operands[0], zero_first});
    sum.value = added->operands[zero_first ? 2 : 1];
  }
  const Truth where = all_of(change.conditions);
  if (where.operation < 0 && !where.known) return;
  const Node& changed = this->node(change.changed);
  Reduction& reduction = code_.reductions[result_index(function_, store.field, store.element)];
  const Op op = sum.op == Op::FSUB ? Op::FADD : sum.op == Op::USUB ? Op::UADD : sum.op;
  if (reduction.used && reduction.op != op) {
    errors_.push_back({changed.place, "a result is reduced in two ways: by " + std::string(isa::info_of(op).mnemonic) +
                                          " here and by " + std::string(isa::info_of(reduction.op).mnemonic) +
                                          " before"});
    return;
  }
  reduction = {op, true};
  write(sum.op, operand(sum.value), store, changed, where);
}

/// An integer of the machine; of a number, which is whole, the lower bits of its sum with one that has no others.
Operand Lowering::whole_number(int number) {
  const Node& node = this->node(number);
  const Operand value = operand(number);
  if (!is_float(node.type)) return value;
  builder_.source(node.name, node.place);
  const Operand sum = builder_.operation(Op::FADD, {value, builder_.number(0x1p60)}, Width::long_word);
  return builder_.operation(Op::UAND, {sum, builder_.integer(kLargestNumber, Width::long_word)}, Width::long_word);
}

void Lowering::accumulate(const KeyedNumber& number) {
  const Store& store = function_.stores[number.number_store];
  const Operand key = operand(number.key);
  const Operand whole = whole_number(number.number);
  const Node& of_key = node(number.key);
  builder_.source(of_key.name, of_key.place);
  const bool ordered = never_negative_[static_cast<std::size_t>(number.key)];
  const Operand word = builder_.numbered_key(key, ordered, whole);
  const Truth where = all_of(number.conditions);
  if (where.operation < 0 && !where.known) return;
  const Op op = number.least ? Op::UMIN : Op::UMAX;
  code_.reductions[result_index(function_, store.field, store.element)] = {op, true};
  write(op, word, store, node(number.number), where);
}

void Lowering::accumulate_all() {
  std::vector<bool> done(function_.stores.size(), false);
  for (const KeyedNumber& number : keyed_numbers(function_)) {
    const Store& store = function_.stores[number.key_store];
    if (!done[number.key_store]) {
      const Sum least_key{number.least ? Op::FMIN : Op::FMAX, number.key};
      apply({store.value, -1, least_key, number.conditions}, store);
    }
    accumulate(number);
    done[number.key_store] = done[number.number_store] = true;
  }
  for (std::size_t n = 0; n < function_.stores.size(); ++n) {
    const Store& store = function_.stores[n];
    if (done[n]) continue;
    if (const std::optional<KeptKey> key = kept_key(function_, store)) {
      apply({store.value, -1, Sum{key->least ? Op::FMIN : Op::FMAX, key->key}, key->conditions}, store);
    } else if (!accumulate(store.value, store)) {
      errors_.push_back({store.place, kResultForms});
    }
  }
}

void Lowering::assign_all() {
  for (const Store& store : function_.stores) {
    const int variable = variable_of(code_, Record::result, store.field, store.element);
    const Width width = code_.variables[static_cast<std::size_t>(variable)].width;
    Operand value = operand(store.value);
    const bool plain = value.kind == Operand::Kind::value && once(store.value) && builder_.width(value) == width &&
                       !value.negated && builder_.of(value).variable < 0 && builder_.of(value).into < 0 &&
                       builder_.of(value).predicate < 0;
    builder_.source(code_.variables[static_cast<std::size_t>(variable)].name, store.place);
    if (!plain) value = builder_.copy(value, width);
    builder_.of(value).variable = variable;
  }
}

std::size_t result_index(const PairFunction& function, unsigned field, unsigned element) {
  std::size_t index = element;
  const auto& fields = function.records[static_cast<std::size_t>(Record::result)];
  for (unsigned n = 0; n < field; ++n) index += fields[n].count;
  return index;
}

}  // namespace gdr::compiler
