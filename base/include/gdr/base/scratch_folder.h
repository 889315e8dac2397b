// A folder for files that other programs or functions want to have, and that nobody keeps.
#pragma once

#include <filesystem>
#include <string_view>

namespace gdr::base {

/// A folder of this process in the folder for temporary files (TMPDIR, or /tmp), which is gone with this object.
class ScratchFolder {
 public:
  /// The folder is named `name`-XXXXXX. Throws gdr::Error with path and reason if it cannot be made.
  explicit ScratchFolder(std::string_view name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace gdr::base
