#include "lower.h"

#include <algorithm>
#include <cmath>

#include "gdr/base/error.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

Width width_of(Type type) { return is_long(type) ? Width::long_word : Width::short_word; }

}  // namespace

int variable_of(const Microcode& code, Record record, unsigned field, unsigned element) {
  for (std::size_t n = 0; n < code.variables.size(); ++n) {
    const Variable& variable = code.variables[n];
    if (!variable.own && variable.record == record && variable.field == field && variable.element == element) {
      return static_cast<int>(n);
    }
  }
  GDR_ASSERT(false, "every field has a variable");
  return -1;
}

bool sets_too_many_flags(const PairFunction& function, const std::vector<int>& roots) {
  constexpr double kMostFlags = 2000;  // a loop of so many lines at least, beside what it computes
  const std::size_t nodes = function.nodes.size();
  std::vector<double> flags(nodes, 0);  // that a truth takes, set anew; operands come before
  for (std::size_t n = 0; n < nodes; ++n) {
    const Node& node = function.nodes[n];
    if (node.type != Type::truth || node.act == Act::constant) continue;
    flags[n] = node.act == Act::opposite ? 0 : 1;
    if (family_of(node.act) != Family::logic) continue;
    for (const int operand : node.operands) flags[n] += flags[static_cast<std::size_t>(operand)];
  }
  std::vector<bool> needed(nodes, false);
  double all = 0;
  for (const int root : roots) {
    needed[static_cast<std::size_t>(root)] = true;
    all += flags[static_cast<std::size_t>(root)];
  }
  for (std::size_t n = nodes; n-- > 0;) {
    if (!needed[n]) continue;
    const bool reads = family_of(function.nodes[n].act) != Family::logic;
    for (const int operand : function.nodes[n].operands) {
      needed[static_cast<std::size_t>(operand)] = true;
      if (reads) all += flags[static_cast<std::size_t>(operand)];
    }
  }
  return all > kMostFlags;
}

Lowering::Lowering(const PairFunction& function, const std::vector<int>& roots, Microcode& code, Operations& section,
                   std::vector<Message>& errors, ConditionStyle style)
    : function_(function),
      code_(code),
      errors_(errors),
      builder_(code, section),
      style_(style),
      uses_(function.nodes.size(), 0),
      never_negative_(never_negative(function)) {
  builder_.test_apart(style == ConditionStyle::words);
  std::vector<bool> seen(function.nodes.size(), false);
  std::vector<int> open = roots;
  for (const int root : roots) ++uses_[static_cast<std::size_t>(root)];
  while (!open.empty()) {
    const auto next = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[next]) continue;
    seen[next] = true;
    for (const int operand : function.nodes[next].operands) {
      ++uses_[static_cast<std::size_t>(operand)];
      open.push_back(operand);
    }
  }
}

Operand Lowering::refuse(const Node& at, std::string text) {
  errors_.push_back({at.place, std::move(text)});
  return builder_.number(0);
}

Operand Lowering::operand(int number) {
  const auto known = values_.find(number);
  if (known != values_.end()) return known->second;
  const Operand value = made(number);
  values_[number] = value;
  const Node& node = this->node(number);
  if (value.kind == Operand::Kind::value && value.component < 0 && !value.negated && !node.holders.empty()) {
    Operation& last = builder_.of(value);
    last.holders.insert(last.holders.end(), node.holders.begin(), node.holders.end());
    last.type = node.type;
  }
  return value;
}

Operand Lowering::made(int number) {
  const Node& node = this->node(number);
  const Width width = width_of(node.type);
  const Family family = family_of(node.act);
  switch (family) {
    case Family::constant:
      if (node.type == Type::float_short) return builder_.short_number(node.number);
      return is_float(node.type) ? builder_.number(node.number) : builder_.integer(node.integer, width);
    case Family::input:
      return {Operand::Kind::variable, variable_of(code_, node.record, node.field, node.element), -1, false};
    case Family::widen:
      return operand(node.operands[0]);
    case Family::negate: {
      Operand value = operand(node.operands[0]);
      value.negated = !value.negated;
      return value;
    }
    case Family::narrow:
      return narrowed(number);
    case Family::select:
      return choice(number);
    case Family::comparison:
    case Family::logic:
      return refuse(node, "an operation that has no counterpart on the machine");
    case Family::number:
    case Family::from_integer:
    case Family::integer:
      break;
  }
  if (const std::optional<Operand> sum = sum_where(node, width)) return *sum;
  for (const int needed : node.operands)
    static_cast<void>(this->node(needed).type == Type::truth || (operand(needed), true));
  builder_.source(node.name, node.place);
  return family == Family::integer ? integer(node, width) : floating(node, width);
}

