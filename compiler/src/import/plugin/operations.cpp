// Arithmetic, comparisons, conversions and calls of a pair function.
#include <llvm/IR/Module.h>

#include <cmath>
#include <map>
#include <optional>

#include "function_reader.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

struct Known {
  Act act;
  unsigned operands;
};

/// Functions that are known by their names: of gdr/kernel.h, and of the C library, with and without the `f` of float.
const Known* known_function(llvm::StringRef name) {
  static const std::map<std::string, Known, std::less<>> functions{
      {"gdr_rsqrt", {Act::rsqrt, 1}},  {"gdr_reciprocal", {Act::reciprocal, 1}},
      {"sqrt", {Act::sqrt, 1}},        {"fabs", {Act::absolute, 1}},
      {"fmin", {Act::minimum, 2}},     {"fmax", {Act::maximum, 2}},
      {"exp2", {Act::exp2, 1}},        {"exp", {Act::exp, 1}},
      {"log2", {Act::log2, 1}},        {"log", {Act::log, 1}},
      {"log10", {Act::log10, 1}},      {"expm1", {Act::expm1, 1}},
      {"log1p", {Act::log1p, 1}},      {"pow", {Act::power, 2}},
      {"sin", {Act::sin, 1}},          {"cos", {Act::cos, 1}},
      {"tan", {Act::tan, 1}},          {"tanh", {Act::tanh, 1}},
      {"atan", {Act::atan2, 1}},       {"atan2", {Act::atan2, 2}},
      {"hypot", {Act::hypot, 2}},      {"cbrt", {Act::cube_root, 1}},
      {"erf", {Act::erf, 1}},          {"erfc", {Act::erfc, 1}},
      {"floor", {Act::floor, 1}},      {"ceil", {Act::ceil, 1}},
      {"trunc", {Act::trunc, 1}},      {"round", {Act::round, 1}},
      {"rint", {Act::nearest, 1}},     {"nearbyint", {Act::nearest, 1}},
      {"copysign", {Act::copysign, 2}}};
  const auto found = functions.find(std::string_view(name.data(), name.size()));
  if (found != functions.end()) return &found->second;
  return name.ends_with("f") && name != "f" && functions.contains(std::string_view(name.data(), name.size() - 1)) &&
                 !name.starts_with("gdr_")
             ? &functions.find(std::string_view(name.data(), name.size() - 1))->second
             : nullptr;
}

/// How a function of this name makes an integer: by the nearest one, halves away from 0 or to even ones.
std::optional<Act> rounding_to_integer(llvm::StringRef name) {
  if (name.starts_with("ll")) name = name.drop_front();
  if (!name.consume_front("lr")) return std::nullopt;  // lround, lrint, llround, llrint
  name.consume_back("f");
  if (name == "ound") return Act::round;
  return name == "int" ? std::optional(Act::nearest) : std::nullopt;
}

/// Why a function of the C library has no sense here; null if it may have.
const char* senseless(llvm::StringRef name) {
  if (name.starts_with("nextafter") || name.starts_with("nexttoward"))
    return "words have more bits than the host's numbers, and so other neighbours; add a part of the number, as in "
           "x + x * 1e-15";
  if (name == "nan" || name == "nanf") return "the machine has no NaN";
  if (name == "__assert_fail") return "PEs cannot end a program: compile without assertions, by -D NDEBUG";
  if (name == "div" || name == "ldiv" || name == "lldiv") return "write / and %";
  return nullptr;
}

const char* kFunctions =
    "; known are sqrt, cbrt, hypot, fabs, fmin, fmax, fdim, fma, fmod, remainder, remquo, modf, frexp, ldexp, logb, "
    "ilogb, copysign, exp, exp2, exp10, expm1, log, log2, log10, log1p, pow, sin, cos, sincos, tan, asin, acos, atan, "
    "atan2, sinh, cosh, tanh, asinh, acosh, atanh, erf, erfc, tgamma, lgamma, floor, ceil, trunc, round, rint, lround, "
    "lrint and those of gdr/kernel.h";

}  // namespace

