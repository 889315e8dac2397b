// What fits into the memory of a node: every model of linear algebra refuses the same sizes in the same words.
#pragma once

#include <cstdint>

namespace gdr {

/// The largest n whose LINPACK fits `nodes` nodes of `memory` bytes each. The matrix has elements of `element_bytes`.
/// If these are shorter than doubles, refinement needs the matrix in doubles beside its factors.
[[nodiscard]] std::uint64_t largest_hpl_order(double element_bytes, double nodes, double memory);

/// Throws gdr::Error, with the largest n that fits, if n does not.
void require_hpl_memory(std::uint64_t n, double element_bytes, double nodes, double memory);

/// Throws gdr::Error, with the largest order of square matrices that fits, if A (m x k), B (k x n) and C (m x n) in
/// doubles do not fit a node of `memory` bytes together.
void require_dgemm_memory(std::uint64_t m, std::uint64_t n, std::uint64_t k, double memory);

}  // namespace gdr
