// Assembles the source of a compiled kernel; with the greatest effort, an iteration may work on two j-records.
#pragma once

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// Assembles `compiled.source`. With effort 3, an iteration of the loop body works on two j-records if that takes fewer
/// lines: it finishes work that the iteration before began (the assembler's `--schedule=full --pipeline`). This changes
/// no bit of any result.
[[nodiscard]] assembler::AssembleResult assemble_compiled(const CompileResult& compiled, const CompileOptions& options);

}  // namespace gdr::compiler
