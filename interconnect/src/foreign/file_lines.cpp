#include "file_lines.h"

#include <fmt/format.h>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"

namespace gdr::interconnect {

std::optional<std::string_view> FileLines::next() {
  if (rest_.empty()) return std::nullopt;
  ++line_;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (line.find('\0') != std::string_view::npos) refuse("a zero byte in this line: the file is damaged, or no text");
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void FileLines::refuse_at(std::size_t line, std::string_view why) const {
  throw Error(fmt::format("{}: {}", base::place_in(name_, line), why));
}

}  // namespace gdr::interconnect
