// Shapes of reports, with the forms of their texts.
#pragma once

#include <span>

#include "gdr/base/report.h"

namespace gdr::interconnect {

/// Of `net` with its subcommands.
[[nodiscard]] std::span<const base::ReportShape> report_shapes();

}  // namespace gdr::interconnect
