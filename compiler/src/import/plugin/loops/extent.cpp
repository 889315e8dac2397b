#include "extent.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <cmath>

namespace gdr::compiler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More than a sum, difference, product or quotient of a short or long word is away from the exact one, relative to it:
// short words have 24 bits on the host, factors of long products 50.
constexpr double kShortError = 0x1p-22;
constexpr double kLongError = 0x1p-46;

/// One end of an interval.
struct End {
  double value = 0;
  bool exact = true;  // with the host and with the machine
};

Interval whole() { return {}; }

bool is_nan(const Interval& all) { return std::isnan(all.low) || std::isnan(all.high); }

/// The least interval with these ends, each moved outwards by what rounding may add.
Interval between(End low, End high, bool is_short) {
  const double error = is_short ? kShortError : kLongError;
  if (!low.exact) low.value -= error * std::fabs(low.value) + std::numeric_limits<double>::min();
  if (!high.exact) high.value += error * std::fabs(high.value) + std::numeric_limits<double>::min();
  const Interval made{low.value, high.value, false, false};
  return is_nan(made) ? whole() : made;
}

End combined(unsigned opcode, double a, double b, bool is_short) {
  const auto fits = [](double value) { return static_cast<double>(static_cast<float>(value)) == value; };
  llvm::APFloat result(a);
  const llvm::APFloat other(b);
  constexpr auto kNearest = llvm::APFloat::rmNearestTiesToEven;
  llvm::APFloat::opStatus status = llvm::APFloat::opInvalidOp;
  switch (opcode) {
    case llvm::Instruction::FAdd:
      status = result.add(other, kNearest);
      break;
    case llvm::Instruction::FSub:
      status = result.subtract(other, kNearest);
      break;
    case llvm::Instruction::FMul:
      status = result.multiply(other, kNearest);
      break;
    default:
      status = result.divide(other, kNearest);
      break;
  }
  const double value = result.convertToDouble();
  return {value, status == llvm::APFloat::opOK && fits(a) && fits(b) && (!is_short || fits(value))};
}

Interval of_numbers(unsigned opcode, const Interval& a, const Interval& b, bool is_short) {
  const auto end = [&](double x, double y) { return combined(opcode, x, y, is_short); };
  if (opcode == llvm::Instruction::FAdd) return between(end(a.low, b.low), end(a.high, b.high), is_short);
  if (opcode == llvm::Instruction::FSub) return between(end(a.low, b.high), end(a.high, b.low), is_short);
  const bool product = opcode == llvm::Instruction::FMul;
  if (!product && (opcode != llvm::Instruction::FDiv || (b.low <= 0 && b.high >= 0))) return whole();
  const auto least = [](const End& x, const End& y) { return x.value < y.value; };
  const auto times = [&](double x, double y) { return product && (x == 0 || y == 0) ? End{} : end(x, y); };
  const std::initializer_list<End> all{times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                                       times(a.high, b.high)};
  if (std::ranges::any_of(all, [](const End& one) { return std::isnan(one.value); })) return whole();
  return between(std::min(all, least), std::max(all, least), is_short);
}

/// The greatest whole number of an interval, and the least.
double last_whole(const Interval& all) {
  const double down = std::floor(all.high);
  return all.below && down == all.high ? down - 1 : down;
}
double first_whole(const Interval& all) {
  const double up = std::ceil(all.low);
  return all.above && up == all.low ? up + 1 : up;
}

/// What a conversion cuts at its point leaves.
Interval cut(const Interval& all) {
  return {all.low >= 0 ? std::floor(all.low) : std::min(first_whole(all), 0.0),
          all.high <= 0 ? std::ceil(all.high) : std::max(last_whole(all), 0.0), false, false};
}

Extent as_integer(const Interval& all, unsigned bits, bool is_signed) {
  const Interval whole_numbers = cut(all);
  const double least = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
  const double low = std::max(whole_numbers.low, least);
  const double high = whole_numbers.high;
  if (!(low <= high) || low >= limit) return llvm::ConstantRange::getFull(bits);
  const auto integer = [&](double value) {
    llvm::APSInt made(bits, !is_signed);
    bool exact = false;
    llvm::APFloat(value).convertToInteger(made, llvm::APFloat::rmTowardZero, &exact);
    return llvm::APInt(made);
  };
  const llvm::APInt first = integer(low);
  const llvm::APInt end =
      high >= limit - 1 ? (is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt(bits, 0)) : integer(high) + 1;
  return llvm::ConstantRange::getNonEmpty(first, end);
}

