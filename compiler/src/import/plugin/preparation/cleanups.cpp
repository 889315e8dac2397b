#include "cleanups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>
#include <vector>

namespace gdr::compiler {
namespace {

/// A local variable that nothing but loads and stores of itself reaches.
bool is_own(const llvm::AllocaInst& variable) {
  return variable.getAllocatedType()->isIntegerTy() && llvm::all_of(variable.users(), [&](const llvm::User* user) {
           if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
             return load->isSimple() && load->getType() == variable.getAllocatedType();
           if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
             const llvm::Value* stored = store->getValueOperand();
             return store->isSimple() && stored != &variable && stored->getType() == variable.getAllocatedType();
           }
           const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(user);
           return known != nullptr && known->isLifetimeStartOrEnd();
         });
}

/// The way from the end of a block through blocks that only end what a scope declared.
struct Way {
  std::vector<llvm::CallInst*> ended;  // the calls on it
  llvm::BasicBlock* target = nullptr;  // where it leads; null: nothing on it asks for the variable
};

/// The calls of a block that nothing else is in, but what asks for the variable; false if there is more.
bool take_calls(llvm::BasicBlock& block, const llvm::AllocaInst& variable, std::vector<llvm::CallInst*>& calls) {
  for (llvm::Instruction& next : block) {
    if (next.isTerminator()) break;
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&next); call != nullptr && call->getType()->isVoidTy()) {
      calls.push_back(call);
      continue;
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&next);
    const auto* end = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    const bool asks = load != nullptr && load->getPointerOperand() == &variable && load->hasOneUse() &&
                      end != nullptr && end->getCondition() == load;
    if (!asks) return false;
  }
  return true;
}

/// From a block that gives the variable a number and goes on to one other block.
Way way_from(llvm::BasicBlock& block, const llvm::AllocaInst& variable, const llvm::ConstantInt& number) {
  Way way;
  std::vector<llvm::CallInst*> calls;
  llvm::BasicBlock* at = block.getSingleSuccessor();
  for (std::size_t left = block.getParent()->size(); left > 0 && take_calls(*at, variable, calls); --left) {
    if (auto* end = llvm::dyn_cast<llvm::SwitchInst>(at->getTerminator())) {
      const auto* asked = llvm::dyn_cast<llvm::LoadInst>(end->getCondition());
      if (asked == nullptr || asked->getParent() != at || asked->getPointerOperand() != &variable) break;
      at = end->findCaseValue(&number)->getCaseSuccessor();
      if (!llvm::isa<llvm::PHINode>(at->front())) way = {calls, at};
    } else if (at->getSingleSuccessor() != nullptr) {
      at = at->getSingleSuccessor();
    } else {
      break;
    }
  }
  return way;
}

void part(llvm::BasicBlock& block) {
  auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (end == nullptr || end->isConditional()) return;
  for (llvm::Instruction& next : llvm::reverse(block)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&next);
    if (store == nullptr) continue;
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
    if (variable == nullptr || !is_own(*variable)) continue;
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
    if (number == nullptr) return;
    const Way way = way_from(block, *variable, *number);
    if (way.target == nullptr) return;
    for (llvm::CallInst* call : way.ended) call->clone()->insertBefore(end);
    end->setSuccessor(0, way.target);
    return;
  }
}

}  // namespace

void part_ways_out(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    for (llvm::BasicBlock& block : function) part(block);
    llvm::EliminateUnreachableBlocks(function);
  }
}

}  // namespace gdr::compiler
