// Packs the lines of a kernel without changing what it computes.
#pragma once

#include "code.h"

namespace gdr::assembler {

/// `code`, which prove() has found legal, with each section's operations in as few lines as the scheduler of this level
/// finds. On level `list` registers and T stay as written; on level `full` values move, and names of registers whose
/// values may stand elsewhere leave the program's aliases. A section that would not get shorter, or not be legal, stays
/// as it is, and so does a kernel with transfers or collects: packing would carry operations across them.
[[nodiscard]] SectionCode schedule(SectionCode code, Declared& declared, const ScheduleOptions& options);

}  // namespace gdr::assembler
