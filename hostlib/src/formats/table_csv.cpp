// Tables as CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/quoted.h"
#include "table_format.h"

namespace gdr::hostlib {
namespace {

[[noreturn]] void refuse(const base::LineReader& lines, const std::string& column, std::string_view text,
                         std::string_view why) {
  lines.refuse(fmt::format("column '{}': '{}' {}", column, text, why));
}

template <class Number>
Number parse(const base::LineReader& lines, const std::string& column, std::string_view text) {
  constexpr bool kReal = std::is_floating_point_v<Number>;
  const auto [value, error] = base::read_number<Number>(text);
  if (error == std::errc::result_out_of_range) {
    refuse(lines, column, text, kReal ? "is outside the range of a double" : "is outside the range of 64 bits");
  }
  if (error != std::errc()) refuse(lines, column, text, kReal ? "is no number" : "is no integer");
  if constexpr (kReal) {
    if (std::isnan(value)) refuse(lines, column, text, "is not a number, which the machine does not have");
  }
  return value;
}

/// Collects the numbers of rows. `indices` has the index of the field of each expected column. Of the other fields it
/// only counts how many there are.
class Rows {
 public:
  Rows(std::span<const ColumnType> expected, const std::vector<std::size_t>& indices, std::size_t width)
      : expected_(expected), fields_(expected.size()), width_(width) {
    for (const ColumnType& column : expected) numbers_.push_back(empty_numbers(column.type, 0));
    for (std::size_t column = 0; column < indices.size(); ++column) by_field_.emplace_back(indices[column], column);
    std::ranges::sort(by_field_);
  }