Operand Lowering::narrowed(int number) {
  const Node& node = this->node(number);
  const Node& wide = this->node(node.operands[0]);
  if (wide.act == Act::constant) return builder_.short_number(static_cast<double>(static_cast<float>(wide.number)));
  const bool rounds_itself = wide.act == Act::add || wide.act == Act::sub || wide.act == Act::mul ||
                             wide.act == Act::minimum || wide.act == Act::maximum;
  if (rounds_itself) {
    for (const int needed : wide.operands) static_cast<void>(operand(needed));
    builder_.source(node.name.empty() ? wide.name : node.name, wide.place);
    return floating(wide, Width::short_word);
  }
  const Operand value = operand(node.operands[0]);
  builder_.source(node.name, node.place);
  return builder_.width(value) == Width::short_word ? value
                                                    : builder_.operation(Op::FPASSA, {value}, Width::short_word);
}

Operand Lowering::floating(const Node& node, Width width) {
  using B = Builder;
  using Of = const Floating&;
  static constexpr ActTable<Operand (*)(Of)> kForms(
      [](Act act) { return family_of(act) == Family::number || family_of(act) == Family::from_integer; },
      {{Act::add, [](Of of) { return of.operation(Op::FADD); }},
       {Act::sub, [](Of of) { return of.operation(Op::FSUB); }},
       {Act::minimum, [](Of of) { return of.operation(Op::FMIN); }},
       {Act::maximum, [](Of of) { return of.operation(Op::FMAX); }},
       {Act::mul, [](Of of) { return of.in.builder_.product(of.x, of.y, of.width); }},
       {Act::div, [](Of of) { return of.in.quotient(of.node, of.width); }},
       {Act::absolute, [](Of of) { return of.in.builder_.absolute(of.x); }},
       {Act::copysign, [](Of of) { return of.in.builder_.copysign(of.in.builder_.settled(of.x, of.width), of.y); }},
       {Act::fraction, [](Of of) { return of.in.builder_.fraction(of.x, of.width); }},
       {Act::nearest, [](Of of) { return of.whole(&B::nearest); }},
       {Act::floor, [](Of of) { return of.whole(&B::floor); }},
       {Act::ceil, [](Of of) { return of.whole(&B::ceil); }},
       {Act::trunc, [](Of of) { return of.whole(&B::trunc); }},
       {Act::round, [](Of of) { return of.whole(&B::round); }},
       {Act::from_integer, [](Of of) { return of.whole(&B::from_integer); }},
       {Act::sqrt, [](Of of) { return of.of(&B::sqrt, &B::sqrt_long); }},
       {Act::rsqrt, [](Of of) { return of.in_short(&B::rsqrt_or_zero); }},
       {Act::reciprocal, [](Of of) { return of.in_short(&B::reciprocal_or_zero); }},
       {Act::power, [](Of of) { return of.of(&B::power, &B::power_long); }},
       {Act::atan2, [](Of of) { return of.of(&B::atan2, &B::atan2_long); }},
       {Act::hypot, [](Of of) { return of.of(&B::hypot, &B::hypot_long); }},
       {Act::cube_root, [](Of of) { return of.of(&B::cube_root, &B::cube_root_long); }},
       {Act::erf, [](Of of) { return of.of(&B::erf, &B::erf_long); }},
       {Act::erfc, [](Of of) { return of.of(&B::erfc, &B::erfc_long); }},
       {Act::sin, [](Of of) { return of.circular(0); }},
       {Act::cos, [](Of of) { return of.circular(1); }},
       {Act::tan, [](Of of) { return of.of(&B::tan, &B::tan_long); }},
       {Act::tanh, [](Of of) { return of.of(&B::tanh, &B::tanh_long); }},
       {Act::exp, [](Of of) { return of.of(&B::exp, &B::exp_long); }},
       {Act::exp2, [](Of of) { return of.of(&B::exp2, &B::exp2_long); }},
       {Act::expm1, [](Of of) { return of.of(&B::expm1, &B::expm1_long); }},
       {Act::log, [](Of of) { return of.of(&B::log, &B::log_long); }},
       {Act::log2, [](Of of) { return of.of(&B::log2, &B::log2_long); }},
       {Act::log10, [](Of of) { return of.of(&B::log10, &B::log10_long); }},
       {Act::log1p, [](Of of) { return of.of(&B::log1p, &B::log1p_long); }}});
  return kForms[node.act]({*this, node, width, operand(node.operands[0]),
                           node.operands.size() > 1 ? operand(node.operands[1]) : Operand{},
                           this->node(node.operands[0]).bounds});
}