Interval of_integers(const llvm::ConstantRange& range, bool is_signed, bool is_short) {
  const auto ends = [&](const llvm::APInt& value) {
    const double made = is_signed ? value.signedRoundToDouble() : value.roundToDouble();
    return End{made, std::fabs(made) <= (is_short ? 0x1p24 : 0x1p53)};
  };
  return is_signed ? between(ends(range.getSignedMin()), ends(range.getSignedMax()), is_short)
                   : between(ends(range.getUnsignedMin()), ends(range.getUnsignedMax()), is_short);
}

Interval magnitude(const Interval& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low, a.below, a.above};
  const double high = std::max(-a.low, a.high);
  const bool open = (-a.low < high || a.above) && (a.high < high || a.below);
  return {0, high, false, open};
}

Interval least_of(const Interval& a, const Interval& b) {
  const Interval& high = a.high < b.high || (a.high == b.high && a.below) ? a : b;
  return {std::min(a.low, b.low), high.high, false, high.below};
}
Interval negative(const Interval& a) { return {-a.high, -a.low, a.below, a.above}; }

/// Whole numbers beside those of an interval.
Interval rounded(llvm::Intrinsic::ID id, const Interval& a) {
  if (id == llvm::Intrinsic::floor) return {std::floor(a.low), last_whole(a), false, false};
  if (id == llvm::Intrinsic::ceil) return {first_whole(a), std::ceil(a.high), false, false};
  if (id == llvm::Intrinsic::trunc) return cut(a);
  return {std::floor(a.low), std::ceil(a.high), false, false};
}

Extent of_intrinsic(const llvm::IntrinsicInst& call, ExtentOf of) {
  using llvm::Intrinsic::ID;
  const ID id = call.getIntrinsicID();
  if (call.getType()->isIntegerTy() && llvm::ConstantRange::isIntrinsicSupported(id)) {
    llvm::SmallVector<llvm::ConstantRange, 2> operands;
    for (const llvm::Use& operand : call.args()) {
      const Extent one = of(*operand);
      const auto* range = std::get_if<llvm::ConstantRange>(&one);
      operands.push_back(range != nullptr ? *range
                                          : llvm::ConstantRange::getFull(operand->getType()->getIntegerBitWidth()));
    }
    return llvm::ConstantRange::intrinsic(id, operands);
  }
  if (!call.getType()->isFloatTy() && !call.getType()->isDoubleTy()) return all_of(*call.getType());
  const auto number = [&](unsigned n) {
    const Extent one = of(*call.getArgOperand(n));
    const auto* interval = std::get_if<Interval>(&one);
    return interval != nullptr ? *interval : whole();
  };
  const bool is_short = call.getType()->isFloatTy();
  switch (id) {
    case llvm::Intrinsic::fabs:
      return magnitude(number(0));
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimum:
      return least_of(number(0), number(1));
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximum:
      return negative(least_of(negative(number(0)), negative(number(1))));
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return rounded(id, number(0));
    case llvm::Intrinsic::sqrt: {
      const Interval a = number(0);
      return between({std::sqrt(std::max(a.low, 0.0)), a.low <= 0}, {std::sqrt(std::max(a.high, 0.0)), false},
                     is_short);
    }
    case llvm::Intrinsic::copysign: {
      const double most = magnitude(number(0)).high;
      return Interval{-most, most, false, false};
    }
    default:
      return whole();
  }
}

Extent of_cast(const llvm::CastInst& cast, ExtentOf of) {
  const Extent operand = of(*cast.getOperand(0));
  const llvm::Type& type = *cast.getType();
  const bool is_short = type.isFloatTy();
  if (const auto* range = std::get_if<llvm::ConstantRange>(&operand)) {
    if (type.isIntegerTy()) return range->castOp(cast.getOpcode(), type.getIntegerBitWidth());
    const bool is_signed = cast.getOpcode() == llvm::Instruction::SIToFP;
    if (is_signed || cast.getOpcode() == llvm::Instruction::UIToFP) return of_integers(*range, is_signed, is_short);
  }
  if (const auto* number = std::get_if<Interval>(&operand)) {
    if (cast.getOpcode() == llvm::Instruction::FPExt) return *number;
    if (cast.getOpcode() == llvm::Instruction::FPTrunc) {
      const auto end = [](double value) { return End{value, static_cast<double>(static_cast<float>(value)) == value}; };
      return between(end(number->low), end(number->high), true);
    }
    const bool is_signed = cast.getOpcode() == llvm::Instruction::FPToSI;
    if (is_signed || cast.getOpcode() == llvm::Instruction::FPToUI)
      return as_integer(*number, type.getIntegerBitWidth(), is_signed);
  }
  return all_of(type);
}

