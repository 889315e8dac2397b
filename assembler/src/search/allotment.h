// Assigns addresses of registers and local memory, and numbers of flags, for a complete schedule.
#pragma once

#include <optional>

#include "placement.h"

namespace gdr::assembler {

/// Completes the plan. Nothing if the values, or flags, would fit at every moment but not as contiguous words.
[[nodiscard]] std::optional<Plan> allotted(const SearchGraph& graph, const Placement& placement, std::size_t lines);

}  // namespace gdr::assembler
