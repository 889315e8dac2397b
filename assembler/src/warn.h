// Warnings: programs that are legal and give other numbers than were meant. Each kind is decided from the effects of
// lines along every way through the kernel.
#pragma once

#include "code.h"
#include "dataflow.h"

namespace gdr::assembler {

/// Tells everything that docs/warnings.md lists. The code is legal.
void warn(const SectionCode& code, const LeftShort& left_short, const Declared& declared, Reporter& reporter);

// One function a kind, or some that need the same.
void warn_of_masked_definitions(const Flow& flow, const Declared& declared, Reporter& reporter);
void warn_of_shared_registers(const Flow& flow, Reporter& reporter);
void warn_of_unused(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter);
void warn_of_constants(const Flow& flow, const Declared& declared, Reporter& reporter);

}  // namespace gdr::assembler
