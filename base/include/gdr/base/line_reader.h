// Text files of numbers, line by line: CSV, snapshots, graphs.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace gdr::base {

/// Goes through the lines of a text that hold something, and knows where it is.
class LineReader {
 public:
  /// `name` is the file's, for messages. The text must outlive the reader. A byte order mark at its beginning is passed
  /// over.
  LineReader(std::string_view text, std::string name);

  /// The next line without comment (from # on) and blanks at its ends; lines without anything else are passed over.
  /// Nothing at the end. Throws gdr::Error for a last line without line feed: a number may be cut off there.
  [[nodiscard]] std::optional<std::string_view> next();

  /// Of the line that next() gave, from 1 on.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// NAME:LINE.
  [[nodiscard]] std::string where() const;
  /// Throws gdr::Error `NAME:LINE: WHY`.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string name_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

/// Without blanks at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// What commas divide, each trimmed. Commas within double quotes divide nothing; quotes round a field are left out.
[[nodiscard]] std::vector<std::string_view> comma_fields(std::string_view line);
/// What blanks divide.
[[nodiscard]] std::vector<std::string_view> blank_fields(std::string_view line);

/// A field as a number and what is wrong with it: errc() if all of it is one, std::errc::result_out_of_range if it is
/// one that does not fit, else std::errc::invalid_argument. A plus sign may stand in front.
template <class Number>
struct ReadNumber {
  Number value{};
  std::errc error{};
};
template <class Number>
[[nodiscard]] ReadNumber<Number> read_number(std::string_view field) {
  // from_chars knows no plus sign.
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  ReadNumber<Number> read;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, read.value);
  read.error = stop == end ? error : std::errc::invalid_argument;
  return read;
}

/// The same, where why it is none does not matter.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view field) {
  const ReadNumber<Number> read = read_number<Number>(field);
  return read.error == std::errc() ? std::optional(read.value) : std::nullopt;
}

}  // namespace gdr::base
