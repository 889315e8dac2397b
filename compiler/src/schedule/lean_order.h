// Orders of a section's operations in which few values are needed at once.
#pragma once

#include <vector>

#include "microcode/microcode.h"

namespace gdr::compiler {

/// The section in several such orders. In each of them an operation comes after those that it needs. Nothing if the
/// operations need each other in a circle.
[[nodiscard]] std::vector<Operations> lean_orders(const Microcode& code, const Operations& section);

}  // namespace gdr::compiler
