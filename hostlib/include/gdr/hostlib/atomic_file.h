// Output files that are either complete or not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gdr::hostlib {

/// Writes `bytes` to `path` through a temporary file beside it and a rename, so that a reader never sees a part and an
/// older file survives a failure. A symbolic link keeps pointing where it does; something that is no regular file
/// (a pipe, /dev/null) is written directly. Throws gdr::Error naming the path and the system's reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The whole file. Throws gdr::Error naming the path and the system's reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace gdr::hostlib
