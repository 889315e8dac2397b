// Any text as a kernel in LSUMP's language: refused with messages, or a kernel that the assembler proves.
#include "fuzz.h"
#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  compiler::CompileOptions options;
  options.effort = 1;
  compiler::CompileResult compiled;
  if (fuzz::refuses([&] { compiled = compiler::compile_lsump(fuzz::text_of(data, size), "fuzz.lsump", options); }))
    return 0;
  FUZZ_HOLDS(compiled.source.empty() != compiled.diagnostics.empty());
  if (compiled.source.empty()) return 0;
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "fuzz.vsm");
  if (!assembled.program)
    std::fprintf(stderr, "%s%s", compiled.source.c_str(), assembler::format_diagnostics(assembled).c_str());
  FUZZ_HOLDS(assembled.program);
  return 0;
}