Operand Lowering::quotient(const Node& node, Width width) {
  const Node& dividend = this->node(node.operands[0]);
  const Node& divisor = this->node(node.operands[1]);
  const bool wide = width == Width::long_word;
  const Operand a = operand(node.operands[0]);
  const bool one = dividend.act == Act::constant && dividend.number == 1;
  if (divisor.act == Act::sqrt && once(node.operands[1])) {
    const Operand x = operand(divisor.operands[0]);
    const Operand inverse = wide ? builder_.rsqrt_long(x) : builder_.rsqrt(x);
    return one ? inverse : builder_.product(inverse, a, width);
  }
  const Operand b = operand(node.operands[1]);
  if (!wide) return one ? builder_.reciprocal(b) : builder_.quotient(a, b);
  // Of which the reciprocal is a number: what is done for larger ones changes nothing.
  constexpr double kOrdinary = 0x1p900;
  if (divisor.act == Act::constant && std::fabs(divisor.number) <= kOrdinary) {
    const Operand inverse = builder_.plain_reciprocal_long(b);
    return one ? inverse : builder_.product(inverse, a, width);
  }
  return one ? builder_.reciprocal_long(b) : builder_.quotient_long(a, b);
}

Operand Lowering::integer(const Node& node, Width width) {
  using Of = const Whole&;
  static constexpr ActTable<Operand (*)(Of)> kForms(
      [](Act act) { return family_of(act) == Family::integer; },
      {{Act::iadd, [](Of of) { return of.operation(Op::UADD); }},
       {Act::isub, [](Of of) { return of.operation(Op::USUB); }},
       {Act::iand, [](Of of) { return of.operation(Op::UAND); }},
       {Act::ior, [](Of of) { return of.operation(Op::UOR); }},
       {Act::ixor, [](Of of) { return of.operation(Op::UXOR); }},
       {Act::shift_left, [](Of of) { return of.operation(Op::ULSL); }},
       {Act::shift_right, [](Of of) { return of.operation(Op::UASR); }},
       {Act::shift_right_unsigned, [](Of of) { return of.operation(Op::ULSR); }},
       {Act::imin, [](Of of) { return of.operation(Op::UMIN); }},
       {Act::imax, [](Of of) { return of.operation(Op::UMAX); }},
       {Act::to_integer,
        [](Of of) { return of.builder.to_integer(of.a, of.width, of.node.bounds, of.node.saturates); }},
       {Act::exponent, [](Of of) { return of.builder.exponent(of.a, of.width); }},
       {Act::sign_extend, [](Of of) { return of.builder.sign_extended(of.a, of.bits()); }},
       {Act::zero_extend, [](Of of) { return of.builder.zero_extended(of.a, of.bits()); }},
       {Act::leading_zeros, [](Of of) { return of.builder.leading_zeros(of.a, of.bits()); }},
       {Act::imul, [](Of of) { return of.builder.integer_product(of.a, of.of_a, of.b, of.of_b, of.node.bounds); }},
       {Act::idiv, [](Of of) { return of.builder.integer_quotient(of.a, of.of_a, of.b, of.of_b, false); }},
       {Act::iremainder, [](Of of) { return of.builder.integer_quotient(of.a, of.of_a, of.b, of.of_b, true); }}});
  Whole of{builder_, node, width, operand(node.operands[0]), {}, this->node(node.operands[0]).bounds, {}};
  if (node.operands.size() > 1) {
    of.b = operand(node.operands[1]);
    of.of_b = this->node(node.operands[1]).bounds;
    // A line has one immediate.
    if (of.a.kind == Operand::Kind::literal && of.b.kind == Operand::Kind::literal)
      of.a = builder_.copy(of.a, builder_.width(of.a));
  }
  return kForms[node.act](of);
}

