#include "gdr/hostlib/lu.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gdr/base/error.h"

namespace gdr {
namespace {

class Matrix {
 public:
  explicit Matrix(std::size_t order) : order_(order), values_(order * order) {}
  double& operator()(std::size_t i, std::size_t j) { return values_[j * order_ + i]; }
  double operator()(std::size_t i, std::size_t j) const { return values_[j * order_ + i]; }
  [[nodiscard]] double* column(std::size_t j) { return values_.data() + j * order_; }
  [[nodiscard]] MatrixView from(std::size_t i, std::size_t j) const {
    return {values_.data() + j * order_ + i, 1, static_cast<std::ptrdiff_t>(order_)};
  }
  [[nodiscard]] std::vector<double>& values() { return values_; }

 private:
  std::size_t order_;
  std::vector<double> values_;
};

void swap_rows(Matrix& a, std::span<double> b, std::size_t n, std::size_t i, std::size_t j) {
  if (i == j) return;
  for (std::size_t column = 0; column < n; ++column) std::swap(a(i, column), a(j, column));
  std::swap(b[i], b[j]);
}

/// Factorises columns first to end - 1, rows first to n - 1, by Gaussian elimination.
void factor_panel(Matrix& a, std::span<double> b, std::size_t n, std::size_t first, std::size_t end) {
  for (std::size_t j = first; j < end; ++j) {
    double* pivot_column = a.column(j);
    const auto pivot = std::max_element(pivot_column + j, pivot_column + n,
                                        [](double x, double y) { return std::abs(x) < std::abs(y); });
    swap_rows(a, b, n, j, static_cast<std::size_t>(pivot - pivot_column));
    for (std::size_t i = j + 1; i < n; ++i) pivot_column[i] /= pivot_column[j];
    for (std::size_t column = j + 1; column < end; ++column) {
      double* values = a.column(column);
      const double factor = values[j];
      for (std::size_t i = j + 1; i < n; ++i) values[i] -= pivot_column[i] * factor;
    }
  }
}

/// Computes U from L U = A in the panel's rows and all columns to its right.
void solve_rows(Matrix& a, std::size_t n, std::size_t first, std::size_t end) {
  for (std::size_t column = end; column < n; ++column) {
    double* values = a.column(column);
    for (std::size_t j = first; j < end; ++j) {
      for (std::size_t i = j + 1; i < end; ++i) values[i] -= a(i, j) * values[j];
    }
  }
}

void solve(const Matrix& lu, std::span<double> b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) b[i] -= lu(i, j) * b[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    b[j] /= lu(j, j);
    for (std::size_t i = 0; i < j; ++i) b[i] -= lu(i, j) * b[j];
  }
}

/// The larger of both; NaN if one of them is NaN, where std::max may give the other one.
template <class Number>
Number larger(Number a, Number b) {
  return std::isnan(a) || a >= b ? a : b;
}

void add_multiple(std::span<double> sums, const double* column, double factor) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += column[i] * factor;
}

}  // namespace

std::vector<double> host_product(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                 const MatrixView& b) {
  constexpr std::size_t kChain = 256;
  std::vector<double> c(m * n);
  std::vector<double> part(m * kChain);  // contiguous columns of A: the loops below read only these and the sums
  std::vector<double> sums(m);
  for (std::size_t first = 0; first < k; first += kChain) {
    const std::size_t chain = std::min(kChain, k - first);
    for (std::size_t l = 0; l < chain; ++l) {
      for (std::size_t i = 0; i < m; ++i) part[l * m + i] = a.at(i, first + l);
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::fill(sums.begin(), sums.end(), 0);
      for (std::size_t l = 0; l < chain; ++l) add_multiple(sums, part.data() + l * m, b.at(first + l, j));
      for (std::size_t i = 0; i < m; ++i) c[j * m + i] += sums[i];
    }
  }
  return c;
}

HplResiduals hpl_residuals_of(const MatrixView& a, std::span<const double> x, std::span<const double> b) {
  const std::size_t n = x.size();
  std::vector<long double> error(n);
  for (std::size_t i = 0; i < n; ++i) error[i] = -static_cast<long double>(b[i]);
  double norm = 0;
  std::vector<double> rows(n);
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double element = a.at(i, j);
      sum += std::abs(element);
      rows[i] += std::abs(element);
      error[i] += static_cast<long double>(element) * static_cast<long double>(x[j]);
    }
    norm = larger(norm, sum);
  }
  long double worst = 0;
  for (const long double value : error) worst = larger(worst, std::abs(value));
  const auto largest = [](std::span<const double> values) {
    double norm_of_values = 0;
    for (const double value : values) norm_of_values = larger(norm_of_values, std::abs(value));
    return norm_of_values;
  };
  const auto order = static_cast<long double>(n);
  const double size = largest(rows) * largest(x) + largest(b);
  return {static_cast<double>(worst / (0x1p-53L * norm * order)),
          static_cast<double>(worst / (0x1p-53L * size * order))};
}

HplResiduals hpl_residuals(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                           const std::function<void(double done)>& progress) {
  if (n == 0) throw Error("n = 0 is refused: it must be at least 1");
  if (nb == 0) throw Error("nb = 0 is refused: it must be at least 1");
  std::mt19937_64 random(seed);
  // The upper 53 bits as a fraction, so that every host draws the same numbers.
  const auto draw = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
  Matrix a(n);
  for (double& value : a.values()) value = draw();
  std::vector<double> x(n);
  for (double& value : x) value = draw();
  const Matrix original = a;
  const std::vector<double> b = x;

  for (std::size_t first = 0; first < n; first += nb) {
    const std::size_t end = std::min(n, first + nb);
    factor_panel(a, x, n, first, end);
    if (end == n) break;
    solve_rows(a, n, first, end);
    const std::size_t rest = n - end;
    const std::vector<double> update = product(rest, rest, end - first, a.from(end, first), a.from(first, end));
    for (std::size_t j = 0; j < rest; ++j) {
      for (std::size_t i = 0; i < rest; ++i) a(end + i, end + j) -= update[j * rest + i];
    }
    // A factorisation of order `rest` remains, and work grows as the cube of the order.
    const double left = static_cast<double>(rest) / static_cast<double>(n);
    if (progress) progress(1 - left * left * left);
  }
  solve(a, x, n);

  return hpl_residuals_of(original.from(0, 0), x, b);
}

double hpl_residual(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                    const std::function<void(double done)>& progress) {
  return hpl_residuals(n, nb, seed, product, progress).first;
}

}  // namespace gdr
