// LU factorisation of a dense matrix with the trailing updates done by any matrix product, and HPL's check of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gdr/hostlib/dgemm.h"

namespace gdr {

/// A B, m x n, column major: what the trailing updates subtract. a is m x k.
using Product = std::function<std::vector<double>(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                                  const MatrixView& b)>;

/// Plain double on the host: chains of 256 products, whose sums are added up, as in GotoBLAS, which blocks k so.
[[nodiscard]] std::vector<double> host_product(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                               const MatrixView& b);

/// Solves A x = b for a random matrix of order n, entries in [-0.5, 0.5), by right-looking LU with partial pivoting in
/// panels of nb columns; the same matrix for a seed. Returns ||A x - b||_oo / (eps ||A||_1 n), eps = 2^-53: the first
/// residual that HPL prints [Koike et al. 2009, table 1]. n and nb from 1 on; throws gdr::Error, and what `product`
/// throws. `progress` is told after each panel how much of the work is done, from 0 to 1.
[[nodiscard]] double hpl_residual(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                                  const std::function<void(double done)>& progress = {});

}  // namespace gdr