Operand Lowering::base_of(int number, Width width, bool& free) {
  const Operand value = operand(number);
  free = value.kind == Operand::Kind::value && once(number) && !value.negated && builder_.width(value) == width;
  if (free) {
    const Operation& maker = builder_.of(value);
    free = maker.variable < 0 && maker.predicate < 0 && !maker.condition && this->node(number).act != Act::widen;
  }
  return value;
}

/// x + (c ? y : 0) as a sum that overwrites x where c holds. That is cheaper than a zero, overwriting it by y, and a
/// sum.
std::optional<Operand> Lowering::sum_where(const Node& node, Width width) {
  static const std::map<Act, Op> sums{
      {Act::add, Op::FADD}, {Act::sub, Op::FSUB}, {Act::iadd, Op::UADD}, {Act::isub, Op::USUB}};
  const auto sum = sums.find(node.act);
  if (sum == sums.end()) return std::nullopt;
  const bool commutes = node.act == Act::add || node.act == Act::iadd;
  for (const std::size_t added : {std::size_t{1}, std::size_t{0}}) {
    if (added == 0 && !commutes) break;
    const Node& choice = this->node(node.operands[added]);
    if (choice.act != Act::select || !once(node.operands[added]) || width_of(choice.type) != width) continue;
    const bool zero_first = is_zero(choice.operands[1]);
    if (!zero_first && !is_zero(choice.operands[2])) continue;
    const int number = node.operands[1 - added];
    const bool late = style_ == ConditionStyle::words && this->node(choice.operands[0]).act != Act::constant;
    Operand x = operand(number);
    Truth where = late ? Truth{} : truth(choice.operands[0]);
    if (where.operation < 0 && !late) return std::nullopt;
    const Operand y = operand(choice.operands[zero_first ? 2 : 1]);
    if (late) where = truth(choice.operands[0]);
    if (zero_first) where = turned(where);
    builder_.source(node.name, node.place);
    const bool free = x.kind == Operand::Kind::value && once(number) && !x.negated && builder_.width(x) == width &&
                      this->node(number).act != Act::widen && builder_.of(x).variable < 0 && !builder_.of(x).condition;
    if (!free) x = builder_.copy(x, width);
    const Operand made = builder_.operation(sum->second, {x, y}, width);
    Operation& over = builder_.of(made);
    over.into = x.index;
    over.predicate = where.operation;
    over.inverted = where.inverted;
    return made;
  }
  return std::nullopt;
}

Operand Lowering::choice(int number) {
  const Node& node = this->node(number);
  const Width width = width_of(node.type);
  // A flag that was set before the values are computed would be in use during that.
  const bool late = style_ == ConditionStyle::words && this->node(node.operands[0]).act != Act::constant;
  Truth where = late ? Truth{} : truth(node.operands[0]);
  int yes = node.operands[1];
  int no = node.operands[2];
  if (where.operation < 0 && !late) return operand(where.known ? yes : no);
  // The value that is written first is written for all elements, so a word that exists already is better than one that
  // is computed.
  const auto is_there = [&](int of) { return this->node(of).act == Act::constant || this->node(of).act == Act::input; };
  const bool exchanged = is_there(yes) && !is_there(no);
  if (exchanged) {
    std::swap(yes, no);
    where.inverted = !where.inverted;
  }
  bool base_free = false;
  bool value_free = false;
  Operand base = base_of(no, width, base_free);
  const Operand value = base_of(yes, width, value_free);
  if (late) where = exchanged ? turned(truth(node.operands[0])) : truth(node.operands[0]);
  builder_.source(node.name, node.place);
  // A copy stands where the variable is assigned.
  const auto at_assignment = [&](int arm) {
    const std::size_t n = arm == node.operands[1] ? 0 : 1;
    const Node& copied = this->node(arm);
    const bool stands_there = copied.act == Act::constant || copied.act == Act::negate;
    builder_.source(node.name, n < node.arms.size() && node.arms[n].line > 0 ? node.arms[n]
                               : stands_there                                ? copied.place
                                                                             : node.place);
  };
  at_assignment(no);
  if (!base_free || base == value) base = builder_.copy(base, width);
  at_assignment(yes);
  return builder_.merge(base, value, where, value_free);
}

