// Whole files, read and written so that none is ever left half written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gdr::base {

/// Throws gdr::Error with path and reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes a temporary file beside `path`, then renames it; devices and pipes are written in place. Throws gdr::Error
/// with path and reason; `path` is untouched if it does.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace gdr::base
