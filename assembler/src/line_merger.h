// Operations of different lines brought onto one.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::assembler {

/// Adds the operation that `unit` does in `from` to `to`, with its ports. False, and `to` undefined, if unit or ports
/// are taken, or if vector lengths or masks differ. Operations added in the order of their units give the encoder's
/// line.
[[nodiscard]] bool add_operation(isa::Line& to, const isa::Line& from, isa::Unit unit);

}  // namespace gdr::assembler