int FunctionReader::binary(const llvm::BinaryOperator& next) {
  using llvm::Instruction;
  if (next.getType()->isIntegerTy(1)) return truth_binary(next);
  if (next.getType()->isIntegerTy()) return integer_binary(next);
  static const std::map<unsigned, Act> acts{{Instruction::FAdd, Act::add},
                                            {Instruction::FSub, Act::sub},
                                            {Instruction::FMul, Act::mul},
                                            {Instruction::FDiv, Act::div}};
  const auto act = acts.find(next.getOpcode());
  if (act == acts.end() && next.getOpcode() != Instruction::FRem)
    return refuse(next, "an operation on numbers that has no counterpart on the machine");
  const Type type = *type_of(*next.getType());
  const int a = value(next.getOperand(0), next);
  const int b = value(next.getOperand(1), next);
  if (a < 0 || b < 0) return -1;
  return act == acts.end() ? what_is_left(type, a, b, false) : add(act->second, type, {a, b});
}

/// Arithmetic modulo 2.
int FunctionReader::truth_binary(const llvm::BinaryOperator& next) {
  using llvm::Instruction;
  const int a = value(next.getOperand(0), next);
  const int b = value(next.getOperand(1), next);
  if (a < 0 || b < 0) return -1;
  switch (next.getOpcode()) {
    case Instruction::And:
    case Instruction::Mul:
      return conditions_.both(a, b);
    case Instruction::Or:
      return conditions_.either(a, b);
    case Instruction::Xor:
    case Instruction::Add:
    case Instruction::Sub:
      return conditions_.choice(a, conditions_.opposite(b), b);
    default:
      return refuse(next, "arithmetic with bool");
  }
}

/// Functions of integers of one bit, which LLVM makes of a bool: with a sign true is -1. Nothing for others.
std::optional<int> FunctionReader::truth_intrinsic(const llvm::IntrinsicInst& next) {
  const auto operand = [&](unsigned n) { return value(next.getArgOperand(n), next); };
  const auto of_two = [&](bool all) {
    const int a = operand(0);
    const int b = operand(1);
    if (a < 0 || b < 0) return -1;
    return all ? conditions_.both(a, b) : conditions_.either(a, b);
  };
  switch (next.getIntrinsicID()) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::bitreverse:
      return operand(0);
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz: {
      const int a = operand(0);
      return a < 0 ? -1 : conditions_.opposite(a);
    }
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
      return of_two(true);
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::uadd_sat:
      return of_two(false);
    default:
      return std::nullopt;
  }
}

int FunctionReader::comparison(const llvm::CmpInst& next) {
  if (next.getOperand(0)->getType()->isPointerTy())
    return refuse(next, "addresses are compared: PEs have no addresses");
  const std::optional<Type> type = type_of(*next.getOperand(0)->getType());
  if (!type) return refuse(next, kTypes);
  const int a = value(next.getOperand(0), next);
  const int b = value(next.getOperand(1), next);
  if (a < 0 || b < 0) return -1;
  if (*type == Type::truth) return truth_comparison(next, a, b);
  return is_float(*type) ? float_comparison(next, a, b) : int_comparison(next, a, b);
}

/// Of bool, as numbers: false is 0, and true is 1 without a sign and -1 with one.
int FunctionReader::truth_comparison(const llvm::CmpInst& next, int a, int b) {
  const auto both = [&](int one, int other) { return conditions_.both(one, other); };
  const auto opposite = [&](int of) { return conditions_.opposite(of); };
  switch (next.getPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
      return conditions_.choice(a, b, opposite(b));
    case llvm::CmpInst::ICMP_NE:
      return conditions_.choice(a, opposite(b), b);
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SGT:
      return both(opposite(a), b);
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLT:
      return both(a, opposite(b));
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_SGE:
      return opposite(both(a, opposite(b)));
    default:
      return opposite(both(opposite(a), b));
  }
}

int FunctionReader::float_comparison(const llvm::CmpInst& next, int a, int b) {
  // There is no NaN, so that a comparison and its unordered form are the same.
  const auto opposite = [&](int of) { return conditions_.opposite(of); };
  switch (next.getPredicate()) {
    case llvm::CmpInst::FCMP_OEQ:
    case llvm::CmpInst::FCMP_UEQ:
      return conditions_.comparison(Act::equal, a, b);
    case llvm::CmpInst::FCMP_ONE:
    case llvm::CmpInst::FCMP_UNE:
      return opposite(conditions_.comparison(Act::equal, a, b));
    case llvm::CmpInst::FCMP_OLT:
    case llvm::CmpInst::FCMP_ULT:
      return conditions_.comparison(Act::less, a, b);
    case llvm::CmpInst::FCMP_OGT:
    case llvm::CmpInst::FCMP_UGT:
      return conditions_.comparison(Act::less, b, a);
    case llvm::CmpInst::FCMP_OLE:
    case llvm::CmpInst::FCMP_ULE:
      return opposite(conditions_.comparison(Act::less, b, a));
    case llvm::CmpInst::FCMP_OGE:
    case llvm::CmpInst::FCMP_UGE:
      return opposite(conditions_.comparison(Act::less, a, b));
    case llvm::CmpInst::FCMP_ORD:
    case llvm::CmpInst::FCMP_TRUE:
      return truth(true);
    default:
      return truth(false);
  }
}

