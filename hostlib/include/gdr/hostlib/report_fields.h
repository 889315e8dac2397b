// Fields of the reports of devices and of all runs.
#pragma once

#include <vector>

#include "gdr/base/report.h"

namespace gdr::hostlib {

/// The fields of every result, `options` and the host's time included.
[[nodiscard]] const std::vector<base::Field>& fields_of_all_reports();
/// `kernel_sha256` and `machine_sha256`.
[[nodiscard]] std::vector<base::Field> digest_fields();
/// What a device's results add to the fields of all reports.
[[nodiscard]] std::vector<base::Field> device_fields();
[[nodiscard]] base::Field transfer_field();
[[nodiscard]] base::Field clock_field();
[[nodiscard]] base::Field boards_field();

}  // namespace gdr::hostlib
