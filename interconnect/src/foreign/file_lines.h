// Lines of files of other programs, with their numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::interconnect {

/// Unlike base::LineReader this gives lines with their comments and without blanks taken away, and takes a last line
/// without line feed.
class FileLines {
 public:
  FileLines(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::size_t line() const { return line_; }
  /// Throws gdr::Error `NAME:LINE: WHY`.
  [[noreturn]] void refuse(std::string_view why) const { refuse_at(line_, why); }
  /// The same for a line that was read before.
  [[noreturn]] void refuse_at(std::size_t line, std::string_view why) const;

 private:
  std::string_view rest_;
  std::string name_;
  std::size_t line_ = 0;
};

}  // namespace gdr::interconnect
