// What the ending of a file's name says of the file's format, by one rule for tables and snapshots.
#pragma once

#include <filesystem>
#include <string>

namespace gdr::hostlib {

/// The ending in small letters: `.csv` of `run.CSV`; empty if there is none.
[[nodiscard]] std::string ending_of(const std::filesystem::path& path);

/// Whether the name ends like those of a format in which gdr writes neither tables nor snapshots, such as `.gz` or
/// `.fits`.
[[nodiscard]] bool is_of_other_format(const std::filesystem::path& path);

}  // namespace gdr::hostlib
