#include "complex_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <string>
#include <vector>

namespace gdr::compiler {
namespace {

struct Complex {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
};

/// Writes the code before a call.
class Expansion {
 public:
  explicit Expansion(llvm::CallInst& call) : at_(&call) {}

  /// The numbers that a call receives. Two floats are one vector there.
  std::vector<llvm::Value*> numbers(const llvm::CallInst& call) {
    std::vector<llvm::Value*> all;
    for (llvm::Value* argument : call.args()) {
      if (!argument->getType()->isVectorTy()) {
        all.push_back(argument);
        continue;
      }
      for (const std::uint64_t n : {0, 1}) all.push_back(at_.CreateExtractElement(argument, n));
    }
    return all;
  }

  llvm::Value* packed(const Complex& z, llvm::Type* type) {
    llvm::Value* made = llvm::PoisonValue::get(type);
    if (type->isVectorTy())
      return at_.CreateInsertElement(at_.CreateInsertElement(made, z.re, std::uint64_t{0}), z.im, std::uint64_t{1});
    return at_.CreateInsertValue(at_.CreateInsertValue(made, z.re, 0), z.im, 1);
  }

  llvm::Value* abs(const Complex& z) { return of("hypot", {z.re, z.im}); }
  llvm::Value* arg(const Complex& z) { return of("atan2", {z.im, z.re}); }
  Complex log(const Complex& z) { return {of("log", {abs(z)}), arg(z)}; }

  Complex exp(const Complex& z) {
    llvm::Value* size = of("exp", {z.re});
    return {at_.CreateFMul(size, of("cos", {z.im})), at_.CreateFMul(size, of("sin", {z.im}))};
  }

  Complex product(const Complex& a, const Complex& b) {
    return {at_.CreateFSub(at_.CreateFMul(a.re, b.re), at_.CreateFMul(a.im, b.im)),
            at_.CreateFAdd(at_.CreateFMul(a.re, b.im), at_.CreateFMul(a.im, b.re))};
  }

  Complex power(const Complex& a, const Complex& b) {
    const Complex made = exp(product(b, log(a)));
    const auto zero = [&](llvm::Value* value) { return at_.CreateFCmpOEQ(value, real(value, 0)); };
    llvm::Value* of_zero = at_.CreateAnd(zero(a.re), zero(a.im));
    llvm::Value* by_zero = at_.CreateAnd(zero(b.re), zero(b.im));
    llvm::Value* end = at_.CreateSelect(by_zero, real(a.re, 1), real(a.re, 0));
    return {at_.CreateSelect(at_.CreateOr(of_zero, by_zero), end, made.re),
            at_.CreateSelect(at_.CreateOr(of_zero, by_zero), real(a.re, 0), made.im)};
  }

  /// The root of the greater part, without cancellation, and the other part by a quotient.
  Complex sqrt(const Complex& z) {
    llvm::Value* size = at_.CreateFAdd(abs(z), of("fabs", {z.re}));
    llvm::Value* root = of("sqrt", {at_.CreateFMul(size, real(size, 0.5))});
    llvm::Value* is_zero = at_.CreateFCmpOEQ(root, real(root, 0));
    llvm::Value* twice = at_.CreateSelect(is_zero, real(root, 1), at_.CreateFAdd(root, root));
    llvm::Value* other = at_.CreateFDiv(of("fabs", {z.im}), twice);
    llvm::Value* left = at_.CreateFCmpOLT(z.re, real(root, 0));
    llvm::Value* up = at_.CreateSelect(left, root, other);
    return {at_.CreateSelect(left, other, root), of("copysign", {up, z.im})};
  }

  /// Smith 1962: no square, which may be beyond the range.
  Complex quotient(const Complex& a, const Complex& b) {
    llvm::Value* flat = at_.CreateFCmpOGE(of("fabs", {b.re}), of("fabs", {b.im}));
    llvm::Value* greater = at_.CreateSelect(flat, b.re, b.im);
    llvm::Value* lesser = at_.CreateSelect(flat, b.im, b.re);
    llvm::Value* ratio = at_.CreateFDiv(lesser, greater);
    llvm::Value* divisor = at_.CreateFAdd(greater, at_.CreateFMul(lesser, ratio));
    const auto times = [&](llvm::Value* one, llvm::Value* other) {  // one + other * ratio, or one * ratio + other
      return at_.CreateFAdd(at_.CreateSelect(flat, one, other),
                            at_.CreateFMul(at_.CreateSelect(flat, other, one), ratio));
    };
    llvm::Value* re = times(a.re, a.im);
    llvm::Value* im = times(a.im, at_.CreateFNeg(a.re));
    return {at_.CreateFDiv(re, divisor), at_.CreateFDiv(im, divisor)};
  }

