// Time model of High Performance LINPACK on P x Q ranks with boards. For every panel it has the activities of the
// factorisation, the broadcast, the row swaps and the update.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/cluster/cluster.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

enum class HplStage : std::uint8_t { panel, broadcast, swap, update, backsub };
inline constexpr std::size_t kHplStages = base::enumerators<HplStage>();
[[nodiscard]] std::string_view name_of(HplStage stage);

/// P rows and Q columns of ranks; rank = row * columns + column, as in HPL's row-major mapping.
struct ProcessGrid {
  Rank rows = 1;
  Rank columns = 1;
};
/// The grid of this many ranks that is closest to a square, with no more rows than columns.
[[nodiscard]] ProcessGrid square_grid(Rank ranks);
/// The grid PxQ, or square_grid() for an empty text. Throws gdr::Error if it does not have this many ranks.
[[nodiscard]] ProcessGrid grid_named(const std::string& text, Rank ranks);

/// Orders of the matrix for those who name none.
inline constexpr std::array<std::uint64_t, 5> kUsualHplOrders{16384, 32768, 65536, 131072, 262144};
/// Those of them that fit the hosts' memories; the smallest even if it does not fit, which is then refused. `mxp`: of
/// HPL-MxP, whose factors are in single precision.
[[nodiscard]] std::vector<std::uint64_t> usual_hpl_orders(const Cluster& cluster, std::uint64_t nodes, bool mxp);

struct HplClusterOptions {
  ProcessGrid grid;
  std::uint64_t n = 0;
  std::uint64_t nb = 2048;
  /// 1: the columns of the next panel are updated first, and hosts factorise them while boards update the rest. 0: a
  /// panel begins when the update before it has ended, and its large products run on the board.
  unsigned lookahead = 1;
  bool overlap_u = false;  // exchange rows of U in parts, while boards update the columns of the part before
  DgemmTransfer transfer = {};
  ProductRule rule = ProductRule::faster;  // who computes the products of a node
  interconnect::FlowFactors factors = {};
  double element_bytes = 8;  // of the matrix, in the messages
  /// False: HPL-MxP's factorisation. The rank of a panel's triangle passes it on in its column of ranks; the ranks of
  /// its row compute U and pass it on. No rows change places, and no solution is computed.
  bool pivots = true;
};

struct HplClusterTimes {
  double seconds = 0;
  std::array<double, kHplStages> stages{};  // of the critical path, by HplStage; they add up to `seconds`
  std::array<double, kParts> parts{};       // the same path by Part
  double board_busy = 0;                    // seconds that a board works, mean over all ranks
  double bytes = 0;                         // sent between nodes
  std::size_t activities = 0;
};

/// Seconds of `steps` steps of refinement of a matrix of order n in doubles, and of the solution before them, on a grid
/// of ranks (mxp_refinement_seconds()): for each product and each triangle the ranks pass on x along their columns and
/// add up results along their rows; for triangles they do so block by block.
[[nodiscard]] double mxp_refinement_seconds_on(const Cluster& cluster, const interconnect::Topology& topology,
                                               const HplClusterOptions& options, unsigned steps);

/// Times of the critical path. On one rank without look-ahead, the stages are those of hpl_with_board(). Throws
/// gdr::Error if an option is out of range (nb is at most n), if the topology has too few nodes for the grid, if the
/// matrix does not fit into the nodes' memories (with the largest n that fits; with element_bytes of 4 the matrix is
/// also there in doubles), or if there would be too many messages
/// (with their number).
[[nodiscard]] HplClusterTimes hpl_times(const Cluster& cluster, const interconnect::Topology& topology,
                                        const DgemmModel& board, const HplClusterOptions& options);

/// Columns of a panel among which fastest_hpl() searches: powers of two from 128 to 4096 and one and a half times
/// these.
[[nodiscard]] std::span<const std::uint64_t> hpl_panel_widths();

struct HplChoice {
  std::uint64_t nb = 0;
  HplClusterTimes times;
};
/// The fastest of hpl_panel_widths(), as far as they are not above n; n itself if all are. Of equally fast ones, the
/// widest. Widths whose products alone take longer than the fastest run so far are not tried further. options.nb is not
/// used. Throws as hpl_times() does if it refuses every width.
[[nodiscard]] HplChoice fastest_hpl(const Cluster& cluster, const interconnect::Topology& topology,
                                    const DgemmModel& board, HplClusterOptions options);

}  // namespace gdr::cluster
