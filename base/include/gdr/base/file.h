// Reads and writes whole files, and never leaves a half-written one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gdr::base {

/// The content of a file. Throws gdr::Error with path and reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Replaces `path` by a file of this content, or leaves it untouched: after a crash, a full disk or a loss of power
/// there is either the old file or the complete new one. The new file keeps the old one's permissions; without an old
/// one the process's umask applies. A symbolic link stays one: the file that it points to is replaced. Other hard links
/// keep the old content. Temporary files that killed processes left beside `path` are removed. Devices and pipes are
/// written in place. Throws gdr::Error with path and reason, also for a file that nobody may write.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder, and those that it is to be in, if it does not exist. Throws gdr::Error with path and reason.
void make_folder(const std::filesystem::path& path);

/// Throws gdr::Error unless write_file() could create or replace `path` now: its folder exists and can be written to,
/// and it is neither a folder nor read-only, nor named like a compressed file. For programs that compute for hours.
void require_writable(const std::filesystem::path& path);

/// A file that grows line by line and loses no finished line.
class LineFile {
 public:
  /// Creates an empty file, or keeps the first `keep_bytes` of an existing one and drops the rest. Throws gdr::Error
  /// with path and reason.
  explicit LineFile(std::filesystem::path path, std::size_t keep_bytes = 0);
  ~LineFile();
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;

  /// Appends `lines`, which end in a line feed, in one write. If that fails, cuts off what was written of them and
  /// throws gdr::Error.
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
