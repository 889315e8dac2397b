// How a pair function changes its results: sums, minima and maxima in the loop, any changes at its end.
#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "lower.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

using isa::Op;
using isa::Width;

const std::vector<Field>& results(const PairFunction& function) {
  return function.records[static_cast<std::size_t>(Record::result)];
}

}  // namespace

void Lowering::write(Op op, const Operand& value, unsigned field, unsigned element, const Place& place,
                     const Truth& where) {
  const int variable = variable_of(code_, Record::result, field, element);
  const Width width = code_.variables[static_cast<std::size_t>(variable)].width;
  builder_.source(code_.variables[static_cast<std::size_t>(variable)].name, place);
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

Truth Lowering::all_of(std::vector<Under> conditions) {
  if (style_ == ConditionStyle::words) return all_words(conditions);
  std::stable_sort(conditions.begin(), conditions.end(),
                   [&](const Under& a, const Under& b) { return flags_for(a.node) > flags_for(b.node); });
  Truth all{-1, false, true};
  for (const Under& condition : conditions) {
    const Truth next = conditions.size() == 1 ? truth(condition.node) : fresh_truth(condition.node);
    all = builder_.both(all, condition.opposite ? turned(next) : next);
  }
  return all;
}

void Lowering::apply(const Change& change) {
  static constexpr ActTable<Op> kOps([](Act act) { return row_of(act).changes; }, {{Act::add, Op::FADD},
                                                                                   {Act::sub, Op::FSUB},
                                                                                   {Act::minimum, Op::FMIN},
                                                                                   {Act::maximum, Op::FMAX},
                                                                                   {Act::iadd, Op::UADD},
                                                                                   {Act::isub, Op::USUB},
                                                                                   {Act::iand, Op::UAND},
                                                                                   {Act::ior, Op::UOR},
                                                                                   {Act::ixor, Op::UXOR},
                                                                                   {Act::imin, Op::UMIN},
                                                                                   {Act::imax, Op::UMAX}});
  const Op op = kOps[change.act];
  if (style_ == ConditionStyle::words) static_cast<void>(operand(change.addend));  // before a flag is set
  Truth where{-1, false, true};
  if (change.condition >= 0) where = all_of({{change.condition, false}});
  if (where.operation < 0 && !where.known) return;
  Reduction& reduction = code_.reductions[result_index(function_, change.field, change.element)];
  const Op reduced = op == Op::FSUB ? Op::FADD : op == Op::USUB ? Op::UADD : op;
  if (reduction.used && reduction.op != reduced) {
    errors_.push_back({change.place, "a result is reduced in two ways: by " +
                                         std::string(isa::info_of(reduced).mnemonic) + " here and by " +
                                         std::string(isa::info_of(reduction.op).mnemonic) + " before"});
    return;
  }
  reduction = {reduced, true};
  write(op, operand(change.addend), change.field, change.element, change.place, where);
}

/// An integer of the machine; of a number, which is whole, the lower bits of its sum with one that has no others. A
/// number that may be beyond 0 to kLargestNumber becomes kLargestNumber there: its other bits would be those of the
/// key. Of members of j that are kept as they are, the device refuses such numbers.
Operand Lowering::whole_number(int number) {
  constexpr Bounds kFits{0, static_cast<double>(kLargestNumber)};
  const Node& node = this->node(number);
  const Operand value = operand(number);
  const bool fits = is_fitting_member(function_, number) || is_within(node.bounds, kFits);
  builder_.source(node.name, node.place);
  const Operand largest = builder_.integer(kLargestNumber, Width::long_word);
  if (!is_float(node.type)) {
    if (fits) return value;
    const Truth fitting = builder_.compare(Op::ULSR, value, builder_.integer(kNumberBits, Width::long_word),
                                           Width::long_word, isa::Condition::zero);
    return builder_.merge(builder_.copy(value, Width::long_word), largest, turned(fitting), false);
  }
  const Operand sum = builder_.operation(Op::FADD, {value, builder_.number(0x1p60)}, Width::long_word);
  const Operand lower = builder_.operation(Op::UAND, {sum, largest}, Width::long_word);
  if (fits) return lower;
  const Width width = builder_.width(value);
  const auto less = [&](const Operand& a, const Operand& b) {
    return builder_.compare(Op::FSUB, a, b, width, isa::Condition::negative);
  };
  // In a short word, kLargestNumber itself would be rounded.
  const Operand not_above = builder_.merge(lower, largest, turned(less(value, builder_.number(kFits.high + 1))), false);
  return builder_.merge(not_above, largest, less(value, builder_.number(0)), false);
}

void Lowering::accumulate(const KeyedNumber& number) {
  const Store& store = function_.stores[number.number_store];
  const Operand key = operand(number.key);
  const Operand whole = whole_number(number.number);
  const Node& of_key = node(number.key);
  builder_.source(of_key.name, of_key.place);
  const bool ordered = never_negative_[static_cast<std::size_t>(number.key)];
  const Operand word =
      is_float(of_key.type) ? builder_.numbered_key(key, ordered, whole) : builder_.numbered_integer(key, whole);
  const Truth where = all_of(number.conditions);
  if (where.operation < 0 && !where.known) return;
  const Op op = number.least ? Op::UMIN : Op::UMAX;
  code_.reductions[result_index(function_, store.field, store.element)] = {op, true};
  write(op, word, store.field, store.element, node(number.number).place, where);
}

void Lowering::accumulate_all(const Changes& changes) {
  std::vector<bool> done(function_.stores.size(), false);
  for (const KeyedNumber& number : changes.numbers) {
    if (!done[number.key_store]) {
      for (const Change& change : changes.of_stores[number.key_store]) apply(change);
    }
    accumulate(number);
    done[number.key_store] = done[number.number_store] = true;
  }
  for (std::size_t n = 0; n < function_.stores.size(); ++n) {
    if (done[n]) continue;
    for (const Change& change : changes.of_stores[n]) apply(change);
  }
}

void Lowering::assign_all(bool in_place) {
  for (const Store& store : function_.stores) {
    const int variable = variable_of(code_, store.record, store.field, store.element);
    const Width width = code_.variables[static_cast<std::size_t>(variable)].width;
    Operand value = operand(store.value);
    const bool plain = value.kind == Operand::Kind::value && (in_place || once(store.value)) &&
                       builder_.width(value) == width && value.component < 0 && !value.negated &&
                       builder_.of(value).variable < 0 && builder_.of(value).into < 0 &&
                       builder_.of(value).predicate < 0;
    builder_.source(code_.variables[static_cast<std::size_t>(variable)].name, store.place);
    if (!plain) value = builder_.copy(value, width);
    builder_.of(value).variable = variable;
  }
}

std::size_t result_index(const PairFunction& function, unsigned field, unsigned element) {
  std::size_t index = element;
  for (unsigned n = 0; n < field; ++n) index += results(function)[n].count;
  return index;
}

isa::Op reduction_of(const PairFunction& function, std::span<const Reduction> reductions, unsigned field) {
  const auto words = reductions.subspan(result_index(function, field, 0), results(function)[field].count);
  const auto changed = std::find_if(words.begin(), words.end(), [](const Reduction& one) { return one.used; });
  return changed == words.end() ? words.front().op : changed->op;
}

void check_arrays(const PairFunction& function, std::span<const Reduction> reductions, std::vector<Message>& errors) {
  const auto changed = [&](const Store& store, unsigned element) {
    return reductions[result_index(function, store.field, element)];
  };
  for (const Store& store : function.stores) {
    if (store.record != Record::result) continue;
    const Field& field = results(function)[store.field];
    const Reduction here = changed(store, store.element);
    // What no path changes is 0 in every block, and so is its sum.
    const bool keeps_zero = here.op == Op::FADD || here.op == Op::UADD || here.op == Op::UOR || here.op == Op::UXOR;
    for (unsigned element = 0; here.used && element < field.count; ++element) {
      const Reduction other = changed(store, element);
      if (other.used ? other.op == here.op : keeps_zero) continue;
      errors.push_back(
          {store.place,
           fmt::format(
               "an array of results has one reduction: {0}[{1}] is reduced by {2}, {0}[{3}] {4}; give them members "
               "of their own",
               field.name, store.element, isa::info_of(here.op).mnemonic, element,
               other.used ? fmt::format("by {}", isa::info_of(other.op).mnemonic) : "is changed by no path")});
      return;
    }
  }
}

}  // namespace gdr::compiler
