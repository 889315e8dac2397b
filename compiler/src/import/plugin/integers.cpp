// Integers of a pair function. A value of N bits stands in a word of more bits, of which the lower N are right. Who
// reads the bits above asks for them first, by as_number(): the table is
//
// | operation                                   | its operands                      | its value               |
// |---------------------------------------------|-----------------------------------|-------------------------|
// | load of a member                            |                                   | a number                |
// | add, sub, mul by a constant, shl            | any word                          | with nsw, nuw: a number |
// | and, or, xor, select, phi, trunc, freeze    | any word                          | as the operands         |
// | sext, ashr, sitofp, slt.., smin, smax, abs  | with a sign                       | a number                |
// | zext, lshr, uitofp, ult.., umin, umax, ctlz | without a sign                    | a number                |
// | ctpop, cttz, bswap, bitreverse, fshl, fshr  | without a sign                    | a number; fsh: any word |
// | sdiv, srem; udiv, urem                      | with; without a sign              | a number                |
// | mul                                         | with a sign if nsw, else without  | with nsw: a number      |
// | eq, ne, switch                              | both with or both without a sign  |                         |
// | change of a result                          | a number, as the member's type is |                         |
#include <algorithm>
#include <map>

#include "function_reader.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

constexpr unsigned kMostBits = 64;

unsigned bits_of(const llvm::Value& value) { return value.getType()->getIntegerBitWidth(); }

}  // namespace

std::optional<Type> FunctionReader::integer_type(const llvm::Type& type) {
  if (!type.isIntegerTy() || type.getIntegerBitWidth() > kMostBits) return std::nullopt;
  return type.getIntegerBitWidth() <= 32 ? Type::int_short : Type::int_long;
}

int FunctionReader::integer(Type type, std::int64_t value) {
  Node node;
  node.type = type;
  node.integer = value;
  return made(std::move(node));
}

/// An operation on the lower `bits` bits of a word.
int FunctionReader::of_bits(Act act, int operand, unsigned bits) {
  if (operand < 0) return -1;
  Node node;
  node.act = act;
  node.type = result_.nodes[static_cast<std::size_t>(operand)].type;
  node.operands = {operand};
  node.integer = bits;
  return made(std::move(node));
}

const Bounds& FunctionReader::bounds(int number) const {
  return result_.nodes[static_cast<std::size_t>(number)].bounds;
}

/// Narrows what is known of a value, if `allowed` says more.
int FunctionReader::within(int number, const Bounds& allowed) {
  if (number < 0) return number;
  Bounds& known = result_.nodes[static_cast<std::size_t>(number)].bounds;
  const Bounds both{std::max(known.low, allowed.low), std::min(known.high, allowed.high)};
  if (both.low <= both.high) known = both;
  return number;
}

/// The value whose lower `bits` a word has, as a number with a sign or without one: the same word if it is that number.
int FunctionReader::as_number(int number, unsigned bits, bool is_signed) {
  if (number < 0 || is_within(bounds(number), bounds_of_bits(bits, is_signed))) return number;
  const Node node = result_.nodes[static_cast<std::size_t>(number)];
  if (node.act == Act::constant) {
    const llvm::APInt value = llvm::APInt(64, static_cast<std::uint64_t>(node.integer)).trunc(bits);
    // 64 bits without a sign are more than a constant has.
    if (is_signed || bits < 64) return integer(node.type, is_signed ? value.getSExtValue() : low_of(value));
  }
  const auto [known, is_new] = numbers_.try_emplace({number, bits, is_signed}, -1);
  if (!is_new) return known->second;
  return known->second = of_bits(is_signed ? Act::sign_extend : Act::zero_extend, number, bits);
}

std::int64_t FunctionReader::low_of(const llvm::APInt& value) {
  return static_cast<std::int64_t>(value.getZExtValue());
}

/// As a number with or without a sign, whichever it is already.
int FunctionReader::either_number(int number, unsigned bits) {
  if (number < 0 || is_within(bounds(number), bounds_of_bits(bits, true))) return number;
  return as_number(number, bits, false);
}

