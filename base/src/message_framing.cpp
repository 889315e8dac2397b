#include "gdr/base/message_framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gdr/base/error.h"

namespace gdr::base {
namespace {

constexpr std::string_view kLengthName = "content-length:";

bool begins_with_length(std::string_view line) {
  if (line.size() < kLengthName.size()) return false;
  for (std::size_t n = 0; n < kLengthName.size(); ++n) {
    const char c = line[n] >= 'A' && line[n] <= 'Z' ? static_cast<char>(line[n] + ('a' - 'A')) : line[n];
    if (c != kLengthName[n]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> MessageFraming::next() {
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (std::min(end, buffer_.size()) > kMostHeaderBytes) {
    throw Error(fmt::format("a header has more than {} bytes", kMostHeaderBytes));
  }
  if (end == std::string::npos) return std::nullopt;
  std::optional<std::size_t> length;
  std::string_view header = std::string_view(buffer_).substr(0, end);
  while (!header.empty()) {
    const std::size_t stop = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, stop);
    header.remove_prefix(std::min(stop + 2, header.size()));
    if (!begins_with_length(line)) continue;
    line.remove_prefix(kLengthName.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::size_t value = 0;
    const auto [last, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || last != line.data() + line.size() || value > kMostMessageBytes) {
      throw Error(
          fmt::format("Content-Length: '{}' is refused: it must be 0 to {}", line.substr(0, 40), kMostMessageBytes));
    }
    length = value;
  }
  if (!length) throw Error("a header has no Content-Length");
  if (buffer_.size() - end - 4 < *length) return std::nullopt;
  std::string message = buffer_.substr(end + 4, *length);
  buffer_.erase(0, end + 4 + *length);
  return message;
}

std::string framed(std::string_view content) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

}  // namespace gdr::base
