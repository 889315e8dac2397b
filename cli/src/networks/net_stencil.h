// Shared by the commands on halo exchanges: lists of numbers, methods, and links that are down.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/interconnect/halo_plan.h"

namespace gdr::cli {

/// Parses "I,J[,K]"; missing numbers are 1. Throws UsageError with the name of `option`.
[[nodiscard]] std::array<std::int64_t, interconnect::kHaloDimensions> numbers_of(const std::string& text,
                                                                                 std::string_view option);
[[nodiscard]] std::array<int, interconnect::kHaloDimensions> split_of(const std::string& text, std::string_view option);

/// The cluster without the links "A-B" in `dropped`. Throws UsageError if a text is not of this form or the link does
/// not exist.
[[nodiscard]] interconnect::HaloSystem system_with(const std::vector<std::string>& dropped);

/// Seconds of an exchange and of its parts.
[[nodiscard]] Json halo_json(const interconnect::HaloTime& time);

/// Adds `--method` and `--drop-link`.
void add_halo_networks(Command command, std::string& method, std::vector<std::string>& dropped);

}  // namespace gdr::cli
