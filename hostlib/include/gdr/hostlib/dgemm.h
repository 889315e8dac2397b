// Matrix products on the emulated board, blocked as in Koike et al. 2009, section 4.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/hostlib/device.h"

namespace gdr {

/// How many bits of its operands a product of two doubles uses.
enum class DgemmPrecision : std::uint8_t {
  paper,  // 50 bits of each operand, as the multiplier's ports take them: relative error up to 2^-48
  full    // further passes for the bits beyond 50: as accurate as IEEE double, at half the speed
};
[[nodiscard]] std::string_view name_of(DgemmPrecision precision);
/// Upper bound of |C - R| / (|alpha| |A||B| + |beta| |C0|) for sums of k products, where R is the exact result and C0
/// is C before the call. The bound covers the bits that operands lose at the multiplier's ports, sums in words with 60
/// bits of fraction, and the host's rounding.
[[nodiscard]] double dgemm_error_bound(DgemmPrecision precision, std::size_t k);

/// A matrix of doubles in the host's memory; element (i, j) is data[i * row_step + j * column_step].
struct MatrixView {
  const double* data = nullptr;
  std::ptrdiff_t row_step = 1;
  std::ptrdiff_t column_step = 0;
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return data[static_cast<std::ptrdiff_t>(i) * row_step + static_cast<std::ptrdiff_t>(j) * column_step];
  }
  [[nodiscard]] MatrixView transposed() const { return {data, column_step, row_step}; }
};

/// The largest error of c, m x n, column major, as the product of a, m x k, and b, k x n, relative to |A||B|. Some
/// thousand elements that are spread over C are compared with sums in long double. All elements are compared in sums
/// over the rows of C with random weights, whose error relative to |A||B| times the weights is at most that of the
/// elements. NaN if one of the compared numbers is NaN; infinity if an element differs although its |A||B| is 0, or if
/// c has an infinity where a and b have none. `progress` is called with the part that is done, from 0 to 1.
[[nodiscard]] double product_error(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                   const MatrixView& b, std::span<const double> c,
                                   const std::function<void(double done)>& progress = {});

/// The blocks into which a kernel divides the matrices, read from its variables.
struct DgemmBlocking {
  unsigned k_per_block = 0;  // columns of A in the PEs of a block
  unsigned vectors = 0;      // vectors of four rows in a PE
  unsigned columns = 0;      // columns of B in a turn
  [[nodiscard]] unsigned rows() const { return emulator::kPesPerBlock * isa::kVectorElements * vectors; }
  [[nodiscard]] unsigned k_per_chip() const { return emulator::kBlocks * k_per_block; }
};
/// Throws gdr::Error unless the program is a kernel of Type II whose variables a, b and c are shaped like those of
/// kernels/dgemm.vsm.
[[nodiscard]] DgemmBlocking dgemm_blocking(const isa::Program& program);

/// How the chips share a product of depth k. Each chip of a ring computes a part of k, and the ring adds the parts up.
/// Each ring works on rows of its own.
struct DgemmSharing {
  unsigned ring = 1;           // chips of a ring
  unsigned boards = 1;         // boards that get rows; the others get nothing, and share no link with them
  unsigned rings = 1;          // rings on those boards together
  std::size_t k_per_pass = 0;  // part of k that a ring computes in a pass
  std::size_t passes = 0;      // passes that cover all of k
  unsigned live_blocks = 0;    // blocks of each chip that hold columns of A
};
/// How `boards` share the product of m rows of A, of depth k. A board gets rows for all its rings before another one
/// gets any. A ring has as few chips as can hold the depth k, but at least `least_ring`, which is a power of two and at
/// most the number of chips on a board.
[[nodiscard]] DgemmSharing share_dgemm(const DgemmBlocking& blocking, std::size_t m, std::size_t k,
                                       unsigned chips_per_board, unsigned boards, unsigned least_ring = 1);

/// The kernel for a precision, assembled from dgemm.vsm or dgemm_double.vsm. Throws gdr::Error if the source is not
/// found.
[[nodiscard]] isa::Program dgemm_program(DgemmPrecision precision);

/// Multiplies matrices on the boards of a device. Not thread safe.
class BoardDgemm {
 public:
  /// Throws gdr::Error as Device does, or if dgemm_blocking() refuses the program.
  BoardDgemm(const DeviceOptions& options, isa::Program program);
  ~BoardDgemm();
  BoardDgemm(BoardDgemm&&) noexcept;
  BoardDgemm& operator=(BoardDgemm&&) noexcept;

  /// Returns A B, m x n, column major with leading dimension m. a is m x k, b is k x n. Throws gdr::Error for NaN. For
  /// infinity the result is what the chip computes. What is below 2^-1022, operands, products or sums, counts as 0:
  /// scaled_product() (dgemm_scaling.h) has no such limit.
  [[nodiscard]] std::vector<double> multiply(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                             const MatrixView& b);

  /// From now on multiply() calls `told` whenever a share of rows is done, with the part of the work that is done, from
  /// 0 to 1.
  void on_progress(std::function<void(double done)> told);

  /// Operations of all turns run so far, including those on padding. A product and its sum count as 2.
  [[nodiscard]] double executed_flops() const;
  [[nodiscard]] emulator::Counters counters() const;
  [[nodiscard]] const emulator::MachineDescription& machine() const;
  [[nodiscard]] const isa::Program& program() const;
  [[nodiscard]] unsigned boards() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr
