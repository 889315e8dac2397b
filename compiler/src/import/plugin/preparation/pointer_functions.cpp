#include "pointer_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <string>
#include <vector>

namespace gdr::compiler {
namespace {

struct Written {
  unsigned argument;  // the pointer's
  const char* function;
  bool is_integer;
};

struct Parts {
  const char* value;  // the function that gives the value; null: there is none
  std::vector<Written> written;
};

const std::map<std::string, Parts, std::less<>>& all_parts() {
  static const std::map<std::string, Parts, std::less<>> all{
      {"frexp", {kFrexpFraction, {{1, kFrexpExponent, true}}}},
      {"modf", {kModfRest, {{1, "trunc", false}}}},
      {"remquo", {"remainder", {{2, kRemquoQuotient, true}}}},
      {"sincos", {nullptr, {{1, "sin", false}, {2, "cos", false}}}}};
  return all;
}

llvm::Value* call_of(llvm::IRBuilder<>& at, const std::string& name, llvm::Type* made,
                     const std::vector<llvm::Value*>& numbers) {
  std::vector<llvm::Type*> types;
  for (const llvm::Value* number : numbers) types.push_back(number->getType());
  const std::string full = numbers.front()->getType()->isFloatTy() ? name + "f" : name;
  llvm::Module& module = *at.GetInsertBlock()->getModule();
  llvm::CallInst* call =
      at.CreateCall(module.getOrInsertFunction(full, llvm::FunctionType::get(made, types, false)), numbers);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);  // so that results that nobody reads vanish
  return call;
}

void split(llvm::CallInst& call, const Parts& parts) {
  llvm::IRBuilder<> at(&call);
  std::vector<llvm::Value*> numbers;
  for (llvm::Value* argument : call.args()) {
    if (!argument->getType()->isPointerTy()) numbers.push_back(argument);
  }
  llvm::Type* type = numbers.front()->getType();
  for (const Written& one : parts.written)
    at.CreateStore(call_of(at, one.function, one.is_integer ? at.getInt32Ty() : type, numbers),
                   call.getArgOperand(one.argument));
  if (parts.value != nullptr && !call.use_empty())
    call.replaceAllUsesWith(call_of(at, parts.value, call.getType(), numbers));
  call.eraseFromParent();
}

/// LLVM's own function, to which clang may turn frexp, has both results as its value.
void split_intrinsic(llvm::IntrinsicInst& call) {
  std::vector<llvm::ExtractValueInst*> results;
  for (llvm::User* user : call.users()) {
    auto* taken = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (taken == nullptr) return;
    results.push_back(taken);
  }
  for (llvm::ExtractValueInst* taken : results) {
    llvm::IRBuilder<> at(&call);
    const bool fraction = taken->getIndices().front() == 0;
    taken->replaceAllUsesWith(
        call_of(at, fraction ? kFrexpFraction : kFrexpExponent, taken->getType(), {call.getArgOperand(0)}));
    taken->eraseFromParent();
  }
  call.eraseFromParent();
}

/// The function of this type, which is declared and not defined: a user's own function of the name is left alone.
const Parts* parts_of(const llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  if (called == nullptr || !called->isDeclaration() || call.arg_empty()) return nullptr;
  const llvm::Type* type = call.getArgOperand(0)->getType();
  llvm::StringRef name = called->getName();
  if (type->isFloatTy() ? !name.consume_back("f") : !type->isDoubleTy()) return nullptr;
  const auto found = all_parts().find(std::string_view(name.data(), name.size()));
  if (found == all_parts().end()) return nullptr;
  for (const Written& one : found->second.written) {
    if (one.argument >= call.arg_size() || !call.getArgOperand(one.argument)->getType()->isPointerTy()) return nullptr;
  }
  return call.getType()->isVoidTy() == (found->second.value == nullptr) ? &found->second : nullptr;
}

}  // namespace

void split_pointer_functions(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(&next)) calls.push_back(call);
      }
    }
  }
  for (llvm::CallInst* call : calls) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    if (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::frexp) {
      split_intrinsic(*intrinsic);
    } else if (const Parts* parts = parts_of(*call)) {
      split(*call, *parts);
    }
  }
}

}  // namespace gdr::compiler
