// LLVM's passes on what clang makes of a source without optimising it, chosen so that every change of a result can
// still be seen.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// How the names of functions begin that stand for changes of results.
inline constexpr const char* kChange = "gdr.change.";

/// Inlines functions, names the changes of results, unrolls loops and simplifies arithmetic. A change of a result by
/// one operation becomes a call of the function `gdr.change.OPERATION`, with the result's address and the operand.
void run_passes(llvm::Module& module);

}  // namespace gdr::compiler
