// What must hold of anything that the kernel compiler is given.
#pragma once

#include "fuzz.h"
#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::fuzz {

/// Calls compile(options): messages or a kernel, never both, and the assembler proves the kernel.
template <class Compile>
void compiles_or_tells(Compile compile) {
  compiler::CompileOptions options;
  options.effort = 1;
  compiler::CompileResult compiled;
  if (refuses([&] { compiled = compile(options); })) return;
  FUZZ_HOLDS(compiled.source.empty() != compiled.diagnostics.empty());
  if (compiled.source.empty()) return;
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "fuzz.vsm");
  if (!assembled.program)
    std::fprintf(stderr, "%s%s", compiled.source.c_str(), assembler::format_diagnostics(assembled).c_str());
  FUZZ_HOLDS(assembled.program);
}

}  // namespace gdr::fuzz
