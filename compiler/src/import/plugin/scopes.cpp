#include "scopes.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include <utility>
#include <vector>

namespace gdr::compiler {
namespace {

/// The nodes of a module's metadata, each once.
class Nodes {
 public:
  explicit Nodes(const llvm::Module& module) {
    for (const llvm::NamedMDNode& named : module.named_metadata()) {
      for (const llvm::MDNode* node : named.operands()) add(node);
    }
    for (const llvm::GlobalVariable& variable : module.globals()) add_attached(variable);
    for (const llvm::Function& function : module) {
      add_attached(function);
      for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& instruction : block) add(instruction);
      }
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {  // grows meanwhile
      for (const llvm::MDOperand& operand : nodes_[n]->operands()) add(operand.get());
    }
  }

  [[nodiscard]] const std::vector<const llvm::MDNode*>& all() const { return nodes_; }

 private:
  void add(const llvm::Metadata* metadata) {
    const auto* node = llvm::dyn_cast_or_null<llvm::MDNode>(metadata);
    if (node != nullptr && seen_.insert(node).second) nodes_.push_back(node);
  }

  template <class Value>
  void add_attached(const Value& value) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>> attached;
    value.getAllMetadata(attached);
    for (const auto& [kind, node] : attached) add(node);
  }

  void add(const llvm::Instruction& instruction) {
    add_attached(instruction);  // its place among them
    for (const llvm::Use& operand : instruction.operands()) {
      if (const auto* value = llvm::dyn_cast<llvm::MetadataAsValue>(operand)) add(value->getMetadata());
    }
    for (const llvm::DbgRecord& record : instruction.getDbgRecordRange()) {
      add(record.getDebugLoc().getAsMDNode());
      if (const auto* variable = llvm::dyn_cast<llvm::DbgVariableRecord>(&record)) add(variable->getRawVariable());
      if (const auto* label = llvm::dyn_cast<llvm::DbgLabelRecord>(&record)) add(label->getRawLabel());
    }
  }

  std::vector<const llvm::MDNode*> nodes_;
  llvm::DenseSet<const llvm::MDNode*> seen_;
};

/// The next node on the way outwards, if LLVM goes on from there.
const llvm::Metadata* outside_of(const llvm::MDNode& node) {
  if (const auto* block = llvm::dyn_cast<llvm::DILexicalBlockBase>(&node)) return block->getRawScope();
  if (const auto* place = llvm::dyn_cast<llvm::DILocation>(&node)) return place->getRawInlinedAt();
  return nullptr;
}

}  // namespace

bool has_cyclic_scopes(const llvm::Module& module) {
  llvm::DenseSet<const llvm::MDNode*> ending;  // the way outwards from these ends
  const Nodes nodes(module);
  for (const llvm::MDNode* const start : nodes.all()) {
    llvm::DenseSet<const llvm::MDNode*> way;
    for (const llvm::MDNode* node = start; node != nullptr && !ending.contains(node);) {
      if (!way.insert(node).second) return true;
      node = llvm::dyn_cast_or_null<llvm::MDNode>(outside_of(*node));
    }
    ending.insert(way.begin(), way.end());
  }
  return false;
}

}  // namespace gdr::compiler
