// Loads that take several members of a record at once.
#pragma once

#include <llvm/IR/Module.h>

namespace gdr::compiler {

/// Structures of integers up to 8 bytes are passed and returned in one register of the host, so that copying one is one
/// load of which each member is a part. Here each part is loaded by itself. To be called after arguments were inlined.
void load_members(llvm::Module& module);

}  // namespace gdr::compiler
