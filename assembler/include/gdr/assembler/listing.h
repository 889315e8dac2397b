// Listing of a program for its author: every line with its word, clock and units, the data layout, and the loop's
// bound.
#pragma once

#include <span>
#include <string>

#include "gdr/assembler/assembler.h"
#include "gdr/isa/program.h"

namespace gdr::assembler {

/// The listing as text. `files` are the program's sources, as in AssembleResult::files; without them each line shows
/// its disassembly.
[[nodiscard]] std::string listing(const isa::Program& program, std::span<const SourceFile> files = {});

}  // namespace gdr::assembler
