// The totals of a device as JSON, for checkpoints. Numbers keep every bit.
#pragma once

#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

[[nodiscard]] base::Json to_json(const DeviceTotals& totals);
/// Throws base::JsonError if a value is missing or of another type.
[[nodiscard]] DeviceTotals totals_from(const base::JsonValue& json);

}  // namespace gdr::hostlib
