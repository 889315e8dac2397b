// Whole files, read and written so that none is ever left half written.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace gdr::base {

/// Throws gdr::Error with path and reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Replaces `path` by a file of this content, or leaves it untouched: after a crash, a full disk or a loss of power
/// there is either the old file or the complete new one. The new file keeps the old one's permissions; without an old
/// one the process's umask applies. A symbolic link keeps being one: what it points to is replaced. Other hard links
/// keep the old content. Temporary files that killed processes left beside `path` are removed. Devices and pipes are
/// written in place. Throws gdr::Error with path and reason; a file that nobody may write is refused.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws gdr::Error unless write_file() could create or replace `path` now: its folder exists and can be written to,
/// and it is no folder and no read-only file. For programs that compute for hours before they write.
void require_writable(const std::filesystem::path& path);

/// Throws gdr::Error if two of the paths of outputs lead to one file, of which one output would replace the other.
/// Terminals, pipes and other devices take one output after the other.
void refuse_twice_named(std::span<const std::filesystem::path> paths);

/// A file that grows line by line and loses no finished line.
class LineFile {
 public:
  /// Begins an empty file, or goes on after the first `keep_bytes` of an existing one and drops what follows them.
  /// Throws gdr::Error with path and reason.
  explicit LineFile(std::filesystem::path path, std::size_t keep_bytes = 0);
  ~LineFile();
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;

  /// Appends `lines`, which end in a line feed, in one write. Throws gdr::Error; then what was written of them is cut
  /// off.
  void append(std::string_view lines);
  /// Returns when all lines are on the disk. Throws gdr::Error.
  void flush();
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace gdr::base
