// Time model of the Himeno benchmark (a Jacobi iteration with a 19-point stencil on a regular grid) on nodes with
// boards. It is the opposite of gravity and matrix products, since it uses every number only a few times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/emulator/machine.h"
#include "gdr/interconnect/activities.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::cluster {

using Extents = std::array<std::uint64_t, 3>;

/// Parses "AxBxC", whole numbers from 1 to 2^20. Throws gdr::Error for anything else.
[[nodiscard]] Extents parse_extents(std::string_view text);
/// Grid points along each axis for one of the benchmark's sizes XS, S, M, L and XL, or for "AxBxC". Throws gdr::Error
/// for others, and for an extent below 3, since the outermost points never change.
[[nodiscard]] Extents himeno_size(std::string_view text);

/// What computes a rank's points. Both speeds are upper bounds, not those of a program: gdr has no Himeno kernel.
enum class HimenoPlace : std::uint8_t {
  board,  // as fast as the chips' ports and arithmetic units allow; coefficients stay in external memory
  host    // as fast as the host's memory delivers the arrays
};
[[nodiscard]] std::string_view name_of(HimenoPlace place);

struct HimenoOptions {
  Extents size{};
  Extents split{1, 1, 1};  // ranks along each axis
  HimenoPlace place = HimenoPlace::board;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
  /// If set, all halos travel at once, and meanwhile each rank computes the points whose neighbours are all its own.
  /// Else halos travel axis by axis before anything is computed, as in the benchmark's MPI program.
  bool overlap = false;
};

struct HimenoTimes {
  double seconds = 0;                  // of an iteration
  std::array<double, kParts> parts{};  // of the critical path; they add up to `seconds`
  double compute = 0;                  // seconds for the points of the largest rank, without transfers to its board
  double bytes = 0;                    // between nodes
  double gflops = 0;                   // 34 operations per point, as the benchmark counts
};

/// Of all splits of the grid over this many ranks, the one whose largest block has the smallest halo. Throws gdr::Error
/// if no split gives every rank a point.
[[nodiscard]] Extents himeno_split(const Extents& size, Rank ranks);

/// The activities of one iteration. Ranks are in the order of their blocks, with the first axis fastest. Throws
/// gdr::Error if a rank has no point, or if the arrays do not fit into the memories of nodes or boards (with the number
/// of points that fit).
[[nodiscard]] RankGraph himeno_graph(const Cluster& cluster, const HimenoOptions& options);
/// The same; if `relayed`, all nodes relay the halos (ActivityGraph::relayed()).
[[nodiscard]] RankGraph himeno_graph(const Cluster& cluster, const HimenoOptions& options, bool relayed);
/// Times of the critical path of himeno_graph(); with Cluster::multipath, of that with relays if it is shorter and they
/// pass on up to 30 million parts of messages. Throws as that does, and also if the topology has too few nodes.
[[nodiscard]] HimenoTimes himeno_times(const Cluster& cluster, const interconnect::Topology& topology,
                                       const HimenoOptions& options);

struct HimenoChoice {
  Extents split{};
  HimenoTimes times;
};
/// The fastest split of the grid over this many ranks on this network, found by trying all of them; of equally fast
/// ones, that with the smallest halo. options.split is not used. Throws as himeno_split() does, and as himeno_times()
/// if it refuses every split. `tried` is called after each split with the numbers of those tried and of all.
[[nodiscard]] HimenoChoice fastest_himeno(const Cluster& cluster, const interconnect::Topology& topology,
                                          HimenoOptions options, Rank ranks,
                                          const std::function<void(std::size_t done, std::size_t all)>& tried = {});

/// Bytes that each rank sends to each of its neighbours in an iteration, by sender and receiver.
[[nodiscard]] std::vector<interconnect::Transfer> himeno_traffic(const HimenoOptions& options);

}  // namespace gdr::cluster