int FunctionReader::constant_product(int a, const llvm::APInt& factor) {
  const Type type = result_.nodes[static_cast<std::size_t>(a)].type;
  // Digits 1, 0 and -1, no two of which are not 0 side by side: the fewest sums (Reitwiesner 1960).
  std::vector<std::pair<unsigned, bool>> digits;
  llvm::APInt left = factor.sext(factor.getBitWidth() + 2);
  for (unsigned n = 0; !left.isZero(); ++n, left.ashrInPlace(1)) {
    if (!left[0]) continue;
    const bool minus = left[1];
    digits.emplace_back(n, minus);
    left = minus ? left + 1 : left - 1;
  }
  std::ranges::reverse(digits);
  std::ranges::stable_partition(digits, [](const auto& digit) { return !digit.second; });
  int sum = -1;
  for (const auto& [n, minus] : digits) {
    const int term = n == 0 ? a : add(Act::shift_left, type, {a, integer(type, n)});
    if (sum < 0) {
      sum = minus ? add(Act::isub, type, {integer(type, 0), term}) : term;
    } else {
      sum = add(minus ? Act::isub : Act::iadd, type, {sum, term});
    }
  }
  return sum < 0 ? integer(type, 0) : sum;
}

int FunctionReader::integer_product(const llvm::BinaryOperator& next, int a, int b) {
  const Type type = *type_of(*next.getType());
  const unsigned bits = bits_of(next);
  // A product by its digits takes a shift and a sum for each.
  constexpr unsigned kMostDigits = 9;
  for (const unsigned n : {1U, 0U}) {
    const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(next.getOperand(n));
    if (factor == nullptr) continue;
    const llvm::APInt value = factor->getValue();
    if (bits > 32 || (value ^ (value << 1)).popcount() <= kMostDigits) return constant_product(n == 1 ? a : b, value);
  }
  const bool is_signed = next.hasNoSignedWrap();
  a = is_signed ? as_number(a, bits, true) : either_number(a, bits);
  b = is_signed ? as_number(b, bits, true) : either_number(b, bits);
  if (a < 0 || b < 0) return -1;
  const auto is_small = [&](int factor) { return is_within(bounds(factor), {-0x1p32, 0x1p32}); };
  if (bits > 32 && !(is_small(a) && is_small(b)))
    return refuse(next, "products of 64-bit integers are made only of factors below 2^32: convert them from int");
  Node product;
  product.act = Act::imul;
  product.type = type;
  product.operands = {a, b};
  const bool fits = is_within(computed_bounds(product, result_.nodes), bounds_of_bits(36, true));
  if (!is_signed && !fits) a = as_number(a, bits, false), b = as_number(b, bits, false);
  return add(Act::imul, type, {a, b});
}

int FunctionReader::quotient(const llvm::BinaryOperator& next, int a, int b) {
  const Type type = *type_of(*next.getType());
  const unsigned bits = bits_of(next);
  const unsigned opcode = next.getOpcode();
  const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  const bool rest = opcode == llvm::Instruction::SRem || opcode == llvm::Instruction::URem;
  a = as_number(a, bits, is_signed);
  b = as_number(b, bits, is_signed);
  if (a < 0 || b < 0) return -1;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(next.getOperand(1));
  const bool power = divisor != nullptr && divisor->getValue().isPowerOf2() && !divisor->getValue().isNegative();
  // (a + 1/2) / b is 1/(2 b) away from a whole number, and its error must be less: 2^-48 of itself. Powers of two take
  // shifts.
  if (!power && bits > 32 && !(is_within(bounds(a), {-0x1p44, 0x1p44}) && is_within(bounds(b), {-0x1p44, 0x1p44})))
    return refuse(next,
                  "quotients of 64-bit integers are made only of numbers below 2^44 or by powers of two: convert "
                  "them from int");
  if (!power) return add(rest ? Act::iremainder : Act::idiv, type, {a, b});
  const std::int64_t less = low_of(divisor->getValue() - 1);
  int sum = a;
  if (bounds(a).low < 0) {  // towards zero: what is cut off of a negative number is added before
    const int sign = add(Act::shift_right, type, {a, integer(type, is_long(type) ? 71 : 35)});
    sum = add(Act::iadd, type, {a, add(Act::iand, type, {sign, integer(type, less)})});
  }
  const int shift = integer(type, divisor->getValue().logBase2());
  if (!rest) return within(add(Act::shift_right, type, {sum, shift}), bounds_of_bits(bits, is_signed));
  if (sum == a) return add(Act::iand, type, {a, integer(type, less)});
  const int whole = add(Act::iand, type, {sum, integer(type, ~less)});
  return within(add(Act::isub, type, {a, whole}), {-static_cast<double>(less), static_cast<double>(less)});
}

