#include "checked_sums.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace gdr::compiler {
namespace {

struct Checked {
  llvm::Value* result = nullptr;
  llvm::Value* is_beyond = nullptr;
};

Checked product(llvm::IRBuilder<>& builder, const llvm::WithOverflowInst& operation) {
  llvm::Value* a = operation.getLHS();
  llvm::Type* own = a->getType();
  llvm::Type* wide = builder.getInt64Ty();
  const auto widened = [&](llvm::Value* value) {
    return operation.isSigned() ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  llvm::Value* whole = builder.CreateMul(widened(a), widened(operation.getRHS()));
  llvm::Value* result = builder.CreateTrunc(whole, own);
  return {result, builder.CreateICmpNE(whole, widened(result))};
}

Checked sum(llvm::IRBuilder<>& builder, const llvm::WithOverflowInst& operation) {
  llvm::Value* a = operation.getLHS();
  llvm::Value* b = operation.getRHS();
  const bool adds = operation.getBinaryOp() == llvm::Instruction::Add;
  llvm::Value* result = builder.CreateBinOp(operation.getBinaryOp(), a, b);
  if (!operation.isSigned()) return {result, adds ? builder.CreateICmpULT(result, a) : builder.CreateICmpULT(a, b)};
  // Both operands have the other sign than the result; in a difference the second one has it with its sign changed.
  llvm::Value* first = builder.CreateXor(a, result);
  llvm::Value* second = adds ? builder.CreateXor(b, result) : builder.CreateXor(a, b);
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  return {result, builder.CreateICmpSLT(builder.CreateAnd(first, second), zero)};
}

void part(llvm::WithOverflowInst& operation) {
  constexpr unsigned kWidest = 32;  // of products
  const bool multiplies = operation.getBinaryOp() == llvm::Instruction::Mul;
  if (multiplies && operation.getLHS()->getType()->getIntegerBitWidth() > kWidest) return;
  for (llvm::User* user : operation.users()) {
    if (!llvm::isa<llvm::ExtractValueInst>(user)) return;
  }
  llvm::IRBuilder<> builder(&operation);
  const Checked made = multiplies ? product(builder, operation) : sum(builder, operation);
  for (llvm::User* user : llvm::make_early_inc_range(operation.users())) {
    auto* part = llvm::cast<llvm::ExtractValueInst>(user);
    part->replaceAllUsesWith(part->getIndices().front() == 0 ? made.result : made.is_beyond);
    part->eraseFromParent();
  }
  operation.eraseFromParent();
}

}  // namespace

void part_checked_sums(llvm::Module& module) {
  for (llvm::Function& function : module) {
    std::vector<llvm::WithOverflowInst*> found;
    for (llvm::Instruction& next : llvm::instructions(function)) {
      if (auto* operation = llvm::dyn_cast<llvm::WithOverflowInst>(&next)) found.push_back(operation);
    }
    for (llvm::WithOverflowInst* one : found) part(*one);
  }
}

}  // namespace gdr::compiler