int FunctionReader::cast(const llvm::CastInst& next) {
  const std::optional<Type> from = type_of(*next.getSrcTy());
  if (!from || !type_of(*next.getType())) return refuse(next, kTypes);
  const Type type = *type_of(*next.getType());
  const int operand = value(next.getOperand(0), next);
  if (operand < 0) return -1;
  const bool from_integer = !is_float(*from) && *from != Type::truth;
  if (from_integer && type == Type::truth) {  // the lowest bit
    const int bit = add(Act::iand, *from, {operand, integer(*from, 1)});
    return conditions_.opposite(conditions_.comparison(Act::int_equal, bit, integer(*from, 0)));
  }
  // A wider index of an array is told of where the array is read.
  const auto indexes = [](const llvm::User* user) { return llvm::isa<llvm::GetElementPtrInst>(user); };
  if (from_integer && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(next) && !next.use_empty() &&
      llvm::all_of(next.users(), indexes))
    return -1;
  if (next.getOpcode() == llvm::Instruction::FPExt) return add(Act::widen, type, {operand});
  if (next.getOpcode() == llvm::Instruction::FPTrunc) return add(Act::narrow, type, {operand});
  if (*from != Type::truth) return integer_cast(next, operand);
  const bool minus = next.getOpcode() == llvm::Instruction::SExt || next.getOpcode() == llvm::Instruction::SIToFP;
  const auto number = [&](std::int64_t value) {
    return is_float(type) ? this->number(type, static_cast<double>(value)) : integer(type, value);
  };
  return add(Act::select, type, {operand, number(minus ? -1 : 1), number(0)});
}

int FunctionReader::call(const llvm::CallInst& next) {
  if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&next)) return intrinsic(*known);
  const llvm::Function* called = next.getCalledFunction();
  if (next.isInlineAsm()) return refuse(next, "asm holds instructions of the host, which PEs do not have");
  if (called == nullptr) return refuse(next, "a function is called through a pointer: call it by its name");
  if (called == &function_) return refuse(next, "the function calls itself: write a loop with a fixed number of turns");
  // getSubprogram() takes any note for one: LLVM's verifier asks nothing of those of declarations.
  const auto* described = llvm::dyn_cast_or_null<llvm::DISubprogram>(called->getMetadata(llvm::LLVMContext::MD_dbg));
  llvm::StringRef plain = described != nullptr ? described->getName() : called->getName();
  plain.consume_front("__builtin_");
  const std::string name = plain.str();
  if (const char* reason = called->isDeclaration() ? senseless(plain) : nullptr; reason != nullptr)
    return refuse(next, "function '" + name + "' is called: " + reason);
  if (const auto rounding = rounding_to_integer(called->getName()); rounding && next.arg_size() == 1) {
    return rounded_to_integer(next, *rounding);
  }
  if (const auto made = taken_apart(called->getName(), next)) return *made;
  if (const auto made = composed(called->getName(), next)) return *made;
  const Known* known = known_function(called->getName());
  if (known == nullptr || next.arg_size() != known->operands || !type_of(*next.getType())) {
    return refuse(next, called->isDeclaration() || known != nullptr
                            ? "function '" + name + "' is called, which the machine does not have" + kFunctions
                            : "function '" + name +
                                  "' is called and not inlined: declare it inline, with "
                                  "__attribute__((always_inline)) if it is large, and without recursion");
  }
  std::vector<int> operands;
  for (unsigned n = 0; n < known->operands; ++n) operands.push_back(value(next.getArgOperand(n), next));
  return function(known->act, *type_of(*next.getType()), std::move(operands));
}

int FunctionReader::function(Act act, Type type, std::vector<int> operands) {
  if (act == Act::atan2 && operands.size() == 1) operands.push_back(number(type, 1));
  if (act == Act::power) {
    if (operands[0] < 0 || operands[1] < 0) return -1;
    if (const std::optional<int> made = whole_power(type, operands[0], operands[1])) return *made;
    return signed_power(type, operands[0], operands[1]);
  }
  return add(act, type, std::move(operands));
}

