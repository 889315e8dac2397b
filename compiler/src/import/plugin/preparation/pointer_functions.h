// Functions of the C library that write through pointers.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

// What such functions write, each as a function of its own; of floats with an `f` behind.
inline constexpr const char* kFrexpFraction = "gdr.frexp.fraction";
inline constexpr const char* kFrexpExponent = "gdr.frexp.exponent";
inline constexpr const char* kModfRest = "gdr.modf.rest";
inline constexpr const char* kRemquoQuotient = "gdr.remquo.quotient";

/// Makes of each call of frexp, modf, remquo and sincos a call for each of its results, and stores, so that no variable
/// keeps an address because of it.
void split_pointer_functions(llvm::Module& module);

}  // namespace gdr::compiler
