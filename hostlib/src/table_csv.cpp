// Tables as CSV.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "gdr/base/error.h"
#include "table_format.h"

namespace gdr::hostlib {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The end of the field that begins at `at`: the next comma outside of double quotes.
std::size_t field_end(std::string_view line, std::size_t at) {
  bool quoted = false;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == ',' && !quoted) break;
  }
  return at;
}

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = field_end(line, at);
    fields.push_back(unquoted(line.substr(at, end - at)));
    at = end + 1;
  }
  return fields;
}

/// Goes from one line with something in it to the next, and knows where it is.
class Lines {
 public:
  Lines(std::string_view text, const std::string& name) : name_(name), rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// The next line that is neither blank nor a comment; nothing at the end.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      const std::string_view line = trimmed(rest_.substr(0, end));
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
      ++line_;
      if (!line.empty() && line.front() != '#') return line;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string where() const { return fmt::format("{}:{}", name_, line_); }

 private:
  const std::string& name_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

[[noreturn]] void refuse(const Lines& lines, const std::string& column, std::string_view text, std::string_view why) {
  throw Error(fmt::format("{}: column '{}': '{}' {}", lines.where(), column, text, why));
}

template <class Number>
Number parse(const Lines& lines, const std::string& column, std::string_view text) {
  constexpr bool kReal = std::is_floating_point_v<Number>;
  // from_chars knows no plus sign.
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const std::string_view digits = plus ? text.substr(1) : text;
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuse(lines, column, text, kReal ? "is no number" : "is no integer");
  }
  if (error == std::errc::result_out_of_range) {
    refuse(lines, column, text, kReal ? "is outside the range of a double" : "is outside the range of 64 bits");
  }
  if constexpr (kReal) {
    if (std::isnan(value)) refuse(lines, column, text, "is not a number, which the machine does not have");
  }
  return value;
}

/// Rows of numbers from `lines` on. `indices`: field of each expected column.
class Rows {
 public:
  Rows(std::span<const ColumnType> expected, std::vector<std::size_t> indices, std::size_t width)
      : expected_(expected), indices_(std::move(indices)), width_(width) {
    for (const ColumnType& column : expected) numbers_.push_back(empty_numbers(column.type, 0));
  }

  void add(const Lines& lines, std::string_view line) {
    const std::vector<std::string_view> fields = split(line);
    if (fields.size() != width_) {
      throw Error(fmt::format("{}: {} fields where the header has {}", lines.where(), fields.size(), width_));
    }
    for (std::size_t column = 0; column < expected_.size(); ++column) {
      std::visit(
          [&]<class Number>(std::vector<Number>& values) {
            values.push_back(parse<Number>(lines, expected_[column].name, fields[indices_[column]]));
          },
          numbers_[column]);
    }
  }

  Table table() && {
    Table table;
    for (std::size_t column = 0; column < expected_.size(); ++column) {
      table.add(expected_[column].name, std::move(numbers_[column]));
    }
    return table;
  }

 private:
  std::span<const ColumnType> expected_;
  std::vector<std::size_t> indices_;
  std::size_t width_;
  std::vector<Numbers> numbers_;
};

}  // namespace

Table read_csv(std::string_view text, const std::string& name, std::span<const ColumnType> expected,
               const TableReadOptions& options) {
  Lines lines(text, name);
  const std::optional<std::string_view> header = lines.next();
  if (!header) throw Error(fmt::format("{}: the file ends before its header line", lines.where()));
  const std::vector<std::string_view> fields = split(*header);
  const std::vector<std::string> names(fields.begin(), fields.end());
  Rows rows(expected, match_columns(names, expected, options.ignore_extra, lines.where()), names.size());
  std::size_t count = 0;
  std::string first_beyond;  // the limit's error names that line, but first learns how many there are
  while (const std::optional<std::string_view> line = lines.next()) {
    ++count;
    if (!options.limit || count <= options.limit->rows) {
      rows.add(lines, *line);
    } else if (first_beyond.empty()) {
      first_beyond = lines.where();
    }
  }
  check_rows(count, options.limit, first_beyond);
  return std::move(rows).table();
}

std::string to_csv(const Table& table) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const std::vector<Column>& columns = table.columns();
  const auto separator = [&](std::size_t column) { return column + 1 == columns.size() ? '\n' : ','; };
  for (std::size_t column = 0; column < columns.size(); ++column) {
    fmt::format_to(out, "{}{}", columns[column].name, separator(column));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::visit(
          [&]<class Number>(const std::vector<Number>& values) {
            if constexpr (std::is_floating_point_v<Number>) {
              fmt::format_to(out, "{:.17g}{}", values[row], separator(column));
            } else {
              fmt::format_to(out, "{}{}", values[row], separator(column));
            }
          },
          columns[column].numbers);
    }
  }
  return {text.data(), text.size()};
}

}  // namespace gdr::hostlib
