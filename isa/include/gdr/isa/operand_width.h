// Widths in which a line offers the operands of its units.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Width of the word that `source` gives in this line; `asked` for the numbers of PE and block, which come in any, and
/// for no operand.
[[nodiscard]] Width operand_width(const Line& line, Source source, Width asked);

}  // namespace gdr::isa
