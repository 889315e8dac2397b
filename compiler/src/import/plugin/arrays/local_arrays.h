// Local arrays at indices that are known only when the kernel runs.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Reads and writes all elements of such arrays, at constant indices, and chooses by comparisons of the index: after
/// that LLVM takes the arrays apart. True if there were any.
bool choose_elements(llvm::Module& module);

}  // namespace gdr::compiler
