// Structures that stay in memory, because something in them is at an index at run time.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace gdr::compiler {

/// Their members become variables of their own, and they are copied, cleared and stored member by member. True if
/// something changed.
bool part_local_structures(llvm::Function& function);

/// The address some bytes behind a place, made before `at`.
[[nodiscard]] llvm::Value* behind(llvm::Value* place, std::uint64_t bytes, llvm::Instruction& at);

}  // namespace gdr::compiler