 private:
  static llvm::Value* real(llvm::Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

  llvm::Value* of(const std::string& name, const std::vector<llvm::Value*>& numbers) {
    llvm::Type* type = numbers.front()->getType();
    const std::vector<llvm::Type*> types(numbers.size(), type);
    llvm::CallInst* call =
        at_.CreateCall(at_.GetInsertBlock()->getModule()->getOrInsertFunction(
                           name + (type->isFloatTy() ? "f" : ""), llvm::FunctionType::get(type, types, false)),
                       numbers);
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::WillReturn);
    return call;
  }

  llvm::IRBuilder<> at_;
};

enum class ComplexKind { abs, arg, exp, log, sqrt, power, quotient };

struct ComplexFunction {
  ComplexKind kind;
  std::size_t numbers;
  bool is_real;  // its value
};

const ComplexFunction* complex_function(const llvm::Function* called) {
  static const std::map<std::string, ComplexFunction, std::less<>> all{
      {"cabs", {ComplexKind::abs, 2, true}},           {"carg", {ComplexKind::arg, 2, true}},
      {"cexp", {ComplexKind::exp, 2, false}},          {"clog", {ComplexKind::log, 2, false}},
      {"csqrt", {ComplexKind::sqrt, 2, false}},        {"cpow", {ComplexKind::power, 4, false}},
      {"cabsf", {ComplexKind::abs, 2, true}},          {"cargf", {ComplexKind::arg, 2, true}},
      {"cexpf", {ComplexKind::exp, 2, false}},         {"clogf", {ComplexKind::log, 2, false}},
      {"csqrtf", {ComplexKind::sqrt, 2, false}},       {"cpowf", {ComplexKind::power, 4, false}},
      {"__divdc3", {ComplexKind::quotient, 4, false}}, {"__divsc3", {ComplexKind::quotient, 4, false}}};
  if (called == nullptr || !called->isDeclaration()) return nullptr;
  const auto found = all.find(std::string_view(called->getName().data(), called->getName().size()));
  return found == all.end() ? nullptr : &found->second;
}

/// True if a value is a number, or two of them, that words hold.
bool is_complex(const llvm::Type& type) {
  if (const auto* both = llvm::dyn_cast<llvm::StructType>(&type))
    return both->getNumElements() == 2 && both->getElementType(0)->isDoubleTy() &&
           both->getElementType(1)->isDoubleTy();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector != nullptr && vector->getNumElements() == 2 && vector->getElementType()->isFloatTy();
}

void expand(llvm::CallInst& call, const ComplexFunction& known) {
  llvm::Type* type = call.getType();
  if (known.is_real ? !type->isFloatTy() && !type->isDoubleTy() : !is_complex(*type)) return;
  Expansion code(call);
  const std::vector<llvm::Value*> numbers = code.numbers(call);
  if (numbers.size() != known.numbers) return;
  const Complex a{numbers[0], numbers[1]};
  const Complex b = numbers.size() > 2 ? Complex{numbers[2], numbers[3]} : Complex{};
  llvm::Value* made = nullptr;
  switch (known.kind) {
    case ComplexKind::abs:
      made = code.abs(a);
      break;
    case ComplexKind::arg:
      made = code.arg(a);
      break;
    case ComplexKind::exp:
      made = code.packed(code.exp(a), type);
      break;
    case ComplexKind::log:
      made = code.packed(code.log(a), type);
      break;
    case ComplexKind::sqrt:
      made = code.packed(code.sqrt(a), type);
      break;
    case ComplexKind::power:
      made = code.packed(code.power(a, b), type);
      break;
    case ComplexKind::quotient:
      made = code.packed(code.quotient(a, b), type);
      break;
  }
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

}  // namespace

void expand_complex_functions(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&next);
        if (call != nullptr && complex_function(call->getCalledFunction()) != nullptr) calls.push_back(call);
      }
    }
  }
  for (llvm::CallInst* call : calls) expand(*call, *complex_function(call->getCalledFunction()));
}

}  // namespace gdr::compiler
