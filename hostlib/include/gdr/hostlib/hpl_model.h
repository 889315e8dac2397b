// High Performance LINPACK on one node with a board: seconds by stage, without a matrix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr {

/// The host of a board: what its own BLAS does.
struct HostDescription {
  std::string name;
  std::string title;
  double dgemm_gflops = 0;   // products and triangular solves
  double narrow_gflops = 0;  // panels of fewer than `narrowest` columns
  double alone_swap_mb = 0;  // MB/s of rows read and written where there is no board
  double memory_mb = 0;      // MB/s of memory: back-substitution, and row swaps beside a board
  double cache_line = 0;     // bytes
  double narrowest = 0;      // smallest K of products that go to the board
};
[[nodiscard]] const base::DescriptionKind& host_kind();
/// Throws gdr::Error as base::load_description() does.
[[nodiscard]] HostDescription load_host(std::string_view name_or_file);

/// The stages of Koike et al. 2009, table 2.
struct HplStages {
  double panel = 0;
  double update = 0;
  double swap = 0;
  double backsub = 0;
  std::uint64_t clocks = 0;  // of a chip, in the board's products
  [[nodiscard]] double total() const { return panel + update + swap + backsub; }
};

/// 2/3 n^3 + 3/2 n^2.
[[nodiscard]] double hpl_flops(double n);

/// Bytes of memory that the row swaps of one panel move through the cache, for each column to the right of it. Rows lie
/// one after another in a column: each line that holds a row that changes places is read and written once, however
/// many rows of it do. The panel's rows are all in; of those below, each pivot takes one at random.
[[nodiscard]] double swap_bytes(double rows, double nb, double cache_line);

/// The host alone.
[[nodiscard]] HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb);
/// Products of K >= narrowest on the board, in the recursion of panels and triangular solves, too. Row swaps at the
/// rate of memory.
[[nodiscard]] HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board,
                                       const DgemmTransfer& transfer, std::uint64_t n, std::uint64_t nb);

}  // namespace gdr
