// Model of High Performance LINPACK on one node with a board: seconds of each stage, without computing any matrix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr {

/// The host of a board: the speeds of its BLAS and of its memory.
struct HostDescription {
  std::string name;
  std::string title;
  double dgemm_gflops = 0;   // products and triangular solves
  double narrow_gflops = 0;  // panels of up to `narrowest` columns
  double alone_swap_mb = 0;  // MB/s of row swaps (rows read and written) without a board
  double memory_mb = 0;      // MB/s of memory, for back-substitution and for row swaps with a board
  double cache_line = 0;     // bytes
  double narrowest = 0;      // smallest K of products that the board computes
};
[[nodiscard]] const base::DescriptionKind& host_kind();
/// Reads a description of a host. Throws gdr::Error as base::load_description() does.
[[nodiscard]] HostDescription load_host(std::string_view name_or_file);

/// Seconds of the stages in Koike et al. 2009, table 2.
struct HplStages {
  double panel = 0;
  double update = 0;
  double swap = 0;
  double backsub = 0;
  std::uint64_t clocks = 0;  // of a chip, in the products on the board
  [[nodiscard]] double total() const { return panel + update + swap + backsub; }
};

/// Operations of HPL for order n: 2/3 n^3 + 3/2 n^2.
[[nodiscard]] double hpl_flops(double n);

/// Bytes that the row swaps of one panel move between memory and cache, for each column to the right of the panel. In a
/// column the rows lie one after another. A cache line is read and written once if it holds at least one row that
/// changes places, however many it holds. All rows of the panel count as changing places, and each pivot takes one row
/// below the panel at random. `cache_line` is in bytes.
[[nodiscard]] double swap_bytes(double rows, double nb, double cache_line);

/// Seconds of the parts of HPL on one node. Matrices are given by their sizes only.
class HplNode {
 public:
  /// If `board` is null, the host computes everything. `host` and `board` must outlive this object.
  HplNode(const HostDescription& host, const DgemmModel* board, const DgemmTransfer& transfer)
      : host_(host), board_(board), transfer_(transfer) {}

  /// Product of an m x k and a k x n matrix, on the board if there is one and k is not below `narrowest`.
  [[nodiscard]] double product(double m, double n, double k);
  /// Factorisation of a panel of m rows, by halves: left half, triangular solve for the top of the right half, update,
  /// right half. The host computes panels of up to `narrowest` columns. If `nodes` nodes share the panel, m is the
  /// number of rows on this node, each node has an equal part of the rows of the triangles, and all nodes solve the
  /// triangles.
  [[nodiscard]] double panel(double m, double columns, double nodes = 1);
  /// Triangular solve of this order for `columns` columns, by halves.
  [[nodiscard]] double solve(double order, double columns);
  /// Row swaps in the `columns` columns to the right of a panel of `rows` rows and nb columns, on a node with a board
  /// (swap_bytes()).
  [[nodiscard]] double row_swaps(double rows, double nb, double columns) const;
  /// Back-substitution, the last step: half of a matrix of order n is read once.
  [[nodiscard]] double back_substitution(double n) const;
  /// Clocks of a chip in all products so far.
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

 private:
  const HostDescription& host_;
  const DgemmModel* board_;
  DgemmTransfer transfer_;
  std::uint64_t clocks_ = 0;
};

/// HPL of order n with panels of nb columns, on the host alone.
[[nodiscard]] HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb);
/// The same with a board, which computes the products of K >= narrowest, also those within panels and triangular
/// solves. Row swaps run at the rate of memory.
[[nodiscard]] HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board,
                                       const DgemmTransfer& transfer, std::uint64_t n, std::uint64_t nb);

}  // namespace gdr
