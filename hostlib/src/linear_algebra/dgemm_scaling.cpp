#include "gdr/hostlib/dgemm_scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gdr/base/stopping.h"

namespace gdr {
namespace {

/// Least exponent of a product that loses nothing on the board. The smallest normal number is 2^-1022; 61 bits below a
/// product lies the last bit of a long word, and three more keep all that a term may lose (the product, its sum, and in
/// `double` two products of low bits) within the K 2^-60 of the documented bound.
constexpr int kLeastExponent = -1022 + 64;
/// Of IEEE double, which the board shares.
constexpr int kMostExponent = 1023;
/// Of a row or column that is scaled: products of the smallest numbers of two of them stay above kLeastExponent.
constexpr int kWidest = -kLeastExponent / 2;

/// Of every row; nothing if there is infinity or NaN.
std::optional<std::vector<ExponentRange>> row_ranges(const MatrixView& matrix, std::int64_t rows,
                                                     std::int64_t columns) {
  constexpr ExponentRange kNoNumber{std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
  std::vector<ExponentRange> ranges(static_cast<std::size_t>(rows), kNoNumber);
  const bool along_rows = matrix.column_step == 1;
  const std::int64_t outer = along_rows ? rows : columns;
  const std::int64_t inner = along_rows ? columns : rows;
  for (std::int64_t one = 0; one < outer; ++one) {
    for (std::int64_t other = 0; other < inner; ++other) {
      const auto row = static_cast<std::size_t>(along_rows ? one : other);
      const double value = matrix.at(row, static_cast<std::size_t>(along_rows ? other : one));
      if (!std::isfinite(value)) return std::nullopt;
      if (value == 0) continue;
      const int exponent = std::ilogb(value);
      ExponentRange& range = ranges[row];
      range.low = std::min(range.low, exponent);
      range.high = std::max(range.high, exponent);
    }
  }
  for (ExponentRange& range : ranges) {
    if (range.low > range.high) range = {};  // zeros alone
  }
  return ranges;
}

ExponentRange joined(const std::vector<ExponentRange>& ranges) {
  ExponentRange all = ranges.front();
  for (const ExponentRange& range : ranges) {
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
  }
  return all;
}

bool fits_unscaled(const ExponentRange& a, const ExponentRange& b, std::int64_t k) {
  const int terms = std::ilogb(static_cast<double>(k)) + 1;
  return a.low >= kLeastExponent && b.low >= kLeastExponent && a.low + b.low >= kLeastExponent &&
         a.high + b.high + 2 + terms <= kMostExponent;
}

}  // namespace

bool Scaling::too_wide(const ExponentRange& range) { return range.width() > kWidest; }

double Scaling::elements_too_wide() const {
  const auto wide_rows = static_cast<double>(std::count_if(rows.begin(), rows.end(), too_wide));
  const auto wide_columns = static_cast<double>(std::count_if(columns.begin(), columns.end(), too_wide));
  return wide_rows * static_cast<double>(columns.size()) + wide_columns * static_cast<double>(rows.size()) -
         wide_rows * wide_columns;
}

std::optional<Scaling> scaling_of(const MatrixView& a, const MatrixView& b, std::int64_t m, std::int64_t n,
                                  std::int64_t k) {
  auto rows = row_ranges(a, m, k);
  if (!rows) return std::nullopt;
  auto columns = row_ranges(b.transposed(), n, k);
  if (!columns) return std::nullopt;
  if (fits_unscaled(joined(*rows), joined(*columns), k)) return Scaling{};
  return Scaling{std::move(*rows), std::move(*columns)};
}

std::vector<double> scaled_rows(const MatrixView& matrix, const std::vector<ExponentRange>& ranges,
                                std::int64_t columns) {
  std::vector<double> scaled;
  scaled.reserve(ranges.size() * static_cast<std::size_t>(columns));
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < ranges.size(); ++row) {
      scaled.push_back(std::ldexp(matrix.at(row, static_cast<std::size_t>(column)), -ranges[row].high));
    }
  }
  return scaled;
}

double unscaled(double alpha, double sum, int exponent, double addend) {
  int alpha_exponent = 0;
  const double fraction = std::frexp(alpha, &alpha_exponent);
  const double product = fraction * sum;
  const double rest = std::fma(fraction, sum, -product);
  const int scale = exponent + alpha_exponent;
  const double head = std::ldexp(product, scale);
  if (!std::isfinite(head)) return head + addend;  // the rest would be infinite too, perhaps with the other sign
  return head + (std::ldexp(rest, scale) + addend);
}

std::vector<double> scaled_product(BoardDgemm& boards, std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                   const MatrixView& b) {
  const auto depth = static_cast<std::int64_t>(k);
  const std::optional<Scaling> scaling =
      scaling_of(a, b, static_cast<std::int64_t>(m), static_cast<std::int64_t>(n), depth);
  if (!scaling || !scaling->needed()) return boards.multiply(m, n, k, a, b);
  const std::vector<double> scaled_a = scaled_rows(a, scaling->rows, depth);
  const std::vector<double> scaled_b = scaled_rows(b.transposed(), scaling->columns, depth);
  std::vector<double> product = boards.multiply(m, n, k, {scaled_a.data(), 1, static_cast<std::ptrdiff_t>(m)},
                                                {scaled_b.data(), static_cast<std::ptrdiff_t>(n), 1});
  for (std::size_t j = 0; j < n; ++j) {
    base::pause();
    for (std::size_t i = 0; i < m; ++i) {
      double& element = product[i + j * m];
      if (!Scaling::too_wide(scaling->rows[i]) && !Scaling::too_wide(scaling->columns[j])) {
        element = unscaled(1, element, scaling->rows[i].high + scaling->columns[j].high, 0);
        continue;
      }
      long double sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += static_cast<long double>(a.at(i, l)) * b.at(l, j);
      element = static_cast<double>(sum);
    }
  }
  return product;
}

}  // namespace gdr
