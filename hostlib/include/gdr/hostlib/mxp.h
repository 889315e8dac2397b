// LINPACK in mixed precision by the rules of HPL-MxP [https://hpl-mxp.org]: a factorisation in short words without
// pivoting, whose solution is refined in doubles until it passes HPL's check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/lu.h"

namespace gdr {

enum class MxpRefinement : std::uint8_t {
  gmres,     // GMRES whose preconditioner is the factorisation, as in the benchmark's reference
  classical  // x += (L U)^-1 (b - A x)
};
[[nodiscard]] std::string_view name_of(MxpRefinement refinement);

/// Most steps of refinement that the benchmark allows.
inline constexpr unsigned kMxpMostSteps = 50;
/// Bytes of an element of the factors, which are in single precision.
inline constexpr double kMxpElementBytes = 4;

struct MxpResult {
  double before = 0;    // HplResiduals::scaled of the factorisation's own solution
  double residual = 0;  // the same after `steps` steps
  unsigned steps = 0;
};

/// Solves A x = b in doubles for a random matrix of order n: elements in [-0.5, 0.5), and on the diagonal the sum of a
/// row's absolute values, so that it needs no pivots. A seed always gives the same matrix. A is rounded to 24 bits and
/// factorised in panels of nb columns; `product` computes the trailing updates from numbers of 24 bits, and their
/// results are rounded to 24 bits. Refinement ends when the residual is below kHplThreshold, or after kMxpMostSteps
/// steps; a residual that is NaN never is. Throws gdr::Error if n or nb is 0, and passes on what `product` throws.
/// `progress` is called with the part of the factorisation that is done, from 0 to 1.
[[nodiscard]] MxpResult mxp_solve(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product,
                                  MxpRefinement refinement, const std::function<void(double done)>& progress = {});

/// The kernel whose products take short words, assembled from sgemm.vsm. Throws gdr::Error if the source is not found.
[[nodiscard]] isa::Program sgemm_program();

/// The host computing in single precision: its vectors hold twice as many numbers, and memory moves twice as many. Its
/// rates are those of doubles times two.
[[nodiscard]] HostDescription in_single_precision(const HostDescription& host);

/// Seconds of the stages on one node.
struct MxpStages {
  double panel = 0;
  double update = 0;
  double refinement = 0;
  double board = 0;          // of all stages together: seconds in which the board computes
  std::uint64_t clocks = 0;  // of a chip, in the products on the board
  [[nodiscard]] double total() const { return panel + update + refinement; }
};

/// Seconds of refinement by `ranks` hosts together, messages left out: the solution of the factorisation, and `steps`
/// steps, each of which reads A in doubles and its factors in single precision.
[[nodiscard]] double mxp_refinement_seconds(const HostDescription& host, double n, unsigned steps, double ranks);

/// `board` has the kernel of sgemm_program(). Throws gdr::Error if n or nb is 0, and as require_hpl_memory().
[[nodiscard]] MxpStages mxp_with_board(const HostDescription& host, const DgemmModel& board,
                                       const DgemmTransfer& transfer, ProductRule rule, std::uint64_t n,
                                       std::uint64_t nb, unsigned steps);

}  // namespace gdr
