// What short words cost on data: `gdr cc --precision --i F --j F`.
#pragma once

#include "gdr/compiler/precision.h"
#include "run_input.h"

namespace gdr::cli {

/// `program` is what `source` compiles to; it tells which columns the data have. Throws UsageError and gdr::Error as
/// RunInput and compiler::measure_precision().
[[nodiscard]] compiler::PrecisionReport measure(const std::string& source, const compiler::CompileOptions& options,
                                                const RunInput& input, const isa::Program& program,
                                                ProgressShown progress_shown);

[[nodiscard]] Json precision_json(const compiler::PrecisionReport& report);
void print_precision_report(const compiler::PrecisionReport& report);

}  // namespace gdr::cli
