// LU factorisation of a dense matrix, with any function for the matrix products of the trailing updates, and HPL's
// check of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gdr/hostlib/dgemm.h"

namespace gdr {

/// Returns A B, m x n, column major, which the trailing updates subtract. a is m x k, b is k x n.
using Product = std::function<std::vector<double>(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                                  const MatrixView& b)>;

/// The product in plain double on the host. It sums chains of 256 products and then adds up the chains' sums, as
/// GotoBLAS does, which blocks k in this way.
[[nodiscard]] std::vector<double> host_product(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                               const MatrixView& b);

/// HPL's check passes if the residual is below this number. NaN does not pass.
inline constexpr double kHplThreshold = 16.0;

/// HPL's checks of a solution x of A x = b; eps = 2^-53. They are NaN if A, x or b holds one.
struct HplResiduals {
  double first = 0;   // ||A x - b||_oo / (eps ||A||_1 n), the first of HPL 1.0 [Koike et al. 2009, table 1]
  double scaled = 0;  // ||A x - b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) n), that of HPL 2.3
};
/// a is n x n, x and b have n elements. A x - b is summed up in long double.
[[nodiscard]] HplResiduals hpl_residuals_of(const MatrixView& a, std::span<const double> x, std::span<const double> b);

/// Solves A x = b for a random matrix of order n with entries in [-0.5, 0.5), by right-looking LU with partial pivoting
/// in panels of nb columns. A seed always gives the same matrix. The residuals are NaN if a product that is not a
/// number has reached x. Throws gdr::Error if n or nb is 0, and passes on what `product` throws. `progress` is called
/// after each panel but the last with the part of the work that is done, from 0 to 1.
[[nodiscard]] HplResiduals hpl_residuals(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                                         const std::function<void(double done)>& progress = {});
/// The first of them.
[[nodiscard]] double hpl_residual(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                                  const std::function<void(double done)>& progress = {});

}  // namespace gdr
