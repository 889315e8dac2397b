// Diagnostics as text.
#pragma once

#include <string>
#include <vector>

#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// `head`, then `FILE:LINE:COL: error: text` for each diagnostic, with the source line where that can be read.
[[nodiscard]] std::string format_messages(std::string head, const std::vector<Diagnostic>& diagnostics);

}  // namespace gdr::compiler