int FunctionReader::rounded_to_integer(const llvm::CallInst& next, Act rounding) {
  const llvm::Value* operand = next.getArgOperand(0);
  const std::optional<Type> from = type_of(*operand->getType());
  const std::optional<Type> to = type_of(*next.getType());
  if (!from || !to || !is_float(*from) || is_float(*to)) return refuse(next, kTypes);
  const int rounded = add(rounding, *from, {value(operand, next)});
  return within(add(Act::to_integer, *to, {rounded}), bounds_of_bits(next.getType()->getIntegerBitWidth(), true));
}

int FunctionReader::intrinsic(const llvm::IntrinsicInst& next) {
  using llvm::Intrinsic::ID;
  static const std::map<ID, Known> known{
      {llvm::Intrinsic::fabs, {Act::absolute, 1}},     {llvm::Intrinsic::copysign, {Act::copysign, 2}},
      {llvm::Intrinsic::minnum, {Act::minimum, 2}},    {llvm::Intrinsic::maxnum, {Act::maximum, 2}},
      {llvm::Intrinsic::minimum, {Act::minimum, 2}},   {llvm::Intrinsic::maximum, {Act::maximum, 2}},
      {llvm::Intrinsic::sqrt, {Act::sqrt, 1}},         {llvm::Intrinsic::exp2, {Act::exp2, 1}},
      {llvm::Intrinsic::exp, {Act::exp, 1}},           {llvm::Intrinsic::log2, {Act::log2, 1}},
      {llvm::Intrinsic::log, {Act::log, 1}},           {llvm::Intrinsic::sin, {Act::sin, 1}},
      {llvm::Intrinsic::cos, {Act::cos, 1}},           {llvm::Intrinsic::rint, {Act::nearest, 1}},
      {llvm::Intrinsic::nearbyint, {Act::nearest, 1}}, {llvm::Intrinsic::roundeven, {Act::nearest, 1}},
      {llvm::Intrinsic::pow, {Act::power, 2}},         {llvm::Intrinsic::log10, {Act::log10, 1}},
      {llvm::Intrinsic::atan, {Act::atan2, 1}},        {llvm::Intrinsic::tan, {Act::tan, 1}},
      {llvm::Intrinsic::tanh, {Act::tanh, 1}},         {llvm::Intrinsic::floor, {Act::floor, 1}},
      {llvm::Intrinsic::ceil, {Act::ceil, 1}},         {llvm::Intrinsic::trunc, {Act::trunc, 1}},
      {llvm::Intrinsic::round, {Act::round, 1}}};
  const ID id = next.getIntrinsicID();
  const auto operand = [&](unsigned n) { return value(next.getArgOperand(n), next); };
  if (const auto found = known.find(id); found != known.end()) {
    std::vector<int> operands;
    for (unsigned n = 0; n < found->second.operands; ++n) operands.push_back(operand(n));
    return function(found->second.act, *type_of(*next.getType()), std::move(operands));
  }
  if (next.getType()->isVoidTy()) {
    const bool harmless = next.isAssumeLikeIntrinsic() || id == llvm::Intrinsic::experimental_noalias_scope_decl;
    return harmless ? -1 : refuse(next, "memory is copied or set as a whole: write the fields one by one");
  }
  if (!type_of(*next.getType())) return refuse(next, kTypes);
  const Type type = *type_of(*next.getType());
  if (type == Type::truth) {
    if (const std::optional<int> made = truth_intrinsic(next)) return *made;
  }
  if (const std::optional<int> made = integer_intrinsic(next)) return *made;
  if (id == llvm::Intrinsic::is_fpclass) return is_of_class(next);
  if (id == llvm::Intrinsic::fma && type == Type::float_short) {  // the product of floats is exact: rounded once
    const auto wide = [&](unsigned n) { return add(Act::widen, Type::float_long, {operand(n)}); };
    const int product = add(Act::mul, Type::float_long, {wide(0), wide(1)});
    return add(Act::narrow, type, {add(Act::add, Type::float_long, {product, wide(2)})});
  }
  if (id == llvm::Intrinsic::fma || id == llvm::Intrinsic::fmuladd) {
    return add(Act::add, type, {add(Act::mul, type, {operand(0), operand(1)}), operand(2)});
  }
  const llvm::StringRef plain = next.getCalledFunction()->getName().split('.').second.split('.').first;
  if (const auto rounding = rounding_to_integer(plain)) return rounded_to_integer(next, *rounding);
  if (const auto made = composed(plain, next)) return *made;
  const std::string name = plain.str();
  return refuse(next, "the function '" + name + "' has no counterpart on the machine" + kFunctions);
}

}  // namespace gdr::compiler
