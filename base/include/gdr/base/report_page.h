// A page on the fields of reports.
#pragma once

#include <string>
#include <vector>

#include "gdr/base/report.h"

namespace gdr::base {

/// A page in Markdown with a section for each of the shapes, and one for the fields `common` to all.
[[nodiscard]] std::string fields_page(const std::vector<const ReportShape*>& shapes, const std::vector<Field>& common);

}  // namespace gdr::base
