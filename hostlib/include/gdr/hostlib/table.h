// Tables of named columns of numbers, in CSV, NPY and NPZ files. `gdr run` reads a kernel's particles and writes its
// results in this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

enum class NumberType : std::uint8_t { real, integer };

/// Whole numbers that a variable takes. A variable of real numbers without a declared range takes fractions, too.
struct WholeRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool holds(std::int64_t number) const { return number >= least && number <= most; }
  [[nodiscard]] bool holds(double number) const;
  friend bool operator==(const WholeRange&, const WholeRange&) = default;
};
[[nodiscard]] WholeRange whole_range(const isa::Variable& variable);

/// Name and type of a column. The elements of an array x are the columns x[0], x[1], ..., with the last dimension
/// varying fastest.
struct ColumnType {
  std::string name;
  NumberType type = NumberType::real;
  WholeRange range = {};
  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

/// Doubles or 64-bit integers.
using Numbers = std::variant<std::vector<double>, std::vector<std::int64_t>>;

struct Column {
  std::string name;
  Numbers numbers;

  [[nodiscard]] NumberType type() const {
    return std::holds_alternative<std::vector<double>>(numbers) ? NumberType::real : NumberType::integer;
  }
  friend bool operator==(const Column&, const Column&) = default;
};

/// Columns of equal length with different names.
class Table {
 public:
  /// Throws gdr::Error if there is already a column of this name, or if the other columns have another length.
  void add(std::string name, Numbers numbers);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  friend bool operator==(const Table&, const Table&) = default;

 private:
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

/// The largest number of rows that a table may have, and what sets this limit (such as "external memory", for the text
/// of the error).
struct RowLimit {
  std::size_t rows = 0;
  std::string of;
};

struct TableReadOptions {
  bool ignore_extra = false;  // skip columns that are not expected; otherwise they are an error
  std::optional<RowLimit> limit;
};

/// Reads the `expected` columns, in whatever order the file has them, and returns them in the expected order. A file
/// whose name ends in .npy holds a structured array of one dimension with fields of f8, f4, i8, i4, u8 or u4, each of
/// which may be a subarray; one whose name ends in .npz an array of shape (n) or (n, dimensions...) for each column.
/// Every other file is CSV: a header line of names, which may be a comment before the first numbers, values separated
/// by commas, `#` comments, blank lines, LF or CRLF, numbers with or without double quotes. Each may be compressed by
/// gzip; the name then has .gz behind it.
///
/// Throws gdr::Error, beginning with FILE:LINE (CSV) or FILE (NPY and NPZ, with the row), for missing columns (the
/// message lists all that are expected), unknown or repeated columns, rows of another length than the header, values
/// that are not numbers, are NaN, have a unit (a second comment of AMUSE's CSV), are outside the range of their type or
/// column or are not integers in a column of integers, and too many rows.
[[nodiscard]] Table read_table(const std::filesystem::path& path, std::span<const ColumnType> expected,
                               const TableReadOptions& options = {});

/// The same for CSV text; messages call it `name`.
[[nodiscard]] Table read_csv(std::string_view text, const std::string& name, std::span<const ColumnType> expected,
                             const TableReadOptions& options = {});

/// The CSV text that write_table() writes: doubles with 17 significant digits, so that reading gives the same bits.
[[nodiscard]] std::string to_csv(const Table& table);
/// The names and the first `most` rows as CSV, and a line on the rest.
[[nodiscard]] std::string first_rows(const Table& table, std::size_t most);

/// The names of the formats that read_table() reads and write_table() writes, for texts: "CSV, NPY or NPZ".
[[nodiscard]] std::string table_formats();

/// Throws gdr::Error if the file's name ends like those of a format that write_table() does not write.
void require_table_ending(const std::filesystem::path& path);

/// Throws gdr::Error if the name of a file that gdr writes as CSV ends like those of another format.
void require_csv_ending(const std::filesystem::path& path);

/// Writes NPY (version 1.0, or 2.0 for long headers; x[0], x[1], ... become one field x with a subarray) if `path` ends
/// in .npy, an array for each column if it ends in .npz, else the CSV of to_csv(). Throws gdr::Error if the file cannot
/// be written.
void write_table(const std::filesystem::path& path, const Table& table);

/// The columns of a program's i-records (hlt), j-records (elt) or results (rrn), in the order of the record's fields:
/// doubles for floating-point conversions, integers for the others.
[[nodiscard]] std::vector<ColumnType> columns_of(const isa::Program& program, isa::Transfer transfer);

/// The rows as records for gdr::Device: one 8-byte field per column, row after row.
[[nodiscard]] std::vector<std::uint64_t> fields_of(const Table& table);

/// Makes a table of records, one row for each. Throws gdr::Error if `fields` is not a whole number of records.
[[nodiscard]] Table table_of(std::span<const ColumnType> columns, std::span<const std::uint64_t> fields);

/// Table of the words that a kernel of Type II collected in `turns` iterations on `chips` chips, one word in each row.
/// Its columns are `turn` (after the last turn: loop termination), `variable` (the number of the variable among the
/// results, in declaration order), `entry`, `element` and `value`. If a collect names blocks, `chip` and `block` stand
/// before `entry` (-1 for words that chips and blocks combine), and so does `pe`, the PE that stored the word, if the
/// kernel has one such PE for each entry that it collects. Throws gdr::Error if the number of words is another one. If
/// only some results are integers, they are converted to doubles, and an integer beyond 2^53 is refused.
[[nodiscard]] Table collected_table(const isa::Program& program, std::uint64_t turns,
                                    std::span<const std::uint64_t> words, unsigned chips);
/// The same for one chip, or for a kernel whose chips add up all their words.
[[nodiscard]] Table collected_table(const isa::Program& program, std::uint64_t turns,
                                    std::span<const std::uint64_t> words);

}  // namespace gdr::hostlib
