#include "ranges.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "import/plugin/arrays/indices.h"

namespace gdr::compiler {
namespace {

constexpr unsigned kMostInside = 6;  // operations, one inside the other
constexpr std::int64_t kMostTableEntries = 1024;

/// True if nothing but loads reaches a variable.
bool is_only_read(const llvm::Value& variable) {
  return llvm::all_of(variable.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::LoadInst>(user) || (llvm::isa<llvm::GEPOperator>(user) && is_only_read(*user));
  });
}

}  // namespace

bool is_constant(const llvm::GlobalVariable& variable) {
  if (!variable.hasDefinitiveInitializer() || variable.isThreadLocal()) return false;
  return variable.isConstant() || (variable.hasLocalLinkage() && is_only_read(variable));
}

Extent extent_of_entries(const llvm::LoadInst& load, ExtentOf of) {
  const llvm::DataLayout& layout = load.getModule()->getDataLayout();
  const llvm::Value* base = load.getPointerOperand();
  llvm::APInt distance(64, 0);
  const Index* one = nullptr;
  std::vector<Index> indices;
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(base)) {
    llvm::MapVector<llvm::Value*, llvm::APInt> others;
    if (!step->collectOffset(layout, 64, others, distance)) return all_of(*load.getType());
    for (const Index& index : indices_of(*step, layout)) indices.push_back(index);
    base = step->getPointerOperand();
  }
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (variable == nullptr || !is_constant(*variable) || indices.size() > 1) return all_of(*load.getType());
  auto& content = const_cast<llvm::Constant&>(*variable->getInitializer());  // which LLVM does not change
  const auto size = static_cast<std::int64_t>(layout.getTypeAllocSize(content.getType()).getFixedValue());
  const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(load.getType()).getFixedValue());
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (!indices.empty()) {
    one = &indices.front();
    const Extent index = of(*one->number);
    const auto* range = std::get_if<llvm::ConstantRange>(&index);
    if (range == nullptr || range->isEmptySet() || one->bytes <= 0 || range->getBitWidth() > 64)
      return all_of(*load.getType());
    low = std::max(range->getSignedMin().getSExtValue(), -size);
    high = std::min(range->getSignedMax().getSExtValue(), size);
  }
  Extent all = all_of(*load.getType());
  bool first = true;
  for (std::int64_t index = low; index <= high; ++index) {
    const std::int64_t place = distance.getSExtValue() + index * (one == nullptr ? 0 : one->bytes);
    if (place < 0 || place + bytes > size) continue;
    if (index - low > kMostTableEntries) return all_of(*load.getType());
    const llvm::Constant* entry = llvm::ConstantFoldLoadFromConst(
        &content, load.getType(), llvm::APInt(64, static_cast<std::uint64_t>(place)), layout);
    if (entry == nullptr) return all_of(*load.getType());
    all = first ? extent_of(*entry) : joined(all, extent_of(*entry));
    first = false;
  }
  return all;
}

Ranges::Ranges(llvm::Function& function, const llvm::DominatorTree& dominators)
    : dominators_(dominators),
      assumptions_(function),
      integers_(&assumptions_, &function.getParent()->getDataLayout()) {}

Extent Ranges::where(const llvm::Value& value, const llvm::Instruction& at) { return where(value, at, 0); }

/// The branches tell it of `n`, and `n + 1` may have been computed before them, as in
/// `if (n >= 0 && n < 8) s += table[n + 1];`.
Extent Ranges::where(const llvm::Value& value, const llvm::Instruction& at, unsigned depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return extent_of(*constant);
  Extent known = all_of(*value.getType());
  if (value.getType()->isIntegerTy()) {
    // LLVM's analysis does not change what it looks at.
    known = integers_.getConstantRange(const_cast<llvm::Value*>(&value), const_cast<llvm::Instruction*>(&at), false);
  } else if (known.index() != 0) {
    known = limited(value, at, depth);
  }
  const auto* made = llvm::dyn_cast<llvm::Instruction>(&value);
  if (depth == kMostInside || made == nullptr || is_empty(known)) return known;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(made)) return common(known, loaded(*load, at, depth));
  if (llvm::isa<llvm::CmpInst>(made)) return known;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(made)) {
    Extent all;
    for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n) {
      const llvm::BasicBlock* source = phi->getIncomingBlock(n);
      if (dominators_.dominates(phi->getParent(), source)) return known;  // of a loop
      const Extent one = where(*phi->getIncomingValue(n), *source->getTerminator(), std::min(depth + 3, kMostInside));
      all = n == 0 ? one : joined(all, one);
    }
    return common(known, all);
  }
  return common(known,
                computed_extent(*made, [&](const llvm::Value& operand) { return where(operand, at, depth + 1); }));
}

Extent Ranges::limited(const llvm::Value& value, const llvm::Instruction& at, unsigned depth) {
  Extent known = all_of(*value.getType());
  if (depth == kMostInside) return known;
  const auto* node = dominators_.getNode(at.getParent());
  for (node = node == nullptr ? nullptr : node->getIDom(); node != nullptr; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (const bool holds : {true, false}) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(holds ? 0 : 1));
      if (!dominators_.dominates(edge, at.getParent())) continue;
      const auto of = [&](const llvm::Value& operand) -> Extent {
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&operand)) return extent_of(*constant);
        return all_of(*operand.getType());
      };
      narrow_by(*branch->getCondition(), holds, of, [&](const llvm::Value& limited, const Extent& extent) {
        if (&limited == &value) known = common(known, extent);
      });
    }
  }
  return known;
}

Extent Ranges::loaded(const llvm::LoadInst& load, const llvm::Instruction& at, unsigned depth) {
  return extent_of_entries(load, [&](const llvm::Value& index) { return where(index, at, depth + 1); });
}

}  // namespace gdr::compiler
