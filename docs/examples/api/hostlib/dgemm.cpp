// Multiplies two matrices on an emulated board with both precisions, and compares the difference with the error bounds.
#include <gdr/hostlib/dgemm.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  using gdr::DgemmPrecision;
  constexpr std::size_t m = 2, n = 3, k = 100;
  std::vector<double> a(m * k), b(n * k);
  for (std::size_t l = 0; l < m * k; ++l) a[l] = 1.0 / static_cast<double>(l + 1);
  for (std::size_t l = 0; l < n * k; ++l) b[l] = 1.0 / static_cast<double>(2 * l + 1);
  const gdr::MatrixView a_view{a.data(), 1, m};  // column major: element (i, l) is a[i + m * l]
  const gdr::MatrixView b_view{b.data(), n, 1};  // row major: element (l, j) is b[n * l + j]

  const auto product = [&](DgemmPrecision precision) {
    gdr::BoardDgemm dgemm(gdr::DeviceOptions{}, gdr::dgemm_program(precision));
    return dgemm.multiply(m, n, k, a_view, b_view);  // m x n, column major
  };
  const std::vector<double> paper = product(DgemmPrecision::paper);
  const std::vector<double> full = product(DgemmPrecision::full);

  double largest = 0;  // no element is negative, so |A||B|, to which the bounds refer, is the product itself
  for (std::size_t c = 0; c < m * n; ++c) {
    const double difference = std::abs(paper[c] / full[c] - 1);
    if (!std::isfinite(difference)) return 1;  // std::max would pass over NaN
    largest = std::max(largest, difference);
  }
  std::printf("C(1, 2): %.17f with 50 bits of the operands\n", paper[1 + m * 2]);
  std::printf("         %.17f with all 53\n", full[1 + m * 2]);
  std::printf("largest relative difference: %.1e\n", largest);
  std::printf("error bounds: %.1e and %.1e\n", gdr::dgemm_error_bound(DgemmPrecision::paper, k),
              gdr::dgemm_error_bound(DgemmPrecision::full, k));
}