Extent of_integers(const llvm::BinaryOperator& two, const llvm::ConstantRange& a, const llvm::ConstantRange& b) {
  const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&two);
  if (sum == nullptr) return a.binaryOp(two.getOpcode(), b);
  using Wraps = llvm::OverflowingBinaryOperator;
  const unsigned never = (sum->hasNoSignedWrap() ? unsigned{Wraps::NoSignedWrap} : 0) |
                         (sum->hasNoUnsignedWrap() ? unsigned{Wraps::NoUnsignedWrap} : 0);
  // A shift that loses no bit is a product.
  const llvm::APInt* shift = two.getOpcode() == llvm::Instruction::Shl ? b.getSingleElement() : nullptr;
  const bool is_product = shift != nullptr && never != 0 && shift->ult(a.getBitWidth() - 1);
  const llvm::ConstantRange made =
      is_product ? a.multiplyWithNoWrap(
                       llvm::APInt::getOneBitSet(a.getBitWidth(), static_cast<unsigned>(shift->getZExtValue())), never)
                 : a.overflowingBinaryOp(two.getOpcode(), b, never);
  return made.isEmptySet() ? a.binaryOp(two.getOpcode(), b) : made;
}

/// What a number must be to stand in this relation to another one.
Interval in_relation(llvm::CmpInst::Predicate predicate, const Interval& other) {
  switch (predicate) {
    case llvm::CmpInst::FCMP_OLT:
    case llvm::CmpInst::FCMP_ULT:
      return {-kInfinity, other.high, false, true};
    case llvm::CmpInst::FCMP_OLE:
    case llvm::CmpInst::FCMP_ULE:
      return {-kInfinity, other.high, false, other.below};
    case llvm::CmpInst::FCMP_OGT:
    case llvm::CmpInst::FCMP_UGT:
      return {other.low, kInfinity, true, false};
    case llvm::CmpInst::FCMP_OGE:
    case llvm::CmpInst::FCMP_UGE:
      return {other.low, kInfinity, other.above, false};
    case llvm::CmpInst::FCMP_OEQ:
    case llvm::CmpInst::FCMP_UEQ:
      return other;
    default:
      return whole();
  }
}

Extent allowed(llvm::CmpInst::Predicate predicate, const Extent& other, const llvm::Type& type) {
  if (const auto* range = std::get_if<llvm::ConstantRange>(&other))
    return llvm::ConstantRange::makeAllowedICmpRegion(predicate, *range);
  if (const auto* number = std::get_if<Interval>(&other)) return in_relation(predicate, *number);
  return all_of(type);
}

constexpr unsigned kMostBetween = 3;  // operations between a value and what a condition tells of

/// The extent of a value, or of what it is made of, where a condition has the value `holds`.
Extent extent_if(const llvm::Value& value, const llvm::Value& condition, bool holds, ExtentOf of) {
  llvm::SmallDenseMap<const llvm::Value*, Extent> limits;
  narrow_by(condition, holds, of, [&](const llvm::Value& limited, const Extent& extent) {
    const auto [known, is_new] = limits.try_emplace(&limited, extent);
    if (!is_new) known->second = common(known->second, extent);
  });
  const auto extent = [&](const auto& self, const llvm::Value& part, unsigned depth) -> Extent {
    Extent known = of(part);
    if (const auto limit = limits.find(&part); limit != limits.end()) known = common(known, limit->second);
    const auto* made = llvm::dyn_cast<llvm::Instruction>(&part);
    if (depth == kMostBetween || made == nullptr || is_empty(known) || llvm::isa<llvm::SelectInst>(made)) return known;
    return common(known,
                  computed_extent(*made, [&](const llvm::Value& operand) { return self(self, operand, depth + 1); }));
  };
  return extent(extent, value, 0);
}

