// Sums, differences and products that say whether they are beyond their type.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Makes of each __builtin_add_overflow and its like, which LLVM keeps as one operation with two results, the operation
/// and a comparison. Products of 64 bits stay.
void part_checked_sums(llvm::Module& module);

}  // namespace gdr::compiler
