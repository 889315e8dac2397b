// The error that short words cause on data: `gdr cc --precision --i F --j F`.
#pragma once

#include "gdr/compiler/precision.h"
#include "runs/run_input.h"

namespace gdr::cli {

/// `program` is the program compiled from `source`; its variables determine the columns of the data. Throws UsageError
/// and gdr::Error as RunInput and compiler::measure_precision() do.
[[nodiscard]] compiler::PrecisionReport measure(const std::string& source, const compiler::CompileOptions& options,
                                                const RunInput& input, const isa::Program& program,
                                                ProgressShown progress_shown);

}  // namespace gdr::cli
