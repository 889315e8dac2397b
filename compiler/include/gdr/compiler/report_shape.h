// The shape of the report of `cc`, what sets its fields, and its texts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gdr/base/report.h"
#include "gdr/compiler/compiler.h"
#include "gdr/compiler/precision.h"
#include "gdr/isa/program.h"

namespace gdr::compiler {

[[nodiscard]] std::span<const base::ReportShape> report_shapes();

/// The field `diagnostics`: warnings, then errors.
[[nodiscard]] base::Json diagnostics_json(const std::vector<Diagnostic>& errors,
                                          const std::vector<Diagnostic>& warnings = {});
/// The field `precision_report`.
[[nodiscard]] base::Json precision_json(const PrecisionReport& report);
/// Sets the fields of a kernel and of its program, null after an error. `costs`: errors of short words on data.
void add_compiled(base::Json& json, const CompileResult& compiled, const std::optional<isa::Program>& program,
                  const std::optional<PrecisionReport>& costs);

/// A table of the operations with their widths, for a terminal.
[[nodiscard]] std::string widths_text(const CompileResult& compiled);
/// Tables of the errors of results, and of each operation's part in them.
[[nodiscard]] std::string precision_text(const PrecisionReport& report);

}  // namespace gdr::compiler
