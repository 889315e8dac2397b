// Packs the lines of a kernel without changing what it computes.
#pragma once

#include "code.h"

namespace gdr::assembler {

/// `code`, which prove() has found legal, with each section's operations in as few lines as the list scheduler finds.
/// Registers and T stay as written. A section that would not get shorter, or not be legal, stays as it is, and so does
/// a kernel with transfers or collects: packing would carry operations across them.
[[nodiscard]] SectionCode schedule(SectionCode code, const Declared& declared);

}  // namespace gdr::assembler
