// What a compiled kernel is as a program: its source assembled and, with the greatest effort, two records at once.
#pragma once

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// Assembles `compiled.source`. With effort 3 a turn of the loop body works on two j-records where that takes fewer
/// lines: it ends what the turn before has begun (the assembler's `--schedule=full --pipeline`), which changes no bit
/// of any result.
[[nodiscard]] assembler::AssembleResult assemble_compiled(const CompileResult& compiled, const CompileOptions& options);

}  // namespace gdr::compiler
