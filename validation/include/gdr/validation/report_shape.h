// The shape of the report of `validate`, and its rows.
#pragma once

#include <span>
#include <vector>

#include "gdr/base/report.h"
#include "gdr/validation/report.h"

namespace gdr::validation {

[[nodiscard]] std::span<const base::ReportShape> report_shapes();

/// The field `rows`.
[[nodiscard]] base::Json rows_json(const std::vector<Judged>& rows);

}  // namespace gdr::validation
