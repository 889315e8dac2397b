// Functions of complex numbers.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Makes of calls of cabs, carg, cexp, clog, csqrt, cpow and of clang's function for quotients what they are in terms
/// of functions of real numbers.
void expand_complex_functions(llvm::Module& module);

}  // namespace gdr::compiler
