// Matrix products on the emulated board, with the blocking of Koike et al. 2009, section 4.1.
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

/// What a product of two doubles keeps.
enum class DgemmPrecision : std::uint8_t {
  paper,  // 50 bits of each operand, as the multiplier's ports take them: relative error up to 2^-48
  full    // further passes for the bits beyond 50: as accurate as IEEE double, at half the speed
};
[[nodiscard]] std::string_view name_of(DgemmPrecision precision);
/// Bound of |C - R| / (|alpha| |A||B| + |beta| |C0|) for sums of k products, R exact: operands at the multiplier's
/// ports, sums in words with 60 bits of fraction, the host's rounding.
[[nodiscard]] double dgemm_error_bound(DgemmPrecision precision, std::size_t k);

/// A matrix of doubles in the host's memory; element (i, j) stands at data[i * row_step + j * column_step].
struct MatrixView {
  const double* data = nullptr;
  std::ptrdiff_t row_step = 1;
  std::ptrdiff_t column_step = 0;
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return data[static_cast<std::ptrdiff_t>(i) * row_step + static_cast<std::ptrdiff_t>(j) * column_step];
  }
  [[nodiscard]] MatrixView transposed() const { return {data, column_step, row_step}; }
};

/// How a kernel cuts the matrices, read from its variables.
struct DgemmBlocking {
  unsigned k_per_block = 0;  // columns of A in a block's PEs
  unsigned vectors = 0;      // of four rows each in a PE
  unsigned columns = 0;      // of B in a turn
  [[nodiscard]] unsigned rows() const { return emulator::kPesPerBlock * isa::kVectorElements * vectors; }
  [[nodiscard]] unsigned k_per_chip() const { return emulator::kBlocks * k_per_block; }
};
/// Throws gdr::Error unless the program is a kernel of Type II with a, b, c shaped like those of kernels/dgemm.vsm.
[[nodiscard]] DgemmBlocking dgemm_blocking(const isa::Program& program);

/// How the chips share a product of depth k: rings of chips add up parts of k, rings work on rows of their own.
struct DgemmSharing {
  unsigned ring = 1;           // chips of a ring
  unsigned rings = 1;          // all boards together
  std::size_t k_per_pass = 0;  // of a ring
  std::size_t passes = 0;      // over k
  unsigned live_blocks = 0;    // of each chip, that hold columns of A
};
/// A ring has as few chips as hold the depth, but at least `least_ring`, a power of two up to the chips of a board.
[[nodiscard]] DgemmSharing share_dgemm(const DgemmBlocking& blocking, std::size_t k, unsigned chips_per_board,
                                       unsigned boards, unsigned least_ring = 1);

/// The C source of the kernel for a precision, found beside the machine descriptions: dgemm.vsm or dgemm_double.vsm.
[[nodiscard]] isa::Program dgemm_program(DgemmPrecision precision);

/// A board that multiplies matrices. Not thread safe.
class BoardDgemm {
 public:
  /// Throws gdr::Error as Device does, or if the program is no such kernel.
  BoardDgemm(const DeviceOptions& options, isa::Program program);
  ~BoardDgemm();
  BoardDgemm(BoardDgemm&&) noexcept;
  BoardDgemm& operator=(BoardDgemm&&) noexcept;

  /// A B, m x n, column major with leading dimension m. a is m x k, b is k x n. Throws gdr::Error for NaN; infinity
  /// comes out as the chip makes it.
  [[nodiscard]] std::vector<double> multiply(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                             const MatrixView& b);

  /// `told` hears how far multiply() is, from 0 to 1, whenever a share of rows is done.
  void on_progress(std::function<void(double done)> told);

  /// Operations of all turns run so far, those on padding included: 2 for each product and sum.
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
