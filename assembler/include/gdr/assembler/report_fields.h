// Fields of the reports of programs and their sources.
#pragma once

#include <vector>

#include "gdr/base/report.h"

namespace gdr::assembler {

/// `lines`: lines by section.
[[nodiscard]] base::Field lines_field();
/// `clocks_per_iteration`, `bound` and `least_lines` of the loop.
[[nodiscard]] base::Field clocks_field();
[[nodiscard]] base::Field bound_field();
[[nodiscard]] base::Field least_lines_field();
[[nodiscard]] base::Field kernel_or_null();
/// `file`, `line` and `column`.
[[nodiscard]] std::vector<base::Field> position_fields();
/// `compiled`: how a kernel's source was compiled.
[[nodiscard]] base::Field compiled_field();

}  // namespace gdr::assembler
