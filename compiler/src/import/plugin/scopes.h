// What must hold of a module's debug information before LLVM may look at it.
#pragma once

namespace llvm {
class Module;
}

namespace gdr::compiler {

/// Whether a lexical block lies inside itself, or a place is inlined into itself. LLVM follows both without an end, its
/// verifier too.
[[nodiscard]] bool has_cyclic_scopes(const llvm::Module& module);

}  // namespace gdr::compiler
