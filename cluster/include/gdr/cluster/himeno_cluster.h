// The Himeno benchmark (a Jacobi iteration of 19 points on a regular grid) on nodes with boards, in time alone: the
// opposite of gravity and matrix products, since every number is used a few times only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/emulator/machine.h"
#include "gdr/interconnect/activities.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::cluster {

using Extents = std::array<std::uint64_t, 3>;

/// "AxBxC", whole numbers of 1 to 2^20. Throws gdr::Error for anything else.
[[nodiscard]] Extents parse_extents(std::string_view text);
/// Grid points of the benchmark's sizes XS, S, M, L and XL, or of "AxBxC". Throws gdr::Error for others; every extent
/// is at least 3, since the outermost points stay as they are.
[[nodiscard]] Extents himeno_size(std::string_view text);

/// What computes a rank's points. Both are bounds that no program passes: no kernel of ours computes Himeno.
enum class HimenoPlace : std::uint8_t {
  board,  // as fast as the chips' ports and arithmetic units allow; coefficients stay in external memory
  host    // as fast as the host's memory gives the arrays
};
[[nodiscard]] std::string_view name_of(HimenoPlace place);

struct HimenoOptions {
  Extents size{};
  Extents split{1, 1, 1};  // ranks along each axis
  HimenoPlace place = HimenoPlace::board;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
  /// Points whose neighbours are at home are computed while halos travel, all of them at once. Without, halos travel
  /// axis by axis and then everything is computed, as the benchmark's MPI program does.
  bool overlap = false;
};

struct HimenoTimes {
  double seconds = 0;                  // of an iteration
  std::array<double, kParts> parts{};  // of the critical path; they add up to `seconds`
  double compute = 0;                  // seconds of the largest rank's points, transfers to its board not among them
  double bytes = 0;                    // between nodes
  double gflops = 0;                   // 34 operations a point, as the benchmark counts
};

/// The split of the grid over so many ranks whose largest block has the smallest halo. Throws gdr::Error if there is
/// none that leaves every rank a point.
[[nodiscard]] Extents himeno_split(const Extents& size, Rank ranks);

/// An iteration, ranks in order of their blocks, the first axis fastest. Throws gdr::Error if a rank has no point, or
/// if the arrays do not fit into the nodes' memories or the boards' (with the number of points that do).
[[nodiscard]] RankGraph himeno_graph(const Cluster& cluster, const HimenoOptions& options);
/// Its critical path. Also throws gdr::Error if the topology has too few nodes.
[[nodiscard]] HimenoTimes himeno_times(const Cluster& cluster, const interconnect::Topology& topology,
                                       const HimenoOptions& options);

/// Who sends how many bytes to whom in an iteration, by sender and receiver.
[[nodiscard]] std::vector<interconnect::Transfer> himeno_traffic(const HimenoOptions& options);

}  // namespace gdr::cluster