  void add(const base::LineReader& lines, std::string_view line) {
    base::CommaFields rest(line);
    std::size_t count = 0;
    auto wanted = by_field_.begin();
    while (const std::optional<std::string_view> field = rest.next()) {
      if (wanted != by_field_.end() && wanted->first == count) fields_[wanted++->second] = *field;
      ++count;
    }
    if (count != width_) {
      lines.refuse(fmt::format("{} fields where the header has {}{}", count, width_,
                               count == 2 * width_ ? "; numbers have a point before their fraction, not a comma" : ""));
    }
    for (std::size_t column = 0; column < expected_.size(); ++column) {
      std::visit(
          [&]<class Number>(std::vector<Number>& values) {
            values.push_back(parse<Number>(lines, expected_[column].name, fields_[column]));
            const WholeRange& range = expected_[column].range;
            if (!range.holds(values.back())) {
              refuse(
                  lines, expected_[column].name, fields_[column],
                  fmt::format("is {} {} to {}", std::is_floating_point_v<Number> ? "no whole number from" : "outside",
                              range.least, range.most));
            }
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
  std::vector<std::pair<std::size_t, std::size_t>> by_field_;  // field, column; in the order of the fields
  std::vector<std::string_view> fields_;                       // of one row, one for each column
  std::size_t width_;
  std::vector<Numbers> numbers_;
};

/// Names of columns in a comment before the first numbers, as AMUSE and numpy.savetxt write them, and the comment with
/// units that AMUSE writes behind it.
struct CommentedHeader {
  std::vector<std::string_view> names;  // none: no comment has any
  std::string_view units;
  std::size_t units_line = 0;
};

std::vector<std::string_view> comma_fields(std::string_view line) {
  std::vector<std::string_view> all;
  base::CommaFields fields(line);
  while (const std::optional<std::string_view> field = fields.next()) all.push_back(base::trimmed(*field));
  return all;
}

CommentedHeader header_in_comments(std::string_view text, std::span<const ColumnType> expected, std::size_t width) {
  CommentedHeader found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = base::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() != '#') break;
    line.remove_prefix(1);
    std::vector<std::string_view> fields = comma_fields(line);
    if (fields.size() != width) continue;
    const bool has_names = std::ranges::any_of(fields, [&](std::string_view name) {
      return std::ranges::any_of(expected, [&](const ColumnType& column) { return column.name == name; });
    });
    if (found.names.empty() && has_names) {
      found.names = std::move(fields);
    } else if (!found.names.empty() && width > 1) {
      found.units = base::trimmed(line);
      found.units_line = number;
    }
  }
  return found;
}

/// In a file of one column an empty line between two rows is a number that is missing, as spreadsheets write it.
/// `before`: lines with content before the first row.
void refuse_gaps(std::string_view text, const std::string& name, std::size_t before) {
  std::size_t lines = 0;  // with content
  std::size_t gap = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = base::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      if (gap == 0 && lines > before) gap = number;
    } else if (line.front() != '#') {
      if (gap != 0) {
        throw Error(fmt::format("{}:{}: the line is empty, between rows of one column: remove it, or give the number",
                                name, gap));
      }
      ++lines;
    }
  }
}

bool are_numbers(const std::vector<std::string_view>& fields) {
  return std::ranges::all_of(
      fields, [](std::string_view field) { return base::read_number<double>(field).error == std::errc(); });
}

}  // namespace

Table read_csv(std::string_view text, const std::string& name, std::span<const ColumnType> expected,
               const TableReadOptions& options) {
  base::LineReader lines(text, name);
  const std::optional<std::string_view> header = lines.next();
  if (text.empty()) throw Error(name + ": the file is empty: its first line must hold the names of the columns");
  if (!header) lines.refuse("the file ends before its header line");
  ColumnMatcher matcher(expected, lines.where());
  std::vector<std::string_view> names;
  base::CommaFields fields(*header);
  while (const std::optional<std::string_view> column = fields.next()) names.push_back(*column);
  const std::size_t width = names.size();
  bool is_first_row = false;
  if (are_numbers(names)) {
    CommentedHeader commented = header_in_comments(text, expected, width);
    is_first_row = !commented.names.empty();
    if (is_first_row) names = std::move(commented.names);
    if (commented.units_line > 0) {
      throw Error(
          fmt::format("{}:{}: the columns have units ({}), which kernels know nothing of: give the numbers in the "
                      "units that you mean, without this line",
                      name, commented.units_line, base::on_one_line(std::string(commented.units))));
    }
  }
  for (std::size_t column = 0; column < width; ++column) matcher.add(names[column], column);
  Rows rows(expected, matcher.places(options.ignore_extra), width);
  std::size_t count = is_first_row ? 1 : 0;
  if (is_first_row) {
    if (!options.limit || options.limit->rows > 0) rows.add(lines, *header);
  }
  std::string first_beyond;  // first line beyond the limit, for the error, which also tells how many rows there are
  while (const std::optional<std::string_view> line = lines.next()) {
    ++count;
    if (!options.limit || count <= options.limit->rows) {
      rows.add(lines, *line);
    } else if (first_beyond.empty()) {
      first_beyond = lines.where();
    }
  }
  check_rows(count, options.limit, first_beyond);
  if (width == 1) refuse_gaps(text, name, is_first_row ? 0 : 1);
  return std::move(rows).table();
}

std::string to_csv(const Table& table) {
  std::string text;
  const std::vector<Column>& columns = table.columns();
  const auto separator = [&](std::size_t column) { return column + 1 == columns.size() ? '\n' : ','; };
  for (std::size_t column = 0; column < columns.size(); ++column) {
    text += fmt::format("{}{}", columns[column].name, separator(column));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::visit(
          [&]<class Number>(const std::vector<Number>& values) {
            if constexpr (std::is_floating_point_v<Number>) {
              text += fmt::format("{:.17g}{}", values[row], separator(column));
            } else {
              text += fmt::format("{}{}", values[row], separator(column));
            }
          },
          columns[column].numbers);
    }
  }
  return text;
}

std::string first_rows(const Table& table, std::size_t most) {
  const std::size_t shown = std::min(table.rows(), most);
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells;
    for (const Column& column : table.columns()) {
      std::visit([&](const auto& numbers) { cells.push_back(fmt::format("{}", numbers[row])); }, column.numbers);
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  if (table.rows() > shown) {
    text += fmt::format("... {} more rows; --output FILE takes all\n", table.rows() - shown);
  }
  return text;
}

}  // namespace gdr::hostlib
