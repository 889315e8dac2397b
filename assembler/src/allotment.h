// Addresses of registers and local memory, and numbers of flags, for a schedule that is complete.
#pragma once

#include <optional>

#include "placement.h"

namespace gdr::assembler {

/// Nothing if registers, local memory or flags have room for all at a time, but not in one piece.
[[nodiscard]] std::optional<Plan> allotted(const SearchGraph& graph, const Placement& placement, std::size_t lines);

}  // namespace gdr::assembler