int FunctionReader::integer_binary(const llvm::BinaryOperator& next) {
  using llvm::Instruction;
  const Type type = *type_of(*next.getType());
  const unsigned bits = bits_of(next);
  int a = value(next.getOperand(0), next);
  int b = value(next.getOperand(1), next);
  if (a < 0 || b < 0) return -1;
  const Bounds with_sign = bounds_of_bits(bits, true);
  const Bounds without = bounds_of_bits(bits, false);
  const auto both_within = [&](const Bounds& allowed) {
    return is_within(bounds(a), allowed) && is_within(bounds(b), allowed);
  };
  // What does not wrap in C++ does not in the word of two numbers, either.
  const auto wrapped = [&](int made) {
    if (next.hasNoSignedWrap() && both_within(with_sign)) return within(made, with_sign);
    if (next.hasNoUnsignedWrap() && both_within(without)) return within(made, without);
    return made;
  };
  const auto masked = [&](int number, int other) {  // a mask that is negative clears the bits above as well
    const bool fixed = result_.nodes[static_cast<std::size_t>(number)].act == Act::constant;
    return fixed && !is_within(bounds(other), with_sign) ? as_number(number, bits, false) : number;
  };
  switch (next.getOpcode()) {
    case Instruction::Add:
      return wrapped(add(Act::iadd, type, {a, b}));
    case Instruction::Sub:
      return wrapped(add(Act::isub, type, {a, b}));
    case Instruction::Mul:
      return wrapped(integer_product(next, a, b));
    case Instruction::And:
      return add(Act::iand, type, {masked(a, b), masked(b, a)});
    case Instruction::Or:
      return add(Act::ior, type, {a, b});
    case Instruction::Xor:
      return add(Act::ixor, type, {a, b});
    case Instruction::Shl:
      return wrapped(add(Act::shift_left, type, {a, either_number(b, bits)}));
    case Instruction::AShr:
      return add(Act::shift_right, type, {as_number(a, bits, true), either_number(b, bits)});
    case Instruction::LShr:
      return add(Act::shift_right_unsigned, type, {as_number(a, bits, false), either_number(b, bits)});
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      return quotient(next, a, b);
    default:
      return refuse(next, "an operation on integers that has no counterpart on the machine");
  }
}

/// Two numbers of the same kind, so that words are equal where the numbers are.
std::pair<int, int> FunctionReader::comparable(int a, int b, unsigned bits) {
  for (const bool is_signed : {true, false}) {
    const Bounds kind = bounds_of_bits(bits, is_signed);
    const auto fits = [&](int number) {
      return is_within(bounds(number), kind) || result_.nodes[static_cast<std::size_t>(number)].act == Act::constant;
    };
    if (fits(a) && fits(b)) return {as_number(a, bits, is_signed), as_number(b, bits, is_signed)};
  }
  return {as_number(a, bits, false), as_number(b, bits, false)};
}

int FunctionReader::int_comparison(const llvm::CmpInst& next, int a, int b) {
  const unsigned bits = bits_of(*next.getOperand(0));
  Act less = Act::int_less;
  if (next.isEquality()) {
    std::tie(a, b) = comparable(a, b, bits);
  } else if (next.isSigned()) {
    a = as_number(a, bits, true), b = as_number(b, bits, true);
  } else {
    const Bounds with_sign = bounds_of_bits(bits, true);
    const Bounds without = bounds_of_bits(bits, false);
    const auto keeps = [&](const Bounds& kind) { return is_within(bounds(a), kind) && is_within(bounds(b), kind); };
    // Copies of the sign above keep the order of numbers without one.
    if (!keeps(without) && keeps(with_sign)) {
      less = Act::int_less_unsigned;
    } else {
      a = as_number(a, bits, false), b = as_number(b, bits, false);
    }
  }
  if (a < 0 || b < 0) return -1;
  const auto opposite = [&](int of) { return conditions_.opposite(of); };
  switch (next.getPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
      return conditions_.comparison(Act::int_equal, a, b);
    case llvm::CmpInst::ICMP_NE:
      return opposite(conditions_.comparison(Act::int_equal, a, b));
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_ULT:
      return conditions_.comparison(less, a, b);
    case llvm::CmpInst::ICMP_SGT:
    case llvm::CmpInst::ICMP_UGT:
      return conditions_.comparison(less, b, a);
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_ULE:
      return opposite(conditions_.comparison(less, b, a));
    default:
      return opposite(conditions_.comparison(less, a, b));
  }
}

int FunctionReader::case_condition(int chosen, const llvm::ConstantInt& number, const llvm::Instruction& at) {
  if (chosen < 0) return -1;
  if (number.getType()->isIntegerTy(1)) return number.isOne() ? chosen : conditions_.opposite(chosen);
  const int constant = this->constant(number, at);
  if (constant < 0) return -1;
  const auto [a, b] = comparable(chosen, constant, bits_of(number));
  return conditions_.comparison(Act::int_equal, a, b);
}

