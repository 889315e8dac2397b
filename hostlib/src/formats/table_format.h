// Readers and writers of the two file formats of tables, and what they share.
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

/// Returns for each expected column its index in `present`. Throws gdr::Error, beginning with `where`, for columns that
/// are repeated, missing or, unless `ignore_extra`, unknown.
[[nodiscard]] std::vector<std::size_t> match_columns(std::span<const std::string> present,
                                                     std::span<const ColumnType> expected, bool ignore_extra,
                                                     const std::string& where);

/// Throws gdr::Error, beginning with `where`, if `rows` is beyond the limit.
void check_rows(std::size_t rows, const std::optional<RowLimit>& limit, const std::string& where);

/// Empty numbers of this type, with memory reserved for `rows` of them.
[[nodiscard]] Numbers empty_numbers(NumberType type, std::size_t rows);

}  // namespace gdr::hostlib
