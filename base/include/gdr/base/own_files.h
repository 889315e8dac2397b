// What keeps a program from destroying files that are not its own to destroy.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace gdr::base {

/// Throws gdr::Error if one of `outputs` is also one of `inputs`, by whatever name: it would be lost. Files that are
/// not there, and devices and pipes, are no such case.
void refuse_to_overwrite(std::span<const std::filesystem::path> outputs, std::span<const std::filesystem::path> inputs);

/// Throws gdr::Error if one of `outputs` is the regular file that standard output goes to: the file would be replaced,
/// and what is printed would be lost.
void refuse_file_of_standard_output(std::span<const std::filesystem::path> outputs);

/// Says which files this process is going to write. As long as such a file is still the old one, read_file() refuses
/// it: an input that no option names, but another input, would be lost. Files that are not there, devices and pipes may
/// be read. For programs with one set of outputs, told once before they read.
void expect_outputs(std::span<const std::filesystem::path> outputs);

/// What read_file() refuses after expect_outputs(), for an input that another program reads. Throws gdr::Error.
void refuse_expected_output(const std::filesystem::path& input);

/// As write_file(), but a new file may be read and written by this user alone, whatever the umask.
void write_private_file(const std::filesystem::path& path, std::string_view content);

}  // namespace gdr::base
