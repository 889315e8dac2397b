// High Performance LINPACK on P x Q ranks with boards, in time alone: the activities of every panel, its broadcast, the
// exchange of rows and the update.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

enum class HplStage : std::uint8_t { panel, broadcast, swap, update, backsub };
inline constexpr std::size_t kHplStages = 5;
[[nodiscard]] std::string_view name_of(HplStage stage);

/// P x Q; rank = row * columns + column, as HPL's row-major mapping.
struct ProcessGrid {
  Rank rows = 1;
  Rank columns = 1;
};
/// The grid of this many ranks that is nearest to a square, with no more rows than columns.
[[nodiscard]] ProcessGrid square_grid(Rank ranks);

struct HplClusterOptions {
  ProcessGrid grid;
  std::uint64_t n = 0;
  std::uint64_t nb = 2048;
  /// 1: the columns of the next panel are updated first, and hosts factorise them while boards update the rest. 0: a
  /// panel begins once the update before it is done, and its large products go to the board.
  unsigned lookahead = 1;
  bool overlap_u = false;  // rows of U are exchanged in parts, while boards update the columns of the part before
  DgemmTransfer transfer = {};
  interconnect::FlowFactors factors = {};
};

struct HplClusterTimes {
  double seconds = 0;
  std::array<double, kHplStages> stages{};  // of the critical path; they add up to `seconds`
  std::array<double, kParts> parts{};       // the same path by what it was spent on
  double board_busy = 0;                    // seconds of one rank's board, mean of all
  double bytes = 0;                         // between nodes
  std::size_t activities = 0;
};

/// On one rank without look-ahead the stages of hpl_with_board(). Throws gdr::Error if the grid has more ranks than the
/// topology has nodes for, nb is larger than n, the matrix does not fit into the nodes' memories (with the largest n
/// that does), or there would be more messages than can be looked at (with how many).
[[nodiscard]] HplClusterTimes hpl_times(const Cluster& cluster, const interconnect::Topology& topology,
                                        const DgemmModel& board, const HplClusterOptions& options);

}  // namespace gdr::cluster
