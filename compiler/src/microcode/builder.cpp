#include "builder.h"

#include <fmt/format.h>

#include <bit>

#include "pair/nearest.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

/// True if a double needs no more than the 24 fraction bits of a short word.
bool is_short(double value) { return (std::bit_cast<std::uint64_t>(value) & ((std::uint64_t{1} << 28) - 1)) == 0; }

}  // namespace

Operand Builder::operation(Op op, std::vector<Operand> operands, Width width) {
  Operation made;
  made.op = op;
  made.operands = std::move(operands);
  made.width = width;
  made.name = name_;
  made.place = place_;
  // The multiplier's narrow port is the second one.
  const bool exchange = op == Op::FMUL && this->width(made.operands[1]) == kLong;
  if (exchange) std::swap(made.operands[0], made.operands[1]);
  section_->push_back(std::move(made));
  return {Operand::Kind::value, next() - 1, -1, false};
}

Operand Builder::literal(std::string text, Width width) {
  for (std::size_t n = 0; n < code_.literals.size(); ++n) {
    if (code_.literals[n].text == text) return {Operand::Kind::literal, static_cast<int>(n), -1, false};
  }
  code_.literals.push_back({std::move(text), width});
  return {Operand::Kind::literal, static_cast<int>(code_.literals.size()) - 1, -1, false};
}

Operand Builder::number(double value) {
  return is_short(value) ? literal(fmt::format("fs\"{}\"", value), kShort)
                         : literal(fmt::format("f\"{}\"", value), kLong);
}

Operand Builder::short_number(double value) { return literal(fmt::format("fs\"{}\"", value), kShort); }

Operand Builder::integer(std::int64_t value, Width width) {
  return literal(fmt::format("{}\"{}\"", width == kLong ? "il" : "is", value), width);
}

Operand Builder::bits(std::string digits, Width width) {
  return literal(fmt::format("{}\"{}\"", width == kLong ? "hl" : "hs", digits), width);
}

Width Builder::width(const Operand& operand) const {
  const auto index = static_cast<std::size_t>(operand.index);
  switch (operand.kind) {
    case Operand::Kind::variable:
      return code_.variables[index].width;
    case Operand::Kind::literal:
      return code_.literals[index].width;
    case Operand::Kind::value:
      break;
  }
  return (*section_)[index].width;
}

Operand Builder::settled(const Operand& operand, Width width) {
  const bool there = operand.kind != Operand::Kind::literal && !operand.negated && this->width(operand) == width;
  return there ? operand : operation(Op::FPASSA, {operand}, width);
}

Operand Builder::copy(const Operand& value, Width width) {
  const bool as_it_is = !value.negated && this->width(value) == width;
  const bool from_block = value.kind == Operand::Kind::variable &&
                          code_.variables[static_cast<std::size_t>(value.index)].home == Variable::Home::broadcast;
  if (as_it_is && from_block) return operation(Op::BM, {value}, width);
  return operation(as_it_is ? Op::UPASSA : Op::FPASSA, {value}, width);
}

Truth Builder::flag_of(const Operand& value, Condition condition) {
  if (!test_apart_ && value.kind == Operand::Kind::value && !value.negated && value.component < 0) {
    Operation& maker = of(value);
    if (!maker.condition && maker.into < 0 && maker.variable < 0 && maker.op != Op::BM) maker.condition = condition;
    if (maker.condition == condition && maker.flag_into < 0) return {value.index, false, false};
  }
  const Operand tested = operation(Op::FPASSA, {value}, kShort);
  of(tested).condition = condition;
  of(tested).only_flag = true;
  return {tested.index, false, false};
}

Truth Builder::compare(Op op, const Operand& a, const Operand& b, Width width, Condition condition) {
  const Operand difference = operation(op, {a, b}, width);
  of(difference).condition = condition;
  of(difference).only_flag = true;
  return {difference.index, false, false};
}

Truth Builder::both(const Truth& a, const Truth& b) {
  if (a.operation < 0) return a.known ? b : a;
  if (b.operation < 0) return b.known ? a : b;
  // Clears the flag where b does not hold.
  const Operand cleared = operation(Op::UPASSA, {integer(a.inverted ? -1 : 0, kShort)}, kShort);
  Operation& clear = of(cleared);
  clear.condition = Condition::negative;
  clear.only_flag = true;
  clear.flag_into = a.operation;
  clear.predicate = b.operation;
  clear.inverted = !b.inverted;
  return {cleared.index, a.inverted, false};
}

Operand Builder::merge(const Operand& base, const Operand& value, const Truth& where, bool value_is_free) {
  const Width width = this->width(base);
  Operand written = value;
  const bool itself = value_is_free && value.kind == Operand::Kind::value && !value.negated && value.component < 0 &&
                      this->width(value) == width && of(value).into < 0 && of(value).predicate < 0 &&
                      of(value).variable < 0 && !of(value).condition;
  if (!itself) written = copy(value, width);
  Operation& over = of(written);
  over.into = base.index;
  over.predicate = where.operation;
  over.inverted = where.inverted;
  return written;
}

Operand Builder::numbered_key(const Operand& key, bool ordered, const Operand& number) {
  const bool has_more_bits = !ordered || width(key) == kLong;
  const auto integers = [&](Op op, const Operand& a, const Operand& b) { return operation(op, {a, b}, kLong); };
  Operand word = settled(key, kLong);
  if (!ordered) {  // of negative numbers the larger ones are the lesser
    const Operand sign = integers(Op::UASR, word, integer(71, kLong));
    word = integers(Op::UXOR, word, integers(Op::UAND, sign, bits("7fffffffffffffffff", kLong)));
  }
  word = integers(ordered ? Op::ULSR : Op::UASR, word, integer(8, kLong));
  if (has_more_bits) word = integers(Op::UAND, word, bits("fffffffffff0000000", kLong));
  return integers(Op::UOR, word, number);
}

Operand Builder::numbered_integer(const Operand& key, const Operand& number) {
  const Operand word = key.kind == Operand::Kind::literal ? copy(key, kLong) : key;
  const Operand above = operation(Op::ULSL, {word, integer(kNumberBits, kLong)}, kLong);
  return operation(Op::UOR, {above, number}, kLong);
}

Operand Builder::product(const Operand& a, const Operand& b, Width width) {
  const bool two_lines = this->width(a) == kLong && this->width(b) == kLong;
  return operation(two_lines ? Op::FMULL : Op::FMUL, {a, b}, width);
}

}  // namespace gdr::compiler