/// What an operand must be for the operation to have this value.
void narrow_operands(const llvm::Value& value, const Extent& extent,
                     llvm::function_ref<void(const llvm::Value&, const Extent&)> narrow) {
  narrow(value, extent);
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(&value);
  if (operation == nullptr) return;
  if (llvm::isa<llvm::FreezeInst, llvm::FPExtInst>(operation))
    return narrow_operands(*operation->getOperand(0), extent, narrow);
  if (const auto* number = std::get_if<Interval>(&extent)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(operation);
    if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fabs)
      narrow_operands(*call->getArgOperand(0), Interval{-number->high, number->high, number->below, number->below},
                      narrow);
    return;
  }
  const auto* range = std::get_if<llvm::ConstantRange>(&extent);
  if (range == nullptr) return;
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(operation)) {
    const unsigned bits = operation->getOperand(0)->getType()->getIntegerBitWidth();
    const auto cast = llvm::cast<llvm::CastInst>(operation)->getOpcode();
    const llvm::ConstantRange made =
        range->intersectWith(llvm::ConstantRange::getFull(bits).castOp(cast, range->getBitWidth()));
    return narrow_operands(*operation->getOperand(0), made.truncate(bits), narrow);
  }
  const auto* two = llvm::dyn_cast<llvm::BinaryOperator>(operation);
  const auto* constant = two == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(two->getOperand(1));
  if (constant == nullptr) return;
  if (two->getOpcode() == llvm::Instruction::Add)
    narrow_operands(*two->getOperand(0), range->subtract(constant->getValue()), narrow);
  if (two->getOpcode() == llvm::Instruction::Sub)
    narrow_operands(*two->getOperand(0), range->add(constant->getValue()), narrow);
}

}  // namespace

Extent all_of(const llvm::Type& type) {
  if (type.isIntegerTy()) return llvm::ConstantRange::getFull(type.getIntegerBitWidth());
  if (type.isFloatTy() || type.isDoubleTy()) return whole();
  return {};
}

Extent extent_of(const llvm::Constant& constant) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant))
    return llvm::ConstantRange(integer->getValue());
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant);
  if (number == nullptr || number->getValueAPF().isNaN()) return all_of(*constant.getType());
  if (!constant.getType()->isFloatTy() && !constant.getType()->isDoubleTy()) return {};
  const llvm::APFloat& value = number->getValueAPF();
  const double exact =
      constant.getType()->isFloatTy() ? static_cast<double>(value.convertToFloat()) : value.convertToDouble();
  return Interval{exact, exact, false, false};
}

Extent common(const Extent& a, const Extent& b) {
  if (a.index() == 0 || b.index() == 0) return a.index() == 0 ? b : a;
  if (const auto* range = std::get_if<llvm::ConstantRange>(&a))
    return range->intersectWith(std::get<llvm::ConstantRange>(b));
  const auto& one = std::get<Interval>(a);
  const auto& other = std::get<Interval>(b);
  const Interval& low = one.low > other.low || (one.low == other.low && one.above) ? one : other;
  const Interval& high = one.high < other.high || (one.high == other.high && one.below) ? one : other;
  return Interval{low.low, high.high, low.above, high.below};
}

Extent joined(const Extent& a, const Extent& b) {
  if (a.index() == 0 || b.index() == 0) return {};
  if (is_empty(a) || is_empty(b)) return is_empty(a) ? b : a;
  if (const auto* range = std::get_if<llvm::ConstantRange>(&a))
    return range->unionWith(std::get<llvm::ConstantRange>(b), llvm::ConstantRange::Signed);
  const auto& one = std::get<Interval>(a);
  const auto& other = std::get<Interval>(b);
  const Interval& low = one.low < other.low || (one.low == other.low && !one.above) ? one : other;
  const Interval& high = one.high > other.high || (one.high == other.high && !one.below) ? one : other;
  return Interval{low.low, high.high, low.above, high.below};
}

bool is_empty(const Extent& extent) {
  if (const auto* range = std::get_if<llvm::ConstantRange>(&extent)) return range->isEmptySet();
  const auto* number = std::get_if<Interval>(&extent);
  return number != nullptr &&
         (number->low > number->high || (number->low == number->high && (number->above || number->below)));
}

std::optional<bool> truth_of(const Extent& extent) {
  const auto* range = std::get_if<llvm::ConstantRange>(&extent);
  if (range == nullptr || range->getBitWidth() != 1) return std::nullopt;
  const llvm::APInt* only = range->getSingleElement();
  if (only == nullptr) return std::nullopt;
  return only->isOne();
}

Extent extent_of_truth(bool value) { return llvm::ConstantRange(llvm::APInt(1, value ? 1 : 0)); }

