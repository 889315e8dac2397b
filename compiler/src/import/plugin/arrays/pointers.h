// Variables that are pointers into an array.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Pointers that come from several places of one function, all into one variable, as std::lower_bound moves them,
/// become that variable with an index. Those to elements of several variables, as `n > 0 ? a : b` is, become the number
/// of the element, by which reads and writes choose. True if there were any.
bool index_by_pointers(llvm::Module& module);

}  // namespace gdr::compiler
