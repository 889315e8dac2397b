// Arithmetic, comparisons, conversions and calls of a pair function.
#include <llvm/IR/Module.h>

#include <map>

#include "function_reader.h"

namespace gdr::compiler {
namespace {

struct Known {
  Act act;
  unsigned operands;
};

/// Functions that are known by their names: of gdr/kernel.h, and of the C library where clang leaves calls to it.
const Known* known_function(llvm::StringRef name) {
  static const std::map<std::string, Known, std::less<>> functions{
      {"gdr_rsqrt", {Act::rsqrt, 1}},    {"gdr_reciprocal", {Act::reciprocal, 1}},
      {"sqrtf", {Act::sqrt, 1}},         {"sqrt", {Act::sqrt, 1}},
      {"fabsf", {Act::absolute, 1}},     {"fabs", {Act::absolute, 1}},
      {"fminf", {Act::minimum, 2}},      {"fmin", {Act::minimum, 2}},
      {"fmaxf", {Act::maximum, 2}},      {"fmax", {Act::maximum, 2}},
      {"exp2f", {Act::exp2, 1}},         {"exp2", {Act::exp2, 1}},
      {"expf", {Act::exp, 1}},           {"exp", {Act::exp, 1}},
      {"log2f", {Act::log2, 1}},         {"log2", {Act::log2, 1}},
      {"logf", {Act::log, 1}},           {"log", {Act::log, 1}},
      {"sinf", {Act::sin, 1}},           {"sin", {Act::sin, 1}},
      {"cosf", {Act::cos, 1}},           {"cos", {Act::cos, 1}},
      {"rintf", {Act::nearest, 1}},      {"rint", {Act::nearest, 1}},
      {"nearbyintf", {Act::nearest, 1}}, {"nearbyint", {Act::nearest, 1}},
      {"copysignf", {Act::copysign, 2}}, {"copysign", {Act::copysign, 2}}};
  const auto found = functions.find(std::string_view(name.data(), name.size()));
  return found == functions.end() ? nullptr : &found->second;
}

constexpr const char* kNoBytes = "values are float, double, 32-bit and 64-bit integers, and bool";

const char* kFunctions =
    "; known are sqrt, fabs, fmin, fmax, copysign, exp, exp2, log, log2, sin, cos, rint and those of gdr/kernel.h";

}  // namespace

int FunctionReader::integer_product(const llvm::BinaryOperator& next) {
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(next.getOperand(1));
  if (factor == nullptr)
    return refuse(next, "the machine has no product of integers: use float, or factors that are constants");
  const Type type = *type_of(*next.getType());
  const int a = value(next.getOperand(0), next);
  const llvm::APInt bits = factor->getValue().abs();
  int sum = -1;
  for (unsigned n = 0; n < bits.getBitWidth(); ++n) {
    if (!bits[n]) continue;
    const int count = add(Act::constant, type, {});
    result_.nodes.back().integer = n;
    const int term = n == 0 ? a : add(Act::shift_left, type, {a, count});
    sum = sum < 0 ? term : add(Act::iadd, type, {sum, term});
  }
  if (sum < 0 || !factor->isNegative()) return sum < 0 ? constant(*factor, next) : sum;
  const int zero = add(Act::constant, type, {});
  return add(Act::isub, type, {zero, sum});
}

int FunctionReader::binary(const llvm::BinaryOperator& next) {
  using llvm::Instruction;
  static const std::map<unsigned, Act> acts{
      {Instruction::FAdd, Act::add},         {Instruction::FSub, Act::sub},
      {Instruction::FMul, Act::mul},         {Instruction::FDiv, Act::div},
      {Instruction::Add, Act::iadd},         {Instruction::Sub, Act::isub},
      {Instruction::And, Act::iand},         {Instruction::Or, Act::ior},
      {Instruction::Xor, Act::ixor},         {Instruction::Shl, Act::shift_left},
      {Instruction::AShr, Act::shift_right}, {Instruction::LShr, Act::shift_right_unsigned}};
  if (next.getOpcode() == Instruction::Mul) return integer_product(next);
  const auto act = acts.find(next.getOpcode());
  if (act == acts.end()) {
    return refuse(next, "the machine has no division of integers and no fmod: use float, or shifts");
  }
  const Type type = *type_of(*next.getType());
  const int a = value(next.getOperand(0), next);
  const int b = value(next.getOperand(1), next);
  const bool bits = act->second == Act::iand || act->second == Act::ior || act->second == Act::ixor;
  if (next.getType()->isIntegerTy(8) && !bits) return refuse(next, kNoBytes);
  if (type != Type::truth) return add(act->second, type, {a, b});
  switch (next.getOpcode()) {
    case Instruction::And:
      return a < 0 || b < 0 ? -1 : conditions_.both(a, b);
    case Instruction::Or:
      return a < 0 || b < 0 ? -1 : conditions_.either(a, b);
    case Instruction::Xor:
    case Instruction::Add:
    case Instruction::Sub:
      return a < 0 || b < 0 ? -1 : conditions_.choice(a, conditions_.opposite(b), b);
    default:
      return refuse(next, "arithmetic with bool");
  }
}

int FunctionReader::comparison(const llvm::CmpInst& next) {
  if (next.getOperand(0)->getType()->isPointerTy())
    return refuse(next, "addresses are compared: PEs have no addresses");
  const std::optional<Type> type = type_of(*next.getOperand(0)->getType());
  if (!type) return refuse(next, "values are float, double, 32-bit and 64-bit integers, and bool");
  if (next.getOperand(0)->getType()->isIntegerTy(8) && !next.isEquality() && next.isSigned())
    return refuse(next, kNoBytes);
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

int FunctionReader::int_comparison(const llvm::CmpInst& next, int a, int b) {
  const auto opposite = [&](int of) { return conditions_.opposite(of); };
  const Act less = llvm::CmpInst::isUnsigned(next.getPredicate()) ? Act::int_less_unsigned : Act::int_less;
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

int FunctionReader::cast(const llvm::CastInst& next) {
  const std::optional<Type> from = type_of(*next.getSrcTy());
  if (!from) return refuse(next, "values are float, double, 32-bit and 64-bit integers, and bool");
  const Type type = *type_of(*next.getType());
  const int operand = value(next.getOperand(0), next);
  if (operand < 0) return -1;
  const auto number = [&](std::int64_t integer) {
    const int made = add(Act::constant, type, {});
    result_.nodes.back().integer = integer;
    result_.nodes.back().number = static_cast<double>(integer);
    return made;
  };
  const bool from_integer = !is_float(*from) && *from != Type::truth;
  if (from_integer && type == Type::truth) {  // the lowest bit
    Node one;
    one.type = *from;
    one.integer = 1;
    result_.nodes.push_back(one);
    const int bit = add(Act::iand, *from, {operand, static_cast<int>(result_.nodes.size()) - 1});
    result_.nodes.push_back(one);
    result_.nodes.back().integer = 0;
    return conditions_.opposite(
        conditions_.comparison(Act::int_equal, bit, static_cast<int>(result_.nodes.size()) - 1));
  }
  const bool of_byte = next.getSrcTy()->isIntegerTy(8);
  const bool to_byte = next.getType()->isIntegerTy(8) && *from != Type::truth;
  const bool sign = next.getOpcode() == llvm::Instruction::SExt || next.getOpcode() == llvm::Instruction::SIToFP;
  if (to_byte || (of_byte && sign)) return refuse(next, kNoBytes);
  if (of_byte && type == Type::int_short) return operand;
  // A wider index of an array is told of where the array is read.
  const auto indexes = [](const llvm::User* user) { return llvm::isa<llvm::GetElementPtrInst>(user); };
  if (from_integer && !next.use_empty() && llvm::all_of(next.users(), indexes)) return -1;
  switch (next.getOpcode()) {
    case llvm::Instruction::FPExt:
      return add(Act::widen, type, {operand});
    case llvm::Instruction::FPTrunc:
      return add(Act::narrow, type, {operand});
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::SIToFP: {
      const bool minus = next.getOpcode() == llvm::Instruction::SExt || next.getOpcode() == llvm::Instruction::SIToFP;
      if (*from == Type::truth) return add(Act::select, type, {operand, number(minus ? -1 : 1), number(0)});
      if (is_float(type)) return add(Act::from_integer, type, {operand});
      return add(Act::widen, type, {operand});
    }
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      if (type == Type::int_short) return add(Act::to_integer, type, {operand});
      break;
    default:
      break;
  }
  return refuse(next,
                from_integer && !is_float(type)
                    ? "a 64-bit integer does not become a 32-bit one: use one of them"
                    : "a number does not become a 64-bit integer, nor its bits one: use a 32-bit integer below 2^22");
}

int FunctionReader::call(const llvm::CallInst& next) {
  if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&next)) return intrinsic(*known);
  const llvm::Function* called = next.getCalledFunction();
  if (called == nullptr) return refuse(next, "a function is called through a pointer: call it by its name");
  if (called == &function_) return refuse(next, "the function calls itself: write a loop with a fixed number of turns");
  // getSubprogram() takes any note for one: LLVM's verifier asks nothing of those of declarations.
  const auto* described = llvm::dyn_cast_or_null<llvm::DISubprogram>(called->getMetadata(llvm::LLVMContext::MD_dbg));
  const std::string name = described != nullptr ? described->getName().str() : called->getName().str();
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
  return add(known->act, *type_of(*next.getType()), std::move(operands));
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
      {llvm::Intrinsic::smin, {Act::imin, 2}},         {llvm::Intrinsic::smax, {Act::imax, 2}}};
  const ID id = next.getIntrinsicID();
  const auto operand = [&](unsigned n) { return value(next.getArgOperand(n), next); };
  if (const auto found = known.find(id); found != known.end()) {
    std::vector<int> operands;
    for (unsigned n = 0; n < found->second.operands; ++n) operands.push_back(operand(n));
    return add(found->second.act, *type_of(*next.getType()), std::move(operands));
  }
  if (next.getType()->isVoidTy()) {
    const bool harmless = next.isAssumeLikeIntrinsic() || id == llvm::Intrinsic::experimental_noalias_scope_decl;
    return harmless ? -1 : refuse(next, "memory is copied or set as a whole: write the fields one by one");
  }
  const Type type = *type_of(*next.getType());
  if (id == llvm::Intrinsic::fma || id == llvm::Intrinsic::fmuladd) {
    return add(Act::add, type, {add(Act::mul, type, {operand(0), operand(1)}), operand(2)});
  }
  if (id == llvm::Intrinsic::abs) {
    const int zero = add(Act::constant, type, {});
    return add(Act::imax, type, {operand(0), add(Act::isub, type, {zero, operand(0)})});
  }
  return refuse(next, "LLVM's function " + next.getCalledFunction()->getName().str() +
                          " has no counterpart on the machine" + kFunctions);
}

}  // namespace gdr::compiler
