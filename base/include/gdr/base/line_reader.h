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

/// `FILE:LINE`, or the file's name alone for line 0, which an empty file has.
[[nodiscard]] std::string place_in(std::string_view file, std::size_t line);

/// Iterates over the lines of a text that are not empty, and knows the current line number.
class LineReader {
 public:
  /// `name` is that of the file, for messages. The text must outlive the reader. A byte order mark at its beginning is
  /// skipped.
  LineReader(std::string_view text, std::string name);

  /// The next line without its comment (from # on) and without blanks at its ends. Lines that are then empty are
  /// skipped. Nothing at the end of the text. Throws gdr::Error for a last line without line feed, which may end in a
  /// cut-off number.
  [[nodiscard]] std::optional<std::string_view> next();

  /// Number of the line that next() returned last, from 1 on.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// The position as `NAME:LINE`, and before the first line as `NAME`.
  [[nodiscard]] std::string where() const;
  /// Throws gdr::Error `NAME:LINE: WHY`.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string name_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

/// The text without blanks at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Iterates over the fields between commas without holding them all, as comma_fields() gives them.
class CommaFields {
 public:
  explicit CommaFields(std::string_view line) : line_(line) {}
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

/// The fields between commas, each trimmed. Commas within double quotes do not separate fields; quotes around a field
/// are removed.
[[nodiscard]] std::vector<std::string_view> comma_fields(std::string_view line);
/// The fields between blanks.
[[nodiscard]] std::vector<std::string_view> blank_fields(std::string_view line);

/// A field read as a number. `error` is errc() if the whole field is a number, std::errc::result_out_of_range if that
/// number does not fit the type, else std::errc::invalid_argument. A leading plus sign is allowed.
template <class Number>
struct ReadNumber {
  Number value{};
  std::errc error{};
};
template <class Number>
[[nodiscard]] ReadNumber<Number> read_number(std::string_view field) {
  // from_chars accepts no plus sign.
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  ReadNumber<Number> read;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, read.value);
  read.error = stop == end ? error : std::errc::invalid_argument;
  return read;
}

/// The field as a number; nothing if read_number() gives an error.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view field) {
  const ReadNumber<Number> read = read_number<Number>(field);
  return read.error == std::errc() ? std::optional(read.value) : std::nullopt;
}

}  // namespace gdr::base
