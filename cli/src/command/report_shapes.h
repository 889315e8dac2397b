// The shapes of all reports, which the components hold: what `gdr schema` and the page on fields print.
#pragma once

#include <string_view>
#include <vector>

#include "gdr/base/report.h"

namespace gdr::cli {

/// The shapes of all reports, in the order of the commands' names.
[[nodiscard]] const std::vector<const base::ReportShape*>& report_shapes();

/// The shape of the report of a command such as "net bcast"; nullptr if it has none.
[[nodiscard]] const base::ReportShape* report_shape(std::string_view command);

}  // namespace gdr::cli
