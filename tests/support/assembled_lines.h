// Lines of assembly by themselves: a kernel around them that has written everything a line may read.
#pragma once

#include <string>
#include <string_view>

#include "gdr/assembler/assembler.h"

namespace gdr::tests {

/// All of GPR and local memory, T, the flags, and broadcast memory behind the j-records from short word 64 on; records
/// have 16 long words. T holds a short word when the loop body begins, which either view of it may read.
inline constexpr std::string_view kEverythingWritten = R"(kernel lines
bvar long record[16] elt
bvar long free[64]
loop initialization
  uxor $lt $lt $lt
  repeat i = 0..7
    upassa $lti $lr{8*i}v $lt
  end
  repeat i = 0..63
    upassa $lti $lm{8*i}v $lt
  end
  repeat i = 1..4
    upassa $lti $lt $ok{i}
  end
  nop
  repeat i = 0..15
    bm $lr0v $lb{64+8*i}v @0
  end
  uxor $t $t $t
loop body
)";

/// First short word of broadcast memory that no record takes.
inline constexpr unsigned kFirstFreeBmWord = 64;

/// A line that leaves time for every write before it to land, and a short word in T.
inline constexpr std::string_view kSeparatingLine = "  vlen 4 ; uxor $t $t $t\n";

/// The lines as the loop body of such a kernel.
[[nodiscard]] inline assembler::AssembleResult assemble_lines(std::string_view lines) {
  return assembler::assemble(std::string(kEverythingWritten).append(lines), "lines.vsm");
}

}  // namespace gdr::tests
