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

/// Seconds of what HPL is made of on one node, matrices being given by their sizes.
class HplNode {
 public:
  /// The host alone if `board` is null. Both must outlive this.
  HplNode(const HostDescription& host, const DgemmModel* board, const DgemmTransfer& transfer)
      : host_(host), board_(board), transfer_(transfer) {}

  /// An m x k matrix by a k x n one: on the board if there is one and k is not below `narrowest`.
  [[nodiscard]] double product(double m, double n, double k);
  /// A panel of m rows by halves: left half, its triangle applied to the right one's top, update, right half. What is
  /// narrower than `narrowest` is the host's. Where `nodes` nodes share the panel, m are this one's rows, of the
  /// triangles each has an equal part, and all solve them.
  [[nodiscard]] double panel(double m, double columns, double nodes = 1);
  /// A triangle of this order on so many columns by halves.
  [[nodiscard]] double solve(double order, double columns);
  /// Rows that change places in `columns` columns to the right of a panel of `rows` rows and nb columns, where there is
  /// a board (swap_bytes()).
  [[nodiscard]] double row_swaps(double rows, double nb, double columns) const;
  /// The last step: half of a matrix of order n is read once.
  [[nodiscard]] double back_substitution(double n) const;
  /// Of a chip, in all products so far.
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

 private:
  const HostDescription& host_;
  const DgemmModel* board_;
  DgemmTransfer transfer_;
  std::uint64_t clocks_ = 0;
};

/// The host alone.
[[nodiscard]] HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb);
/// Products of K >= narrowest on the board, in the recursion of panels and triangular solves, too. Row swaps at the
/// rate of memory.
[[nodiscard]] HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board,
                                       const DgemmTransfer& transfer, std::uint64_t n, std::uint64_t nb);

}  // namespace gdr
