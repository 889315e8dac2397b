// Merges operations of different lines into one line.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::assembler {

/// Adds to `to` the operation of `unit` in `from`, with its ports. Returns false, and leaves `to` undefined, if the
/// unit or a port is in use or if vector lengths or masks differ. If operations are added in the order of their units,
/// the line is the one that the encoder makes.
[[nodiscard]] bool add_operation(isa::Line& to, const isa::Line& from, isa::Unit unit);

}  // namespace gdr::assembler
