// What a device has added up, as JSON, for checkpoints. Numbers keep every bit.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

[[nodiscard]] nlohmann::json to_json(const DeviceTotals& totals);
/// Throws nlohmann::json::exception if something is missing.
[[nodiscard]] DeviceTotals totals_from(const nlohmann::json& json);

}  // namespace gdr::hostlib
