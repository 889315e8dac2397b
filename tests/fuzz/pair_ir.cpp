// Any text as LLVM's code of a pair function: refused with messages, or a kernel that the assembler proves.
#include "compiled.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  const std::string_view text = fuzz::text_of(data, size);
  // Bitcode is LLVM's to refuse, and its reader ends the process for some.
  const bool bitcode = size >= 2 && (text.starts_with("BC") || text.starts_with("\xde\xc0"));
  if (bitcode || !compiler::available()) return 0;
  fuzz::compiles_or_tells(
      [&](const compiler::CompileOptions& options) { return compiler::compile_ir(text, "fuzz.ll", options); });
  return 0;
}
