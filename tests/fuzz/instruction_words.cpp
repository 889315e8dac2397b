// Any instruction word: it is refused with a reason, or decodes to a line that encodes to the same word and prints as
// source that, wherever it is legal, assembles to a line of the same source. It need not be the same word: the two read
// ports of the GPR can change places, or both read one register where the assembler takes one port.
#include <algorithm>

#include "fuzz.h"
#include "gdr/assembler/assembler.h"
#include "gdr/isa/line.h"

namespace {

/// Writes all that a line may read: GPR, local memory, T, flags, broadcast memory behind a record.
constexpr std::string_view kEverythingWritten = R"(kernel k
bvar long record[16] elt
bvar long free[64]
loop initialization
  repeat i = 0..7
    uxor $lt $lt $lr{8*i}v
  end
  repeat i = 0..63
    uxor $lt $lt $lm{8*i}v
  end
  repeat i = 1..4
    uxor $lt $lt $lt $ok{i}
  end
  nop
  repeat i = 0..15
    bm $lr0v $lb{64+8*i}v @0
  end
  uxor $t $t $t
loop body
)";

}  // namespace

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
  const std::string source = std::string(kEverythingWritten) + "  " + isa::print(*decoded.line) + "\n";
  const assembler::AssembleResult result = assembler::assemble(source, "fuzz.vsm");
  if (!result.program) return 0;
  const auto body = result.program->lines(isa::Section::loop_body);
  FUZZ_HOLDS(body.size() == 1);
  FUZZ_HOLDS(isa::print(isa::decoded(body.front().word)) == isa::print(*decoded.line));
  return 0;
}
