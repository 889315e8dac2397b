// Shapes of reports, with the forms of their texts.
#pragma once

#include <span>

#include "gdr/base/report.h"

namespace gdr::hostlib {

/// Of `force`, `nbody`, `run` and `profile compare`.
[[nodiscard]] std::span<const base::ReportShape> shapes_of_runs();
/// Of `dgemm` and `hpl`.
[[nodiscard]] std::span<const base::ReportShape> shapes_of_linear_algebra();

}  // namespace gdr::hostlib
