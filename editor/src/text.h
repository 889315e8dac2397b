// Text as editors count it, and names of files as they write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::editor {

/// Lines count from 0, as in the protocol.
class Text {
 public:
  explicit Text(std::string text);

  [[nodiscard]] const std::string& all() const { return text_; }
  [[nodiscard]] std::size_t lines() const { return begins_.size(); }
  /// Without its end; empty beyond the last line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  /// UTF-16 units in front of byte `byte` of a line.
  [[nodiscard]] std::size_t units_before(std::size_t line, std::size_t byte) const;
  /// The byte behind `units` UTF-16 units of a line; its end if it has fewer.
  [[nodiscard]] std::size_t byte_after(std::size_t line, std::size_t units) const;
  /// The same from the begin of the text; its end beyond the last line.
  [[nodiscard]] std::size_t offset_of(std::size_t line, std::size_t units) const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
};

/// The path that a `file:` URI names; nothing of any other.
[[nodiscard]] std::optional<std::filesystem::path> path_of(std::string_view uri);
[[nodiscard]] std::string uri_of(const std::filesystem::path& path);
/// The same for every spelling of a file's path.
[[nodiscard]] std::filesystem::path identity_of(const std::filesystem::path& path);

}  // namespace gdr::editor
