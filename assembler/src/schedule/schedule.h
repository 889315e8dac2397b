// Packs the lines of a kernel without changing what it computes.
#pragma once

#include "encode/code.h"

namespace gdr::assembler {

/// Returns `code` with each section packed into as few lines as the scheduler of this level finds. `code` must be legal
/// by prove(). On level `list` registers and T stay as written. On level `full` values move, and names of registers
/// whose values may be elsewhere are removed from the program's aliases. A section stays as it is if packing would not
/// make it shorter or legal. A kernel with transfers or collects stays as it is, because packing would move operations
/// across them.
[[nodiscard]] SectionCode schedule(SectionCode code, Declared& declared, const ScheduleOptions& options);

}  // namespace gdr::assembler
