#include "gdr/hostlib/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "endings.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"
#include "gdr/hostlib/run_files.h"
#include "table_format.h"
#include "unpack.h"

namespace gdr::hostlib {
namespace {

struct Format {
  std::string_view name;
  std::string_view ending;  // empty: that of all other names
  decltype(&read_csv) read;
  std::string (*image)(const Table& table);
};
constexpr std::array kFormats{Format{"NPY", ".npy", read_npy, to_npy}, Format{"NPZ", ".npz", read_npz, to_npz},
                              Format{"CSV", "", read_csv, to_csv}};

const Format& format_of(const std::filesystem::path& path) {
  const std::string ending = base::ending_of(path);
  const auto* const found = std::ranges::find(kFormats, ending, &Format::ending);
  return found == kFormats.end() ? kFormats.back() : *found;
}
bool is_csv(const std::filesystem::path& path) { return &format_of(path) == &kFormats.back(); }
/// The name of a file without the ending of gzip.
std::filesystem::path unpacked_name(const std::filesystem::path& path) {
  return base::ending_of(path) == ".gz" ? path.stem() : path;
}

}  // namespace

void Table::add(std::string name, Numbers numbers) {
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, numbers);
  for (const Column& column : columns_) {
    if (column.name == name) throw Error(fmt::format("column '{}' is there twice", name));
  }
  if (!columns_.empty() && rows != rows_) {
    throw Error(fmt::format("column '{}' has {} rows, the others {}", name, rows, rows_));
  }
  rows_ = rows;
  columns_.push_back({std::move(name), std::move(numbers)});
}

Table read_table(const std::filesystem::path& path, std::span<const ColumnType> expected,
                 const TableReadOptions& options) {
  std::string content = base::read_file(path);
  if (is_gzip(content)) content = unpacked(content, Wrapping::gzip, std::nullopt, path.string());
  return format_of(unpacked_name(path)).read(content, path.string(), expected, options);
}

std::string table_formats() {
  std::string text(kFormats.back().name);
  for (const Format& format : std::span(kFormats).first(kFormats.size() - 1)) {
    text += fmt::format("{}{}", &format == &kFormats[kFormats.size() - 2] ? " or " : ", ", format.name);
  }
  return text;
}

void require_table_ending(const std::filesystem::path& path) {
  if (!is_of_other_format(path) && !is_hdf5(path)) return;
  throw Error(fmt::format("{} is refused: a table is written as NPY or NPZ if its name ends so, else as CSV, not as {}",
                          path.string(), base::ending_of(path)));
}

void require_csv_ending(const std::filesystem::path& path) {
  if (!is_of_other_format(path) && !is_hdf5(path) && is_csv(path)) return;
  throw Error(
      fmt::format("{} is refused: this file is written as CSV, not as {}", path.string(), base::ending_of(path)));
}

void write_table(const std::filesystem::path& path, const Table& table) {
  base::write_file(path, format_of(path).image(table));
}

bool WholeRange::holds(double number) const {
  if (*this == WholeRange{}) return true;
  return number == std::trunc(number) && number >= static_cast<double>(least) && number <= static_cast<double>(most);
}

WholeRange whole_range(const isa::Variable& variable) {
  constexpr std::int64_t kShort = std::int64_t{1} << isa::kShortBits;
  const isa::HostInteger& integer = variable.integer;
  if (variable.conversion == isa::Conversion::FIX64TO36) {
    return {std::max(-kShort / 2, integer.least()), std::min(kShort / 2 - 1, integer.most())};
  }
  const bool real = variable.conversion && isa::info_of(*variable.conversion).floating;
  if (real || variable.conversion == isa::Conversion::FIX64TO72) return {integer.least(), integer.most()};
  if (variable.conversion == isa::Conversion::NONE && variable.width == isa::Width::short_word) return {0, kShort - 1};
  return {};
}

std::vector<ColumnType> columns_of(const isa::Program& program, isa::Transfer transfer) {
  std::vector<ColumnType> columns;
  for (const isa::Variable* variable : program.variables_by(transfer)) {
    const bool real = variable->conversion && isa::info_of(*variable->conversion).floating;
    const NumberType type = real ? NumberType::real : NumberType::integer;
    const WholeRange range = whole_range(*variable);
    if (variable->dimensions.empty()) {
      columns.push_back({variable->name, type, range});
      continue;
    }
    for (unsigned element = 0; element < variable->elements; ++element) {
      columns.push_back({fmt::format("{}[{}]", variable->name, element), type, range});
    }
  }
  return columns;
}

