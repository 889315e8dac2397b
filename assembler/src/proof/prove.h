// The proof of legality.
#pragma once

#include "encode/code.h"

namespace gdr::assembler {

/// Proves that the lines are legal on every path, or reports why they are not.
void prove(const SectionLines& lines, const Declared& declared, Reporter& reporter);

/// Proves that transfers and collects do not conflict with the lines' accesses to broadcast memory.
void prove_moves(const SectionCode& code, const Declared& declared, Reporter& reporter);

/// The same for kernels of experiments: that no experiment depends on its place, its round, or the experiment that had
/// its place before.
void prove_experiment(const SectionCode& code, const Declared& declared, Reporter& reporter);

}  // namespace gdr::assembler
