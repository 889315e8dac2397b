// Columns of numbers by name, in CSV and NPY files: how `gdr run` takes a kernel's particles and gives its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

enum class NumberType : std::uint8_t { real, integer };

/// What a column is called and what it holds. The elements of an array x are columns x[0], x[1], ..., last dimension
/// fastest.
struct ColumnType {
  std::string name;
  NumberType type = NumberType::real;
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
  /// Throws gdr::Error if there is a column of this name or the others have another length.
  void add(std::string name, Numbers numbers);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  friend bool operator==(const Table&, const Table&) = default;

 private:
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

/// The most rows a table may have, and whose limit that is ("external memory", for the text of the error).
struct RowLimit {
  std::size_t rows = 0;
  std::string of;
};

struct TableReadOptions {
  bool ignore_extra = false;  // columns that nobody expects are skipped; else they are an error
  std::optional<RowLimit> limit;
};

/// Reads the `expected` columns, whatever their order in the file, and returns them in the order expected. A file that
/// ends in .npy holds a structured array of one dimension with fields of f8, f4, i8, i4, any of them a subarray; every
/// other is CSV: a header line of names, commas, `#` comments, blank lines, LF or CRLF, numbers in double quotes or
/// not.
///
/// Throws gdr::Error, beginning with FILE:LINE (CSV) or FILE (NPY, with the row), for columns that are missing (all
/// that are expected are listed), unknown or there twice, rows of another length than the header, numbers that are
/// none, are NaN, are outside the range of their type or are no integers in a column of integers, and for too many
/// rows.
[[nodiscard]] Table read_table(const std::filesystem::path& path, std::span<const ColumnType> expected,
                               const TableReadOptions& options = {});

/// As write_table() writes CSV: doubles with 17 significant digits, so that every bit comes back.
[[nodiscard]] std::string to_csv(const Table& table);

/// Writes NPY (version 1.0; x[0], x[1], ... become one field x with a subarray) if `path` ends in .npy, else CSV:
/// doubles with 17 significant digits, so that every bit comes back. Throws gdr::Error if the file cannot be written.
void write_table(const std::filesystem::path& path, const Table& table);

/// The columns of a program's i-records (hlt), j-records (elt) or results (rrn), in the order of the record's fields:
/// doubles for floating-point conversions, integers for the others.
[[nodiscard]] std::vector<ColumnType> columns_of(const isa::Program& program, isa::Transfer transfer);

/// The rows as records for gdr::Device: one 8-byte field per column, row after row.
[[nodiscard]] std::vector<std::uint64_t> fields_of(const Table& table);

/// Records as columns. Throws gdr::Error if `fields` are no whole number of records.
[[nodiscard]] Table table_of(std::span<const ColumnType> columns, std::span<const std::uint64_t> fields);

/// What a kernel of Type II brought out in `turns` iterations, a word in each row: `turn` (after the last: loop
/// termination), `variable` (its number among the results, in declaration order), `entry`, `element` and `value`.
/// Throws gdr::Error if there are not as many words. If only some results are integers they become doubles; one beyond
/// 2^53 is refused.
[[nodiscard]] Table collected_table(const isa::Program& program, std::uint64_t turns,
                                    std::span<const std::uint64_t> words);

}  // namespace gdr::hostlib
