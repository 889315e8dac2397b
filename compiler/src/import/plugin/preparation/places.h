// Where instructions stand in the source, also after passes of LLVM that forget it.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class DILocation;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace gdr::compiler {

/// Keeps the place of each instruction in an annotation. LLVM gives an instruction that it computes on both sides of a
/// branch the place of the branch, since a debugger of the host should not seem to take both. Here all paths are
/// computed.
void keep_places(llvm::Module& module);

/// Keeps where local variables are assigned constants and members of records: no instruction of that remains once they
/// are in registers, only a choice of two values. Call it while they are in memory.
void keep_assignments(llvm::Module& module);

/// Where a variable of this name is assigned a value; null if that is not kept, or there are several such lines.
[[nodiscard]] const llvm::DILocation* assignment_place(const llvm::Module& module, llvm::StringRef variable,
                                                       const llvm::Value& value);

/// The place that was kept for an instruction, else its own; null if there is none.
[[nodiscard]] const llvm::DILocation* known_place(const llvm::Instruction& instruction);

}  // namespace gdr::compiler