std::vector<std::uint64_t> fields_of(const Table& table) {
  const std::size_t width = table.columns().size();
  std::vector<std::uint64_t> fields(table.rows() * width);
  for (std::size_t column = 0; column < width; ++column) {
    std::visit(
        [&](const auto& values) {
          for (std::size_t row = 0; row < values.size(); ++row) {
            fields[row * width + column] = std::bit_cast<std::uint64_t>(values[row]);
          }
        },
        table.columns()[column].numbers);
  }
  return fields;
}

Table table_of(std::span<const ColumnType> columns, std::span<const std::uint64_t> fields) {
  if (columns.empty() ? !fields.empty() : fields.size() % columns.size() != 0) {
    throw Error(fmt::format("{} fields are no whole number of records of {}", fields.size(), columns.size()));
  }
  const std::size_t rows = columns.empty() ? 0 : fields.size() / columns.size();
  Table table;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    Numbers numbers = empty_numbers(columns[column].type, rows);
    std::visit(
        [&]<class Number>(std::vector<Number>& values) {
          for (std::size_t row = 0; row < rows; ++row) {
            values.push_back(std::bit_cast<Number>(fields[row * columns.size() + column]));
          }
        },
        numbers);
    table.add(columns[column].name, std::move(numbers));
  }
  return table;
}

ColumnMatcher::ColumnMatcher(std::span<const ColumnType> expected, std::string where)
    : expected_(expected), where_(std::move(where)), places_(expected.size()) {
  for (std::size_t index = 0; index < expected.size(); ++index) index_of_.emplace(expected[index].name, index);
}

void ColumnMatcher::add(std::string_view name, std::size_t place) {
  const auto found = index_of_.find(name);
  if (found == index_of_.end()) {
    if (unknown_.size() < kMostTold) unknown_.emplace_back(name);
    return;
  }
  if (places_[found->second]) throw Error(fmt::format("{}: column '{}' is there twice", where_, name));
  places_[found->second] = place;
}

std::string ColumnMatcher::expected_names() const {
  std::vector<std::string_view> names;
  for (const ColumnType& column : expected_) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::size_t> ColumnMatcher::places(bool ignore_extra) const {
  std::vector<std::string_view> missing;
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < expected_.size(); ++index) {
    if (!places_[index]) missing.push_back(expected_[index].name);
    places.push_back(places_[index].value_or(0));
  }
  if (!missing.empty()) {
    throw Error(fmt::format("{}: missing column{} {} (expected: {}){}", where_, missing.size() == 1 ? "" : "s",
                            fmt::join(missing, ", "), expected_names(), why_missing(missing.front())));
  }
  if (!ignore_extra && !unknown_.empty()) {
    std::vector<std::string> names;
    for (const ColumnType& column : expected_) names.push_back(column.name);
    const std::string& first = unknown_.front();
    throw Error(fmt::format("{}: unknown column '{}' (expected: {}){}", where_, first, expected_names(),
                            first.empty() ? "; a column without a name is an index, as pandas writes it: write the "
                                            "file with index=False, or skip the column with --ignore-extra"
                                          : base::did_you_mean(first, names)));
  }
  return places;
}

std::string ColumnMatcher::why_missing(std::string_view name) const {
  if (unknown_.empty()) return "";
  const auto is_number = [](const std::string& text) { return base::number_in<double>(text).has_value(); };
  if (std::ranges::all_of(unknown_, is_number)) {
    return "; the first line must hold the names of the columns, and it holds numbers";
  }
  for (const auto& [separator, called] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")}) {
    if (unknown_.front().find(separator) == std::string::npos) continue;
    return fmt::format("; '{}' has {} between its names, where commas must be", unknown_.front(), called);
  }
  const auto lower = [](std::string_view text) {
    std::string small(text);
    for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return small;
  };
  for (const std::string& other : unknown_) {
    if (lower(other) == lower(name)) return fmt::format("; it has '{}': capitals matter", other);
  }
  return fmt::format("; it has {}", fmt::join(unknown_, ", "));
}

void check_rows(std::size_t rows, const std::optional<RowLimit>& limit, const std::string& where) {
  if (!limit || rows <= limit->rows) return;
  throw Error(
      fmt::format("{}: {} rows are {} too many: {} holds {}", where, rows, rows - limit->rows, limit->of, limit->rows));
}

Numbers empty_numbers(NumberType type, std::size_t rows) {
  if (type == NumberType::real) {
    std::vector<double> values;
    values.reserve(rows);
    return values;
  }
  std::vector<std::int64_t> values;
  values.reserve(rows);
  return values;
}

}  // namespace gdr::hostlib
