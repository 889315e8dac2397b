// The fields of every report: what `gdr schema` and the page on fields print, and what the reports are checked against.
#pragma once

#include <string_view>
#include <vector>

#include "gdr/base/report.h"

namespace gdr::cli {

/// The fields of every result, `options` and the host's time included.
[[nodiscard]] const std::vector<base::Field>& fields_of_all_reports();

/// The shapes of all reports, in the order of the commands' names.
[[nodiscard]] const std::vector<const base::ReportShape*>& report_shapes();

/// The form of a report's text, for base::text_of(); empty if the command writes its text by itself.
[[nodiscard]] std::string_view report_text(std::string_view command);

/// The shape of the report of a command such as "net bcast"; nullptr if it has none.
[[nodiscard]] const base::ReportShape* report_shape(std::string_view command);

}  // namespace gdr::cli
