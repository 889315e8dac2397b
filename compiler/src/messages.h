// Diagnostics as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// `head`, then `FILE:LINE:COL: error: text` for each diagnostic, or another word for `error`, with the source line
/// where that can be read.
[[nodiscard]] std::string format_messages(std::string head, const std::vector<Diagnostic>& diagnostics,
                                          std::string_view severity = "error");

}  // namespace gdr::compiler