/// Conversions between integers, and of integers to numbers and back.
int FunctionReader::integer_cast(const llvm::CastInst& next, int operand) {
  using llvm::Instruction;
  const Type type = *type_of(*next.getType());
  const bool minus = next.getOpcode() == Instruction::SExt || next.getOpcode() == Instruction::SIToFP;
  switch (next.getOpcode()) {
    case Instruction::Trunc:
      return resized(operand, type);
    case Instruction::SExt:
    case Instruction::ZExt:
      return resized(as_number(operand, bits_of(*next.getOperand(0)), minus), type);
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return add(Act::from_integer, type, {as_number(operand, bits_of(*next.getOperand(0)), minus)});
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return within(add(Act::to_integer, type, {operand}),
                    bounds_of_bits(bits_of(next), next.getOpcode() == Instruction::FPToSI));
    default:
      return refuse(next, kBitsOfNumber);
  }
}

int FunctionReader::resized(int number, Type type) {
  if (number < 0 || result_.nodes[static_cast<std::size_t>(number)].type == type) return number;
  return add(Act::widen, type, {number});
}

/// Of each group of 2 `count` bits, the lower ones plus the upper ones: `mask` has the lower ones.
int FunctionReader::halves_added(int a, unsigned count, std::int64_t mask) {
  const Type type = result_.nodes[static_cast<std::size_t>(a)].type;
  const int upper = add(Act::shift_right_unsigned, type, {a, integer(type, count)});
  return add(Act::iadd, type,
             {add(Act::iand, type, {a, integer(type, mask)}), add(Act::iand, type, {upper, integer(type, mask)})});
}

int FunctionReader::bits_set(int a, unsigned bits) {
  int sum = as_number(a, bits, false);
  if (sum < 0) return -1;
  for (unsigned count = 1; count < bits; count *= 2) {
    // 0x5555..., 0x3333..., 0x0f0f..., as many bits as the type has
    std::uint64_t mask = 0;
    for (unsigned at = 0; at < bits; ++at) mask |= (at / count) % 2 == 0 ? std::uint64_t{1} << at : 0;
    sum = halves_added(sum, count, static_cast<std::int64_t>(mask));
  }
  return within(sum, {0, static_cast<double>(bits)});
}

/// Exchanges neighbouring groups of `count` bits.
int FunctionReader::exchanged(int a, unsigned count, unsigned bits) {
  const Type type = result_.nodes[static_cast<std::size_t>(a)].type;
  std::uint64_t mask = 0;
  for (unsigned at = 0; at < bits; ++at) mask |= (at / count) % 2 == 0 ? std::uint64_t{1} << at : 0;
  const int lower = integer(type, static_cast<std::int64_t>(mask));
  const int shift = integer(type, count);
  const int up = add(Act::shift_left, type, {add(Act::iand, type, {a, lower}), shift});
  const int down = add(Act::iand, type, {add(Act::shift_right_unsigned, type, {a, shift}), lower});
  return within(add(Act::ior, type, {up, down}), bounds_of_bits(bits, false));
}

int FunctionReader::zeros_above(int a, unsigned bits) {
  return of_bits(Act::leading_zeros, as_number(a, bits, false), bits);
}

/// (a:b) shifted by c modulo the width, of which the upper or the lower word is taken.
int FunctionReader::funnel(const llvm::IntrinsicInst& next, int a, int b, int c, bool left) {
  const unsigned bits = bits_of(next);
  if ((bits & (bits - 1)) != 0) return refuse(next, "bits of an integer of an odd width are rotated");
  const Type type = *type_of(*next.getType());
  const int full = integer(type, bits);
  c = add(Act::iand, type, {c, integer(type, bits - 1)});
  const int rest = add(Act::isub, type, {full, c});
  // A shift by the whole width leaves nothing of the lower word, and is above the upper one's bits that count.
  const int upper = add(Act::shift_left, type, {a, left ? c : rest});
  const int lower = add(Act::shift_right_unsigned, type, {as_number(b, bits, false), left ? rest : c});
  return add(Act::ior, type, {upper, lower});
}

