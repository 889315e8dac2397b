// Model of High Performance LINPACK on one node with a board: seconds of each stage, without computing any matrix.
#pragma once

#include <cstdint>
#include <optional>
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
  double memory = 0;         // bytes
  double cache_line = 0;     // bytes
  double narrowest = 0;      // smallest K of products that the board computes
};
[[nodiscard]] const base::DescriptionKind& host_kind();
/// Reads a description of a host. Throws gdr::Error as base::load_description() does.
[[nodiscard]] HostDescription load_host(std::string_view name_or_file);

/// Who computes the products of HPL on a node with a board.
enum class ProductRule : std::uint8_t {
  faster,  // host or board, whichever takes less time for the product; the board as libgdrblas uses it
  record   // the board those of K >= `narrowest` as they are given, as in Koike et al. 2009; the host all others
};
[[nodiscard]] std::string_view name_of(ProductRule rule);
[[nodiscard]] std::optional<ProductRule> product_rule_named(std::string_view name);
/// NB of the published run. Its rule is on record for this NB only.
inline constexpr std::uint64_t kPublishedNb = 2048;
/// The rule for runs that do not choose one: that of the record for its NB, otherwise the faster side.
[[nodiscard]] constexpr ProductRule usual_rule(std::uint64_t nb) {
  return nb == kPublishedNb ? ProductRule::record : ProductRule::faster;
}
/// How the chips share products of small depth under a rule: in the published unit, or as libgdrblas shares them.
[[nodiscard]] constexpr SmallDepths usual_small_depths(ProductRule rule) {
  return rule == ProductRule::record ? SmallDepths::fixed_unit : SmallDepths::own_rows;
}

/// The rule and the layout that were chosen; what is left out depends on NB.
struct HplProducts {
  std::optional<ProductRule> rule = {};
  std::optional<SmallDepths> small_depths = {};

  [[nodiscard]] ProductRule rule_of(std::uint64_t nb) const { return rule.value_or(usual_rule(nb)); }
  /// Of HPL-MxP, which is not on record for any NB, and of a search among NBs, which compares like with like.
  [[nodiscard]] ProductRule rule_of_any_nb() const { return rule.value_or(ProductRule::faster); }
  [[nodiscard]] SmallDepths depths_of(ProductRule under) const {
    return small_depths.value_or(usual_small_depths(under));
  }
};
/// The rule in words: "each by host or board, whichever is faster".
[[nodiscard]] std::string in_words(ProductRule rule, const HostDescription& host);

/// Seconds of work on one node, by who computes. Host and board take turns.
struct NodeSeconds {
  double host = 0;
  double board = 0;
  std::uint64_t clocks = 0;  // of a chip
  [[nodiscard]] double total() const { return host + board; }
  NodeSeconds& operator+=(const NodeSeconds& other);
};

/// Seconds of the stages in Koike et al. 2009, table 2.
struct HplStages {
  double panel = 0;
  double update = 0;
  double swap = 0;
  double backsub = 0;
  double board = 0;          // of all stages together: seconds in which the board computes
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
  HplNode(const HostDescription& host, const DgemmModel* board, const DgemmTransfer& transfer, ProductRule rule)
      : host_(host), board_(board), transfer_(transfer), rule_(rule) {}

  /// Product of an m x k and a k x n matrix that is subtracted from another one. The host reads and writes that one
  /// once, which takes longer than the operations if k is very small.
  [[nodiscard]] NodeSeconds product(double m, double n, double k) const;
  /// Factorisation of a panel of m rows, by halves: left half, triangular solve for the top of the right half, update,
  /// right half. The host computes panels of up to `narrowest` columns. If `nodes` nodes share the panel, m is the
  /// number of rows on this node, each node has an equal part of the rows of the triangles, and all nodes solve the
  /// triangles.
  [[nodiscard]] NodeSeconds panel(double m, double columns, double nodes = 1) const;
  /// Triangular solve of this order for `columns` columns, by halves.
  [[nodiscard]] NodeSeconds solve(double order, double columns) const;
  /// Row swaps in the `columns` columns to the right of a panel of `rows` rows and nb columns, on a node with a board
  /// (swap_bytes()).
  [[nodiscard]] double row_swaps(double rows, double nb, double columns) const;
  /// Back-substitution, the last step: half of a matrix of order n is read once.
  [[nodiscard]] double back_substitution(double n) const;

 private:
  [[nodiscard]] double seconds_of_memory(double elements) const;

  const HostDescription& host_;
  const DgemmModel* board_;
  DgemmTransfer transfer_;
  ProductRule rule_;
};

/// Throws gdr::Error if a panel of nb columns is wider than a matrix of order n: for those who name both. In an HPL.dat
/// such a panel is one of n columns, as in HPL itself.
void require_hpl_panel(std::uint64_t nb, std::uint64_t n);

/// HPL of order n with panels of nb columns, on the host alone. Throws gdr::Error if n or nb is 0, and as
/// require_hpl_memory().
[[nodiscard]] HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb);
/// The same with a board, which computes the products that the rule gives it, also those within panels and triangular
/// solves. Row swaps run at the rate of memory. Throws as hpl_on_host().
[[nodiscard]] HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board,
                                       const DgemmTransfer& transfer, ProductRule rule, std::uint64_t n,
                                       std::uint64_t nb);

}  // namespace gdr
