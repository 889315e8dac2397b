// Shapes of the reports of `as` and `analyse`, and what sets their fields.
#pragma once

#include <span>

#include "gdr/assembler/analysis.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/report.h"

namespace gdr::assembler {

[[nodiscard]] std::span<const base::ReportShape> report_shapes();

/// Sets the fields of a program, null after an error, and of its diagnostics.
void add_assembled(base::Json& json, const AssembleResult& result);
/// The places of the source whose operations a line holds, its own first: file, line, and for places of a compiled
/// program the function with the calls that lead to it, or the uses of macros around.
[[nodiscard]] base::Json sources_of(const isa::Program& program, isa::Section section, std::size_t line);
/// Sets the fields of the analysis of the program's loop.
void add_analysis(base::Json& json, const Analysis& analysis, const isa::Program& program);

}  // namespace gdr::assembler
