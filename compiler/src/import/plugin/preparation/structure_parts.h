// Small structures, which the host keeps in registers.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Structures with integers up to 16 bytes are passed and returned as numbers of 64 bits of which each member is a
/// part: copying one is one load, making one puts members together by shifts. Here each member is loaded and handed on
/// by itself, and members of structures that stay in memory, because something in them is at an index at run time,
/// become variables of their own. To be called after functions were put in where they are called. True if variables
/// changed.
bool part_structures(llvm::Module& module);

}  // namespace gdr::compiler
