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
  return value;
}

Operand Lowering::made(int number) {
  const Node& node = this->node(number);
  const Width width = width_of(node.type);
  const auto source = [&] { builder_.source(node.name, node.place); };
  switch (node.act) {
    case Act::constant:
      if (node.type == Type::float_short) return builder_.short_number(node.number);
      return is_float(node.type) ? builder_.number(node.number) : builder_.integer(node.integer, width);
    case Act::input:
      return {Operand::Kind::variable, variable_of(code_, node.record, node.field, node.element), -1, false};
    case Act::widen:
      return operand(node.operands[0]);
    case Act::negate: {
      Operand value = operand(node.operands[0]);
      value.negated = !value.negated;
      return value;
    }
    case Act::narrow:
      return narrowed(number);
    case Act::select:
      return choice(number);
    default:
      break;
  }
  if (const std::optional<Operand> sum = sum_where(node, width)) return *sum;
  for (const int needed : node.operands)
    static_cast<void>(this->node(needed).type == Type::truth || (operand(needed), true));
  source();
  return is_float(node.type) ? floating(node, width) : integer(node, width);
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
  const auto argument = [&](std::size_t n) { return operand(node.operands[n]); };
  switch (node.act) {
    case Act::add:
      return builder_.operation(Op::FADD, {argument(0), argument(1)}, width);
    case Act::sub:
      return builder_.operation(Op::FSUB, {argument(0), argument(1)}, width);
    case Act::minimum:
      return builder_.operation(Op::FMIN, {argument(0), argument(1)}, width);
    case Act::maximum:
      return builder_.operation(Op::FMAX, {argument(0), argument(1)}, width);
    case Act::mul:
      return builder_.product(argument(0), argument(1), width);
    case Act::absolute:
      return builder_.absolute(argument(0));
    case Act::copysign:
      return builder_.copysign(builder_.settled(argument(0), width), argument(1));
    case Act::nearest:
      return builder_.nearest(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::fraction:
      return builder_.fraction(argument(0), width);
    case Act::floor:
      return builder_.floor(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::ceil:
      return builder_.ceil(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::trunc:
      return builder_.trunc(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::round:
      return builder_.round(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::from_integer:
      return builder_.from_integer(argument(0), width, this->node(node.operands[0]).bounds);
    case Act::div:
      return quotient(node, width);
    default:
      return function(node, width);
  }
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

Operand Lowering::function(const Node& node, Width width) {
  const Operand x = operand(node.operands[0]);
  const bool wide = width == Width::long_word;
  const auto y = [&] { return operand(node.operands[1]); };
  switch (node.act) {
    case Act::sqrt:
      return wide ? builder_.sqrt_long(x) : builder_.sqrt(x);
    case Act::power:
      return wide ? builder_.power_long(x, y()) : builder_.power(x, y());
    case Act::atan2:
      return wide ? builder_.atan2_long(x, y()) : builder_.atan2(x, y());
    case Act::hypot:
      return wide ? builder_.hypot_long(x, y()) : builder_.hypot(x, y());
    case Act::cube_root:
      return wide ? builder_.cube_root_long(x) : builder_.cube_root(x);
    case Act::erf:
      return wide ? builder_.erf_long(x) : builder_.erf(x);
    case Act::erfc:
      return wide ? builder_.erfc_long(x) : builder_.erfc(x);
    case Act::tan:
      return wide ? builder_.tan_long(x) : builder_.tan(x);
    case Act::tanh:
      return wide ? builder_.tanh_long(x) : builder_.tanh(x);
    case Act::log10:
      return wide ? builder_.log10_long(x) : builder_.log10(x);
    case Act::expm1:
      return wide ? builder_.expm1_long(x) : builder_.expm1(x);
    case Act::log1p:
      return wide ? builder_.log1p_long(x) : builder_.log1p(x);
    case Act::exp2:
      return wide ? builder_.exp2_long(x) : builder_.exp2(x);
    case Act::exp:
      return wide ? builder_.exp_long(x) : builder_.exp(x);
    case Act::log2:
      return wide ? builder_.log2_long(x) : builder_.log2(x);
    case Act::log:
      return wide ? builder_.log_long(x) : builder_.log(x);
    case Act::sin:
      return wide ? builder_.circular_long(x, 0) : builder_.circular(x, 0);
    case Act::cos:
      return wide ? builder_.circular_long(x, 1) : builder_.circular(x, 1);
    case Act::rsqrt:
      return wide ? refuse(node, kLongFunction) : builder_.rsqrt_or_zero(x);
    case Act::reciprocal:
      return wide ? refuse(node, kLongFunction) : builder_.reciprocal_or_zero(x);
    default:
      return refuse(node, "an operation that has no counterpart on the machine");
  }
}

Operand Lowering::integer(const Node& node, Width width) {
  static const std::map<Act, Op> plain{{Act::iadd, Op::UADD},        {Act::isub, Op::USUB},
                                       {Act::iand, Op::UAND},        {Act::ior, Op::UOR},
                                       {Act::ixor, Op::UXOR},        {Act::shift_left, Op::ULSL},
                                       {Act::shift_right, Op::UASR}, {Act::imin, Op::UMIN},
                                       {Act::imax, Op::UMAX},        {Act::shift_right_unsigned, Op::ULSR}};
  const auto bits = static_cast<unsigned>(node.integer);
  const auto bounds = [&](std::size_t n) -> const Bounds& { return this->node(node.operands[n]).bounds; };
  // A line has one immediate.
  const auto in_register = [&](const Operand& of) {
    return of.kind == Operand::Kind::literal ? builder_.copy(of, builder_.width(of)) : of;
  };
  Operand a = operand(node.operands[0]);
  if (node.act == Act::to_integer) return builder_.to_integer(a, width, node.bounds, node.saturates);
  if (node.act == Act::exponent) return builder_.exponent(a, width);
  if (node.act == Act::sign_extend) return builder_.sign_extended(a, bits);
  if (node.act == Act::zero_extend) return builder_.zero_extended(a, bits);
  if (node.act == Act::leading_zeros) return builder_.leading_zeros(a, bits);
  const Operand b = operand(node.operands[1]);
  if (b.kind == Operand::Kind::literal) a = in_register(a);
  if (node.act == Act::imul) return builder_.integer_product(a, bounds(0), b, bounds(1), node.bounds);
  if (node.act == Act::idiv || node.act == Act::iremainder)
    return builder_.integer_quotient(a, bounds(0), b, bounds(1), node.act == Act::iremainder);
  const auto found = plain.find(node.act);
  if (found == plain.end()) return refuse(node, "an operation that has no counterpart on the machine");
  return builder_.operation(found->second, {a, b}, width);
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
  if (!base_free || base == value) base = builder_.copy(base, width);
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
  switch (node.act) {
    case Act::constant:
      return {-1, false, node.integer != 0};
    case Act::opposite:
      return turned(fresh_truth(node.operands[0]));
    case Act::both:
    case Act::either: {
      const bool either = node.act == Act::either;
      // The operand that needs more flags is computed first, while fewer are in use.
      const bool exchange = flags_for(node.operands[0]) < flags_for(node.operands[1]);
      const Truth first = fresh_truth(node.operands[exchange ? 1 : 0]);
      const Truth second = fresh_truth(node.operands[exchange ? 0 : 1]);
      builder_.source(node.name, node.place);
      const Truth value = either ? builder_.both(turned(first), turned(second)) : builder_.both(first, second);
      return either ? turned(value) : value;
    }
    default:
      return comparison(node, true);
  }
}

Truth Lowering::comparison(const Node& node, bool own) {
  if (const auto words = equal_words(node)) {
    const auto& [value, infinity] = *words;
    builder_.source(node.name, node.place);
    return builder_.compare(Op::USUB, value, infinity, builder_.width(value), Condition::zero);
  }
  const Operand a = operand(node.operands[0]);
  const Operand b = operand(node.operands[1]);
  builder_.source(node.name, node.place);
  const Width integers = builder_.width(a);
  const bool floating = node.act == Act::less || node.act == Act::equal;
  const Condition condition = node.act == Act::less || node.act == Act::int_less ? Condition::negative
                              : node.act == Act::int_less_unsigned               ? Condition::carry
                                                                                 : Condition::zero;
  if (floating && is_zero(node.operands[1]) && !own) return builder_.flag_of(a, condition);
  if (floating) return builder_.compare(Op::FSUB, a, b, Width::short_word, condition);
  const bool whole = node.act == Act::int_less || node.act == Act::int_less_unsigned || node.act == Act::int_equal;
  if (whole) return builder_.compare(Op::USUB, a, b, integers, condition);
  refuse(node, "a condition that has no counterpart on the machine");
  return {-1, false, false};
}

bool Lowering::is_zero(int number) const {
  const Node& node = this->node(number);
  if (node.act == Act::widen) return is_zero(node.operands[0]);
  return node.act == Act::constant && node.number == 0 && node.integer == 0;
}

}  // namespace gdr::compiler
