// Shapes of reports, with the forms of their texts.
#pragma once

#include <span>

#include "gdr/base/report.h"

namespace gdr::emulator {

/// Of `fp show` and `machine devices`.
[[nodiscard]] std::span<const base::ReportShape> report_shapes();

}  // namespace gdr::emulator
