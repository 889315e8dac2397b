// Readers and writers of the file formats of tables, and what they share.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/table.h"

namespace gdr::hostlib {

[[nodiscard]] Table read_npy(std::string_view bytes, const std::string& name, std::span<const ColumnType> expected,
                             const TableReadOptions& options);
[[nodiscard]] std::string to_npy(const Table& table);

/// An archive of arrays, one for each column, of shape (n) or (n, dimensions...): element k of the latter is x[k].
[[nodiscard]] Table read_npz(std::string_view bytes, const std::string& name, std::span<const ColumnType> expected,
                             const TableReadOptions& options);
[[nodiscard]] std::string to_npz(const Table& table);

/// An array of numbers without names, of any number of dimensions, the last index fastest.
struct NpyArray {
  std::vector<std::size_t> shape;  // none: one number
  Numbers numbers;
};

/// The array of an NPY file; none if it is structured, which read_npy() reads. Throws gdr::Error, beginning with
/// `name`, for types other than f8, f4, i8, i4, u8 and u4, for numbers above 2^63 - 1, for Fortran's order of more than
/// two dimensions, and for numbers that do not fit the shape.
[[nodiscard]] std::optional<NpyArray> read_npy_array(std::string_view bytes, const std::string& name);
[[nodiscard]] std::string to_npy(const NpyArray& array);
/// Whether an NPY file is a structured array with a field of this name. Throws gdr::Error for a header that is none.
[[nodiscard]] bool npy_has_field(std::string_view bytes, const std::string& name, std::string_view field);

/// Looks for the expected columns among those of a file. It takes memory for the expected ones only, since a short file
/// may name very many.
class ColumnMatcher {
 public:
  /// Messages begin with `where`.
  ColumnMatcher(std::span<const ColumnType> expected, std::string where);

  /// A column of the file. `place` says where its numbers are, in whatever form the caller wants. Throws gdr::Error if
  /// an expected column is there twice.
  void add(std::string_view name, std::size_t place);

  /// The place of each expected column. Throws gdr::Error if one is missing or, unless `ignore_extra`, if there was
  /// another one.
  [[nodiscard]] std::vector<std::size_t> places(bool ignore_extra) const;

 private:
  [[nodiscard]] std::string expected_names() const;
  /// What the file has in place of a column that it lacks: "; it has x, y".
  [[nodiscard]] std::string why_missing(std::string_view name) const;

  std::span<const ColumnType> expected_;
  std::string where_;
  std::map<std::string_view, std::size_t> index_of_;  // of the expected columns
  std::vector<std::optional<std::size_t>> places_;
  static constexpr std::size_t kMostTold = 8;  // columns that a message lists
  std::vector<std::string> unknown_;           // the first ones
};

/// The double that is this whole number; none if only a neighbour of it is one.
template <std::integral Whole>
[[nodiscard]] std::optional<double> exact_double(Whole number) {
  constexpr int kDigits = std::numeric_limits<double>::digits;
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t magnitude = number < 0 ? 0 - bits : bits;
  if (64 - std::countl_zero(magnitude) - std::countr_zero(magnitude) > kDigits) return std::nullopt;
  return static_cast<double>(number);
}

/// Throws gdr::Error, beginning with `where`, if `rows` is beyond the limit.
void check_rows(std::size_t rows, const std::optional<RowLimit>& limit, const std::string& where);

/// Empty numbers of this type, with memory reserved for `rows` of them.
[[nodiscard]] Numbers empty_numbers(NumberType type, std::size_t rows);

}  // namespace gdr::hostlib
