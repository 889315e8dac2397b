// What the commands on halo exchanges share: lists of numbers, methods, links that are down.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "gdr/interconnect/halo_plan.h"

namespace gdr::cli {

/// "I,J[,K]" as numbers; what is missing is 1. Throws UsageError naming `option`.
[[nodiscard]] std::array<std::int64_t, interconnect::kHaloDimensions> numbers_of(const std::string& text,
                                                                                 std::string_view option);
[[nodiscard]] std::array<int, interconnect::kHaloDimensions> split_of(const std::string& text, std::string_view option);

/// The cluster with the links "A-B" dropped. Throws UsageError.
[[nodiscard]] interconnect::HaloSystem system_with(const std::vector<std::string>& dropped);

/// Seconds of an exchange and its parts.
[[nodiscard]] Json halo_json(const interconnect::HaloTime& time);

}  // namespace gdr::cli
