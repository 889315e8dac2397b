// Widths of the operands that a line offers to its units.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Width of the word that `source` provides in this line; `asked` for the numbers of PE and block, which are available
/// in both widths, and for Source::none.
[[nodiscard]] Width operand_width(const Line& line, Source source, Width asked);

}  // namespace gdr::isa
