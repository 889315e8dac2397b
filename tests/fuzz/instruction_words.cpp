// Any instruction word: it is refused with a reason, or decodes to a line that encodes to the same word and prints as
// source that, wherever it is legal, assembles to the same word.
#include <algorithm>

#include "assembled_lines.h"
#include "fuzz.h"
#include "gdr/isa/line.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  isa::InstructionWord word;
  for (std::size_t n = 0; n < std::min(size, 8 * word.parts.size()); ++n) {
    word.parts[n / 8] |= std::uint64_t{data[n]} << (n % 8 * 8);
  }
  const isa::DecodeResult decoded = isa::decode(word);
  FUZZ_HOLDS(decoded.line.has_value() == decoded.error.empty());
  if (!decoded.line) return 0;
  FUZZ_HOLDS(isa::encode(*decoded.line) == word);
  const assembler::AssembleResult result = tests::assemble_lines("  " + isa::print(*decoded.line) + "\n");
  if (!result.program) return 0;
  const auto body = result.program->lines(isa::Section::loop_body);
  FUZZ_HOLDS(body.size() == 1);
  FUZZ_HOLDS(body.front().word == word);
  return 0;
}
