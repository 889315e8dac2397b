#include "places.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <string>

namespace gdr::compiler {
namespace {

// The annotation is this with the number of an entry in the named list: an annotation holds texts and nothing else.
constexpr const char* kList = "gdr.places";
constexpr const char* kEntry = "gdr.place ";

// Entries: name of the variable, the constant or this text, the place.
constexpr const char* kAssignments = "gdr.assignments";
constexpr const char* kLoad = "load";

/// True for a value that no instruction of the assignment computes.
bool is_copied(const llvm::Value& value) {
  return llvm::isa<llvm::ConstantFP, llvm::ConstantInt, llvm::LoadInst>(value);
}

/// What an assignment takes, for comparison. Values that stand in memory are alike.
llvm::Metadata* assigned(const llvm::Value& value, llvm::LLVMContext& context) {
  if (!llvm::isa<llvm::ConstantFP, llvm::ConstantInt>(value)) return llvm::MDString::get(context, kLoad);
  return llvm::ConstantAsMetadata::get(const_cast<llvm::Constant*>(llvm::cast<llvm::Constant>(&value)));
}

}  // namespace

void keep_assignments(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::NamedMDNode* list = module.getOrInsertNamedMetadata(kAssignments);
  list->clearOperands();
  for (llvm::Function& function : module) {
    llvm::DenseMap<const llvm::Value*, const llvm::DILocalVariable*> variables;
    for (llvm::Instruction& next : llvm::instructions(function)) {
      for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(next.getDbgRecordRange())) {
        if (record.getType() == llvm::DbgVariableRecord::LocationType::Declare)
          variables[record.getVariableLocationOp(0)] = record.getVariable();
      }
    }
    for (llvm::Instruction& next : llvm::instructions(function)) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&next);
      const llvm::DILocalVariable* variable = store == nullptr ? nullptr : variables.lookup(store->getPointerOperand());
      llvm::DILocation* place = next.getDebugLoc();
      // The declaration says what is there if nothing is chosen.
      if (variable == nullptr || place == nullptr || place->getLine() == 0 || place->getLine() == variable->getLine())
        continue;
      const llvm::Value& value = *store->getValueOperand();
      if (!is_copied(value)) continue;
      list->addOperand(llvm::MDNode::get(
          context, {llvm::MDString::get(context, variable->getName()), assigned(value, context), place}));
    }
  }
}

const llvm::DILocation* assignment_place(const llvm::Module& module, llvm::StringRef variable,
                                         const llvm::Value& value) {
  const llvm::NamedMDNode* list = module.getNamedMetadata(kAssignments);
  if (!is_copied(value)) return nullptr;
  const llvm::Metadata* wanted = assigned(value, module.getContext());
  if (list == nullptr) return nullptr;
  const llvm::DILocation* found = nullptr;
  for (const llvm::MDNode* entry : list->operands()) {
    if (entry->getNumOperands() != 3 || entry->getOperand(1).get() != wanted) continue;
    const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(entry->getOperand(0).get());
    const auto* place = llvm::dyn_cast_or_null<llvm::DILocation>(entry->getOperand(2).get());
    if (name == nullptr || place == nullptr || name->getString() != variable) continue;
    if (found != nullptr && found->getLine() != place->getLine()) return nullptr;
    found = place;
  }
  return found;
}

void keep_places(llvm::Module& module) {
  llvm::MapVector<llvm::DILocation*, unsigned> numbers;
  llvm::LLVMContext& context = module.getContext();
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        llvm::DILocation* place = next.getDebugLoc();
        if (place == nullptr || place->getLine() == 0 || next.hasMetadata(llvm::LLVMContext::MD_annotation)) continue;
        const unsigned number = numbers.try_emplace(place, numbers.size()).first->second;
        next.setMetadata(llvm::LLVMContext::MD_annotation,
                         llvm::MDNode::get(context, llvm::MDString::get(context, kEntry + std::to_string(number))));
      }
    }
  }
  llvm::NamedMDNode* list = module.getOrInsertNamedMetadata(kList);
  list->clearOperands();
  for (const auto& [place, number] : numbers) list->addOperand(llvm::MDNode::get(context, place));
}

const llvm::DILocation* known_place(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc();
  const llvm::MDNode* annotation = instruction.getMetadata(llvm::LLVMContext::MD_annotation);
  const llvm::NamedMDNode* list = instruction.getModule()->getNamedMetadata(kList);
  if (annotation == nullptr || list == nullptr || annotation->getNumOperands() == 0) return place;
  const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(annotation->getOperand(0).get());
  unsigned number = 0;
  llvm::StringRef digits = text == nullptr ? "" : text->getString();
  if (!digits.consume_front(kEntry) || digits.getAsInteger(10, number) || number >= list->getNumOperands())
    return place;
  const llvm::MDNode* entry = list->getOperand(number);
  if (entry->getNumOperands() == 0) return place;
  const auto* kept = llvm::dyn_cast_or_null<llvm::DILocation>(entry->getOperand(0).get());
  return kept != nullptr ? kept : place;
}

}  // namespace gdr::compiler