/// What no intrinsic function on integers is: nullopt. -1: refused.
std::optional<int> FunctionReader::integer_intrinsic(const llvm::IntrinsicInst& next) {
  using llvm::Intrinsic::ID;
  if (!next.getType()->isIntegerTy() || next.getType()->isIntegerTy(1)) return std::nullopt;
  const std::optional<Type> known = type_of(*next.getType());
  if (!known || next.arg_size() == 0 || !next.getArgOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  const Type type = *known;
  const unsigned bits = bits_of(next);
  const int a = value(next.getArgOperand(0), next);
  const auto second = [&] { return value(next.getArgOperand(1), next); };
  const auto of_two = [&](Act act, bool is_signed) {
    return add(act, type, {as_number(a, bits, is_signed), as_number(second(), bits, is_signed)});
  };
  const auto saturated = [&](Act act, bool is_signed) {
    const int sum = of_two(act, is_signed);
    if (sum < 0 || bits == 64) return sum < 0 ? -1 : refuse(next, "64-bit integers are added with saturation");
    const Bounds limits = bounds_of_bits(bits, is_signed);
    const int least = integer(type, static_cast<std::int64_t>(limits.low));
    const int most = integer(type, static_cast<std::int64_t>(limits.high));
    return add(Act::imin, type, {add(Act::imax, type, {sum, least}), most});
  };
  if (a < 0) return -1;
  switch (next.getIntrinsicID()) {
    case llvm::Intrinsic::smin:
      return of_two(Act::imin, true);
    case llvm::Intrinsic::smax:
      return of_two(Act::imax, true);
    case llvm::Intrinsic::umin:
      return of_two(Act::imin, false);
    case llvm::Intrinsic::umax:
      return of_two(Act::imax, false);
    case llvm::Intrinsic::uadd_sat:
      return saturated(Act::iadd, false);
    case llvm::Intrinsic::usub_sat:
      return saturated(Act::isub, false);
    case llvm::Intrinsic::sadd_sat:
      return saturated(Act::iadd, true);
    case llvm::Intrinsic::ssub_sat:
      return saturated(Act::isub, true);
    case llvm::Intrinsic::abs: {
      const int number = as_number(a, bits, true);
      const int made = add(Act::imax, type, {number, add(Act::isub, type, {integer(type, 0), number})});
      return within(made, {0, std::max(-bounds(number).low, bounds(number).high)});
    }
    case llvm::Intrinsic::ctpop:
      return bits_set(a, bits);
    case llvm::Intrinsic::ctlz:
      return zeros_above(a, bits);
    case llvm::Intrinsic::cttz: {  // the zeros below the lowest one become ones, and all others zeros
      const int less = add(Act::iadd, type, {a, integer(type, -1)});
      const int below = add(Act::iand, type, {add(Act::ixor, type, {a, integer(type, -1)}), less});
      const int zeros = zeros_above(below, bits);
      return within(add(Act::isub, type, {integer(type, bits), zeros}), {0, static_cast<double>(bits)});
    }
    case llvm::Intrinsic::bswap:
    case llvm::Intrinsic::bitreverse: {
      int made = as_number(a, bits, false);
      const unsigned least = next.getIntrinsicID() == llvm::Intrinsic::bswap ? 8 : 1;
      if ((bits & (bits - 1)) != 0) return refuse(next, "bits of an integer of an odd width are turned");
      for (unsigned count = bits / 2; count >= least; count /= 2) made = exchanged(made, count, bits);
      return made;
    }
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return funnel(next, a, second(), value(next.getArgOperand(2), next),
                    next.getIntrinsicID() == llvm::Intrinsic::fshl);
    default:
      return std::nullopt;
  }
}

/// The word of memory that holds bit-fields, which are words of their own on the machine; -1 if there are none.
int FunctionReader::bit_fields(Record record, std::int64_t offset, const llvm::Type& type) {
  if (!type.isIntegerTy() || record == Record::result) return -1;
  const std::optional<Type> word = type_of(type);
  const auto& fields = result_.records[static_cast<std::size_t>(record)];
  int all = -1;
  for (unsigned n = 0; n < fields.size() && word; ++n) {
    if (fields[n].bits == 0) continue;
    const std::int64_t first = 8 * (static_cast<std::int64_t>(fields[n].offset) - offset) + fields[n].bit;
    if (first < 0 || first + fields[n].bits > type.getIntegerBitWidth()) continue;
    int part = resized(input(record, {n, 0}), *word);
    const bool upmost = first + fields[n].bits == type.getIntegerBitWidth();
    if (!upmost || !fields[n].is_signed || all >= 0) part = as_number(part, fields[n].bits, false);
    if (first > 0) part = add(Act::shift_left, *word, {part, integer(*word, first)});
    all = all < 0 ? part : add(Act::ior, *word, {all, part});
  }
  return all;
}

}  // namespace gdr::compiler
