// Any text as a kernel in LSUMP's language: refused with messages, or a kernel that the assembler proves.
#include "compiled.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  fuzz::compiles_or_tells([&](const compiler::CompileOptions& options) {
    return compiler::compile_lsump(fuzz::text_of(data, size), "fuzz.lsump", options);
  });
  return 0;
}
