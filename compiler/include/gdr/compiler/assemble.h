// Assembles the source of a compiled kernel; with the greatest effort, an iteration may work on two j-records.
#pragma once

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// The places of a compiled kernel's lines in the form that the assembler takes.
[[nodiscard]] std::map<std::uint32_t, std::vector<assembler::WrittenPlace>> made_from(const CompileResult& compiled);

/// Assembles `compiled.source`. With effort 3, an iteration of the loop body works on two j-records if that takes fewer
/// lines: it finishes work that the iteration before began (the assembler's `--schedule=full --pipeline`). This changes
/// no bit of any result.
[[nodiscard]] assembler::AssembleResult assemble_compiled(const CompileResult& compiled, const CompileOptions& options);

}  // namespace gdr::compiler
