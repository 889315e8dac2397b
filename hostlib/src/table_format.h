// What the two file formats of tables share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/table.h"

namespace gdr::hostlib {

[[nodiscard]] Table read_csv(std::string_view text, const std::string& name, std::span<const ColumnType> expected,
                             const TableReadOptions& options);

[[nodiscard]] Table read_npy(std::string_view bytes, const std::string& name, std::span<const ColumnType> expected,
                             const TableReadOptions& options);
[[nodiscard]] std::string to_npy(const Table& table);

/// For each expected column its index in `present`. Throws gdr::Error, beginning with `where`, for columns that are
/// there twice, missing or, unless ignored, unknown.
[[nodiscard]] std::vector<std::size_t> match_columns(std::span<const std::string> present,
                                                     std::span<const ColumnType> expected, bool ignore_extra,
                                                     const std::string& where);

/// Throws gdr::Error, beginning with `where`, if `rows` is beyond the limit.
void check_rows(std::size_t rows, const std::optional<RowLimit>& limit, const std::string& where);

/// No numbers yet, of the type that is expected.
[[nodiscard]] Numbers empty_numbers(NumberType type, std::size_t rows);

}  // namespace gdr::hostlib
