// The endings of names in which gdr writes neither tables nor snapshots, by one rule for both.
#pragma once

#include <filesystem>

namespace gdr::hostlib {

/// Whether the name ends like those of a format in which gdr writes neither tables nor snapshots, such as `.gz` or
/// `.fits`.
[[nodiscard]] bool is_of_other_format(const std::filesystem::path& path);

}  // namespace gdr::hostlib