/// A condition in a conditional value. Comparisons are made once, and the operation that they test may set the flag.
Truth Lowering::truth(int number) {
  const Node& node = this->node(number);
  if (style_ == ConditionStyle::words) return word_truth(number);
  if (style_ == ConditionStyle::fresh || node.act == Act::both || node.act == Act::either) return fresh_truth(number);
  if (node.act == Act::constant) return {-1, false, node.integer != 0};
  if (node.act == Act::opposite) return turned(truth(node.operands[0]));
  const auto [known, is_new] = truths_.try_emplace(number);
  if (is_new) known->second = comparison(node, false);
  return known->second;
}

Truth Lowering::turned(Truth value) {
  value.inverted = !value.inverted;
  value.known = !value.known;
  return value;
}

/// Number of flags in use at once while a condition is computed (Sethi and Ullman 1970).
unsigned Lowering::flags_for(int number) const {
  const Node& node = this->node(number);
  if (node.act == Act::opposite) return flags_for(node.operands[0]);
  if (node.act != Act::both && node.act != Act::either) return 1;
  const unsigned first = flags_for(node.operands[0]);
  const unsigned second = flags_for(node.operands[1]);
  return first == second ? first + 1 : std::max(first, second);
}

/// The same with a flag of its own, which may be set again. That is cheaper than a copy of a flag, and flags are few.
Truth Lowering::fresh_truth(int number) {
  const Node& node = this->node(number);
  if (node.act == Act::constant) return {-1, false, node.integer != 0};
  if (node.act == Act::opposite) return turned(fresh_truth(node.operands[0]));
  if (node.act != Act::both && node.act != Act::either) return comparison(node, true);
  const bool either = node.act == Act::either;
  // The operand that needs more flags is computed first, while fewer are in use.
  const bool exchange = flags_for(node.operands[0]) < flags_for(node.operands[1]);
  const Truth first = fresh_truth(node.operands[exchange ? 1 : 0]);
  const Truth second = fresh_truth(node.operands[exchange ? 0 : 1]);
  builder_.source(node.name, node.place);
  const Truth value = either ? builder_.both(turned(first), turned(second)) : builder_.both(first, second);
  return either ? turned(value) : value;
}

Truth Lowering::comparison(const Node& node, bool own) {
  if (family_of(node.act) != Family::comparison) {
    refuse(node, kNoCondition);
    return {-1, false, false};
  }
  if (const auto words = equal_words(node)) {
    const auto& [value, infinity] = *words;
    builder_.source(node.name, node.place);
    return builder_.compare(Op::USUB, value, infinity, builder_.width(value), Condition::zero);
  }
  const Operand a = operand(node.operands[0]);
  const Operand b = operand(node.operands[1]);
  builder_.source(node.name, node.place);
  const Comparison how = kComparisons[node.act];
  if (how.op == Op::FSUB && is_zero(node.operands[1]) && !own) return builder_.flag_of(a, how.condition);
  return builder_.compare(how.op, a, b, width_of_difference(node, how.op, a), how.condition);
}

/// A short word tells the sign of every difference, but makes infinity, which is an event, of one from a number that
/// only a long word holds.
Width Lowering::width_of_difference(const Node& node, Op op, const Operand& a) const {
  if (op != Op::FSUB) return builder_.width(a);
  constexpr double kLargestShort = 0x1.ffffffp1023;
  const bool beyond = std::ranges::any_of(node.operands, [&](int operand) {
    const Node& one = this->node(operand);
    return one.act == Act::constant && std::isfinite(one.number) && std::abs(one.number) > kLargestShort;
  });
  return beyond ? Width::long_word : Width::short_word;
}

bool Lowering::is_zero(int number) const {
  const Node& node = this->node(number);
  if (node.act == Act::widen) return is_zero(node.operands[0]);
  return node.act == Act::constant && node.number == 0 && node.integer == 0;
}

}  // namespace gdr::compiler
