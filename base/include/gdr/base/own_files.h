// What keeps a program from destroying files that are not its own to destroy.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace gdr::base {

/// Throws gdr::Error if one of `outputs` is also one of `inputs`, by whatever name: it would be lost. Files that are
/// not there, and devices and pipes, are no such case.
void refuse_to_overwrite(std::span<const std::filesystem::path> outputs, std::span<const std::filesystem::path> inputs);

/// As write_file(), but a new file may be read and written by this user alone, whatever the umask.
void write_private_file(const std::filesystem::path& path, std::string_view content);

}  // namespace gdr::base
