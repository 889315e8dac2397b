// What keeps a program from destroying files that are not its own to destroy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gdr::base {

/// A file that a program writes or reads, and what leads to it: an option, a variable, a setting. The name of the file
/// may be derived: an option that writes several files has an entry for each.
struct NamedFile {
  std::string by;
  std::filesystem::path path;
  std::string replaces = {};  // `by` of an input that this output may replace, as a run's checkpoint does
  bool numbered = false;      // stands for all files that numbered_path() can give for `path`
  bool awaited = false;       // an input that another program makes later: compared by name, as it may not exist yet
};

/// `path` with the number of an output before its extension: snap-0001.txt for snap.txt.
[[nodiscard]] std::filesystem::path numbered_path(const std::filesystem::path& path, std::uint64_t number);
/// The number in a name that numbered_path() gave; none for other names.
[[nodiscard]] std::optional<std::uint64_t> number_in_path(const std::filesystem::path& path);

/// Throws gdr::Error if one of `outputs` would replace another one or one of `inputs`, by whatever name: its content
/// would be lost. The message has the path and what leads to it, twice. Empty paths, and devices and pipes, which take
/// one output after the other, are no such case.
void refuse_lost_files(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs = {});

/// Throws gdr::Error if one of `outputs` is the regular file that standard output goes to: the file would be replaced,
/// and what is printed would be lost.
void refuse_file_of_standard_output(std::span<const NamedFile> outputs);

/// Says which files this process is going to write. As long as such a file is still the old one, read_file() refuses
/// it: an input that no option names, but another input, would be lost. Files that are not there, devices and pipes may
/// be read. For programs with one set of outputs, told once before they read.
void expect_outputs(std::span<const std::filesystem::path> outputs);

/// What read_file() refuses after expect_outputs(), for an input that another program reads. Throws gdr::Error.
void refuse_expected_output(const std::filesystem::path& input);

/// As write_file(), and calls `before_replacing` when the new content is on the disk and `path` still has the old one:
/// to keep the old one, of which nothing is lost if the new one cannot be written. Not for devices and pipes.
void write_file(const std::filesystem::path& path, std::string_view content,
                const std::function<void()>& before_replacing);

/// As write_file(), but a new file may be read and written by this user alone, whatever the umask.
void write_private_file(const std::filesystem::path& path, std::string_view content);

}  // namespace gdr::base
