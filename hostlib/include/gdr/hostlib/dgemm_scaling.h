// Whether the numbers of a product stay within the board's range of exponents, and the powers of two that bring them
// there. A board knows no subnormal numbers: what falls below 2^-1022 becomes zero.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gdr/hostlib/dgemm.h"

namespace gdr {

/// Binary exponents of the smallest and the largest number of a row beside zeros.
struct ExponentRange {
  int low = 0;
  int high = 0;
  [[nodiscard]] int width() const { return high - low; }
};

/// How rows of A and columns of B are scaled before the board multiplies them: by 2^-high, exactly, so that their
/// largest number lies in [1, 2). Empty vectors: nothing need be scaled.
struct Scaling {
  std::vector<ExponentRange> rows;     // of op(A)
  std::vector<ExponentRange> columns;  // of op(B)

  [[nodiscard]] bool needed() const { return !rows.empty(); }
  /// True if a row or column has numbers so far apart that its products may fall below the board's range even when they
  /// are scaled.
  [[nodiscard]] static bool too_wide(const ExponentRange& range);
  /// Elements of C in rows or columns that are too wide.
  [[nodiscard]] double elements_too_wide() const;
};

/// Nothing if A or B holds infinity or NaN.
[[nodiscard]] std::optional<Scaling> scaling_of(const MatrixView& a, const MatrixView& b, std::int64_t m,
                                                std::int64_t n, std::int64_t k);

/// The rows, each multiplied by 2^-high of its range; column major, leading dimension `ranges.size()`.
[[nodiscard]] std::vector<double> scaled_rows(const MatrixView& matrix, const std::vector<ExponentRange>& ranges,
                                              std::int64_t columns);

/// alpha x sum x 2^exponent + addend, where only the last steps round: the product with alpha is exact.
[[nodiscard]] double unscaled(double alpha, double sum, int exponent, double addend);

/// A B, m x n, column major: as BoardDgemm::multiply(), but also right for finite numbers whose products leave the
/// board's range, and for subnormal operands and results. Rows and columns are scaled by powers of two where that is
/// needed, which changes no other bit. Elements in rows or columns that are too wide even then are sums in long double.
[[nodiscard]] std::vector<double> scaled_product(BoardDgemm& boards, std::size_t m, std::size_t n, std::size_t k,
                                                 const MatrixView& a, const MatrixView& b);

}  // namespace gdr
