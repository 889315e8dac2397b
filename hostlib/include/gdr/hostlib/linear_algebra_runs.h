// Products and LINPACK on one node as users ask for them: a product that is checked, and the fields of the reports.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "gdr/base/json.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/lu.h"
#include "gdr/hostlib/mxp.h"

namespace gdr {

/// C = A B, m x n; A is m x k and B k x n, each stored transposed or not.
struct DgemmSizes {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool transa = false;
  bool transb = false;

  /// Bytes of A, B and C.
  [[nodiscard]] double bytes() const;
};

/// Multiplies random matrices in [-1, 1) on the board, C^T = B^T A^T if `transposed`. Returns the largest error by
/// product_error(). `multiplying` and `checking` are called with the part of the work that is done, from 0 to 1.
[[nodiscard]] double checked_product(BoardDgemm& board, const DgemmSizes& sizes, bool transposed, std::uint64_t seed,
                                     const std::function<void(double done)>& multiplying,
                                     const std::function<void(double done)>& checking);

/// Sets the fields of a product, of which `max_rel_error` is null.
void add_product(base::Json& json, const DgemmSizes& sizes, const DgemmModel& model, const BoardProduct& product,
                 const DgemmTransfer& transfer, double error_bound);

/// Gflops by HPL's count.
[[nodiscard]] double hpl_gflops(std::uint64_t n, double seconds);
/// Products that `board`, which must outlive the function, computes.
[[nodiscard]] Product product_on(BoardDgemm& board);

/// Sets the fields that HPL and HPL-MxP share, from the emulated time to the share of it in which the board is busy.
void add_linpack(base::Json& json, double seconds, double board_seconds, std::uint64_t clocks, std::uint64_t n,
                 std::uint64_t nb, const DgemmTransfer& transfer, ProductRule rule);
/// Sets the stages too, and null residuals.
void add_hpl(base::Json& json, const HplStages& stages, std::uint64_t n, std::uint64_t nb,
             const DgemmTransfer& transfer, ProductRule rule);
void add_mxp(base::Json& json, const MxpStages& stages, std::uint64_t n, std::uint64_t nb,
             const DgemmTransfer& transfer, ProductRule rule, MxpRefinement refinement, unsigned steps);

}  // namespace gdr
