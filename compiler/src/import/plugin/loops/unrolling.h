// Unrolls the loops that LLVM leaves: those whose number of turns has a limit that LLVM does not find.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include <string>

namespace gdr::compiler {

/// One block of each loop leads back to its beginning: else LLVM makes two loops of one with `continue`, neither of
/// which has the limit of both.
void join_ends_of_turns(llvm::Module& module);

/// True if a loop has been unrolled; what follows from its turns is not yet simplified.
bool unroll_limited_loops(llvm::Module& module);

struct LeftLoop {
  std::string missing;  // what a limit of its turns, or unrolling, would take
  const llvm::Instruction* at = nullptr;
};

/// The first innermost loop of a function with one.
[[nodiscard]] LeftLoop left_loop(llvm::Function& function);

}  // namespace gdr::compiler
