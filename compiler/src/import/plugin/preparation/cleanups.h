// Scopes that are left in several ways.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Clang lets all ways out of a scope, such as its end, `break`, `continue` and `return`, pass through one block that
/// ends what the scope declared, and keeps in a variable where each of them goes on. Here each goes there itself, so
/// that a way out of a loop is one, and the loop is unrolled.
void part_ways_out(llvm::Module& module);

}  // namespace gdr::compiler