std::optional<bool> decided(llvm::CmpInst::Predicate predicate, const Extent& a, const Extent& b) {
  if (a.index() != b.index() || is_empty(a) || is_empty(b)) return std::nullopt;
  const llvm::CmpInst::Predicate opposite = llvm::CmpInst::getInversePredicate(predicate);
  if (const auto* range = std::get_if<llvm::ConstantRange>(&a)) {
    const auto& other = std::get<llvm::ConstantRange>(b);
    if (range->icmp(predicate, other)) return true;
    if (range->icmp(opposite, other)) return false;
    return std::nullopt;
  }
  if (a.index() == 0) return std::nullopt;
  const auto& number = std::get<Interval>(a);
  if (number.low == number.high && number == std::get<Interval>(b)) {
    using Compare = llvm::CmpInst;
    if (predicate == Compare::FCMP_OEQ || predicate == Compare::FCMP_UEQ) return true;
    if (predicate == Compare::FCMP_ONE || predicate == Compare::FCMP_UNE) return false;
  }
  if (is_empty(common(a, in_relation(predicate, std::get<Interval>(b))))) return false;
  if (is_empty(common(a, in_relation(opposite, std::get<Interval>(b))))) return true;
  return std::nullopt;
}

Extent computed_extent(const llvm::Instruction& operation, ExtentOf of) {
  const llvm::Type& type = *operation.getType();
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&operation)) return of_cast(*cast, of);
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&operation)) return of_intrinsic(*call, of);
  if (llvm::isa<llvm::FreezeInst>(operation)) return of(*operation.getOperand(0));
  if (operation.getOpcode() == llvm::Instruction::FNeg) {
    const Extent a = of(*operation.getOperand(0));
    if (const auto* number = std::get_if<Interval>(&a)) return negative(*number);
  }
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&operation)) {
    if (!type.isIntegerTy(1)) return {};
    const auto known = decided(compare->getPredicate(), of(*compare->getOperand(0)), of(*compare->getOperand(1)));
    return known ? extent_of_truth(*known) : all_of(type);
  }
  if (const auto* chosen = llvm::dyn_cast<llvm::SelectInst>(&operation)) {
    const std::optional<bool> known = truth_of(of(*chosen->getCondition()));
    if (known) return of(*(*known ? chosen->getTrueValue() : chosen->getFalseValue()));
    return joined(extent_if(*chosen->getTrueValue(), *chosen->getCondition(), true, of),
                  extent_if(*chosen->getFalseValue(), *chosen->getCondition(), false, of));
  }
  const auto* two = llvm::dyn_cast<llvm::BinaryOperator>(&operation);
  if (two == nullptr) return all_of(type);
  const Extent a = of(*two->getOperand(0));
  const Extent b = of(*two->getOperand(1));
  if (a.index() != b.index() || is_empty(a) || is_empty(b)) return all_of(type);
  if (const auto* range = std::get_if<llvm::ConstantRange>(&a))
    return of_integers(*two, *range, std::get<llvm::ConstantRange>(b));
  if (const auto* number = std::get_if<Interval>(&a))
    return of_numbers(two->getOpcode(), *number, std::get<Interval>(b), type.isFloatTy());
  return all_of(type);
}

void narrow_by(const llvm::Value& condition, bool holds, ExtentOf of,
               llvm::function_ref<void(const llvm::Value&, const Extent&)> narrow) {
  using namespace llvm::PatternMatch;
  narrow(condition, extent_of_truth(holds));
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  auto& asked = const_cast<llvm::Value&>(condition);  // which LLVM does not change
  if (match(&asked, m_Not(m_Value(a)))) return narrow_by(*a, !holds, of, narrow);
  if (match(&asked, m_Freeze(m_Value(a)))) return narrow_by(*a, holds, of, narrow);
  const bool all =
      holds ? match(&asked, m_LogicalAnd(m_Value(a), m_Value(b))) : match(&asked, m_LogicalOr(m_Value(a), m_Value(b)));
  if (all) {
    narrow_by(*a, holds, of, narrow);
    narrow_by(*b, holds, of, narrow);
    return;
  }
  const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&condition);
  if (compare == nullptr) return;
  const llvm::Value& first = *compare->getOperand(0);
  const llvm::Value& second = *compare->getOperand(1);
  const auto predicate = holds ? compare->getPredicate() : compare->getInversePredicate();
  const Extent one = of(first);
  const Extent other = of(second);
  narrow_operands(first, allowed(predicate, other, *first.getType()), narrow);
  narrow_operands(second, allowed(llvm::CmpInst::getSwappedPredicate(predicate), one, *second.getType()), narrow);
}

}  // namespace gdr::compiler
