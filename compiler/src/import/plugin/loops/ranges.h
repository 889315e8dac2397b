// What a value may be where control comes to a place: LLVM's analysis of the branches on the way there, and besides
// floating-point numbers, entries of constant tables, and operations on operands that the branches limit.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "extent.h"

namespace gdr::compiler {

/// True if nothing in the module may change a variable.
[[nodiscard]] bool is_constant(const llvm::GlobalVariable& variable);

class Ranges {
 public:
  /// Valid until the function changes.
  Ranges(llvm::Function& function, const llvm::DominatorTree& dominators);

  [[nodiscard]] Extent where(const llvm::Value& value, const llvm::Instruction& at);

 private:
  Extent where(const llvm::Value& value, const llvm::Instruction& at, unsigned depth);
  /// As the branches that dominate `at` limit it.
  Extent limited(const llvm::Value& value, const llvm::Instruction& at, unsigned depth);
  Extent loaded(const llvm::LoadInst& load, const llvm::Instruction& at, unsigned depth);

  const llvm::DominatorTree& dominators_;
  llvm::AssumptionCache assumptions_;
  llvm::LazyValueInfo integers_;
};

/// The entries of a constant table that an address may mean; unknown if it is no such address.
[[nodiscard]] Extent extent_of_entries(const llvm::LoadInst& load, ExtentOf of);

}  // namespace gdr::compiler
