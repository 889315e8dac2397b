// Text with positions as editors count them, and file names as URIs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::editor {

/// A text. Lines count from 0, as in the protocol.
class Text {
 public:
  explicit Text(std::string text);

  [[nodiscard]] const std::string& all() const { return text_; }
  [[nodiscard]] std::size_t lines() const { return begins_.size(); }
  /// A line without its line break; empty beyond the last line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  /// Number of UTF-16 units before byte `byte` of a line.
  [[nodiscard]] std::size_t units_before(std::size_t line, std::size_t byte) const;
  /// Byte offset after `units` UTF-16 units of a line; the line's length if it has fewer.
  [[nodiscard]] std::size_t byte_after(std::size_t line, std::size_t units) const;
  /// The same from the begin of the text; the length of the text beyond the last line.
  [[nodiscard]] std::size_t offset_of(std::size_t line, std::size_t units) const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
};

/// The text with a line feed in place of each carriage return that ends a line alone: it does so in the protocol, but
/// not for the assembler.
[[nodiscard]] std::string with_line_feeds(std::string text);

/// The path of a `file:` URI; nothing for any other URI.
[[nodiscard]] std::optional<std::filesystem::path> path_of(std::string_view uri);
[[nodiscard]] std::string uri_of(const std::filesystem::path& path);
/// A path that is the same for every spelling of a file's path.
[[nodiscard]] std::filesystem::path identity_of(const std::filesystem::path& path);

}  // namespace gdr::editor
