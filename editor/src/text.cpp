#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gdr::editor {
namespace {

/// Length in bytes of the UTF-8 character that begins with `first`; 1 for a byte that cannot begin one.
std::size_t bytes_of(unsigned char first) {
  if (first >= 0xf0 && first < 0xf8) return 4;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xc0 && first < 0xe0) return 2;
  return 1;
}

bool stays_as_it_is(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

constexpr std::string_view kScheme = "file://";

}  // namespace

std::string with_line_feeds(std::string text) {
  for (std::size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') text[at] = '\n';
  }
  return text;
}

Text::Text(std::string text) : text_(std::move(text)), begins_{0} {
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    begins_.push_back(at + 1);
  }
}

std::string_view Text::line(std::size_t number) const {
  if (number >= begins_.size()) return {};
  const std::size_t end = number + 1 < begins_.size() ? begins_[number + 1] - 1 : text_.size();
  std::string_view line = std::string_view(text_).substr(begins_[number], end - begins_[number]);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t Text::units_before(std::size_t line, std::size_t byte) const {
  const std::string_view text = this->line(line);
  std::size_t units = 0;
  for (std::size_t at = 0; at < std::min(byte, text.size());) {
    const std::size_t bytes = bytes_of(static_cast<unsigned char>(text[at]));
    units += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return units;
}

std::size_t Text::byte_after(std::size_t line, std::size_t units) const {
  const std::string_view text = this->line(line);
  std::size_t at = 0;
  for (std::size_t seen = 0; seen < units && at < text.size();) {
    const std::size_t bytes = bytes_of(static_cast<unsigned char>(text[at]));
    seen += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return std::min(at, text.size());
}

std::size_t Text::offset_of(std::size_t line, std::size_t units) const {
  return line < begins_.size() ? begins_[line] + byte_after(line, units) : text_.size();
}

std::optional<std::filesystem::path> path_of(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // skips the host name
  if (uri.empty()) return std::nullopt;
  std::string path;
  for (std::size_t at = 0; at < uri.size(); ++at) {
    unsigned byte = 0;
    const bool encoded = uri[at] == '%' && at + 2 < uri.size() &&
                         std::from_chars(&uri[at + 1], &uri[at + 1] + 2, byte, 16).ptr == &uri[at + 1] + 2;
    path += encoded ? static_cast<char>(byte) : uri[at];
    if (encoded) at += 2;
  }
  if (path.find('\0') != std::string::npos) return std::nullopt;
  return path;
}

std::string uri_of(const std::filesystem::path& path) {
  std::string uri(kScheme);
  for (const char c : std::filesystem::absolute(path).lexically_normal().string()) {
    uri += stays_as_it_is(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

std::filesystem::path identity_of(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::path found = std::filesystem::weakly_canonical(path, none);
  return none ? path : found;
}

}  // namespace gdr::editor
