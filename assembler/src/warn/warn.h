// Warnings about programs that are legal but compute other numbers than their author meant. Each kind is decided from
// the effects of lines on every path through the kernel.
#pragma once

#include "encode/code.h"
#include "flow/dataflow.h"

namespace gdr::assembler {

/// Reports all warnings that docs/kernels/warnings.md lists. The code must be legal.
void warn(const SectionCode& code, const LeftShort& left_short, const Declared& declared, Reporter& reporter);

// One function for each kind, or for several kinds that need the same data.
void warn_of_masked_definitions(const Flow& flow, const Declared& declared, Reporter& reporter);
void warn_of_shared_registers(const Flow& flow, Reporter& reporter);
void warn_of_unused(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter);
void warn_of_one_block(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter);
void warn_of_short_reads(const Flow& flow, Reporter& reporter);
void warn_of_types(const Flow& flow, const Declared& declared, Reporter& reporter);
void warn_of_constants(const Flow& flow, const Declared& declared, Reporter& reporter);

}  // namespace gdr::assembler
