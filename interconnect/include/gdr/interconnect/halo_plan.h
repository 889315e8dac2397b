// Halo exchange as the XcalableACC runtime does it: how each face of a block lies in memory, over which network it
// goes, in which order, and how long the exchange takes. IPSJ ACS 8(4), 2015, section 5. Nothing here moves data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/peach2.h"
#include "gdr/interconnect/tca_events.h"

namespace gdr::interconnect {

inline constexpr int kHaloDimensions = 3;

/// Parses "I[,J[,K]]", also with x for commas; missing numbers are 1. Throws gdr::Error for any other text.
[[nodiscard]] std::array<std::int64_t, kHaloDimensions> parse_halo_extents(std::string_view text);

/// An array distributed over ranks, slowest dimension first. Dimensions that are not used have extent and split 1. In
/// each dimension a rank holds extent / split elements and `width` more on either side, in one padded array.
struct HaloShape {
  std::array<std::int64_t, kHaloDimensions> extent{1, 1, 1};
  std::array<int, kHaloDimensions> split{1, 1, 1};
  std::array<int, kHaloDimensions> width{0, 0, 0};
  std::size_t element_bytes = 4;

  /// Throws gdr::Error for splits that do not divide, halos wider than the block in a dimension that is split, and
  /// sizes below 1.
  void check() const;
  [[nodiscard]] int ranks() const { return split[0] * split[1] * split[2]; }
  [[nodiscard]] std::int64_t local(int dimension) const;
  [[nodiscard]] std::int64_t padded(int dimension) const;
  /// Elements of a rank's array, halo included.
  [[nodiscard]] std::int64_t block_elements() const { return padded(0) * padded(1) * padded(2); }
  [[nodiscard]] std::array<int, kHaloDimensions> coordinates(int rank) const;
  [[nodiscard]] int rank(const std::array<int, kHaloDimensions>& coordinates) const;
};

/// A box of a padded array, as `outer` x `inner` runs of `run` elements. Offset and pitches are in elements.
struct HaloRegion {
  std::int64_t offset = 0;
  std::int64_t run = 0;
  std::int64_t inner = 1;
  std::int64_t inner_pitch = 0;
  std::int64_t outer = 1;
  std::int64_t outer_pitch = 0;

  [[nodiscard]] std::int64_t rows() const { return inner * outer; }
  [[nodiscard]] std::int64_t elements() const { return rows() * run; }
  [[nodiscard]] std::int64_t gap() const { return rows() > 1 ? inner_pitch - run : 0; }
};

/// The box of a row-major array with these pitches, from its first element on; empty if a length is 0. Rows that follow
/// each other without a gap count as one row.
[[nodiscard]] HaloRegion region_of_box(const std::array<std::int64_t, kHaloDimensions>& pitch,
                                       const std::array<std::int64_t, kHaloDimensions>& first,
                                       const std::array<std::int64_t, kHaloDimensions>& length);

/// One row is Block; rows of one element are Stride; everything else is Block Stride. Section 5.3.
[[nodiscard]] Pattern classify(const HaloRegion& region);

enum class HaloMethod { tca, mv2gdr, hybrid };
[[nodiscard]] std::string_view name_of(HaloMethod method);
/// The method with the name "tca", "mv2gdr" or "hybrid"; nothing for other names.
[[nodiscard]] std::optional<HaloMethod> halo_method_named(std::string_view name);

enum class Carrier { tca, mpi };
[[nodiscard]] std::string_view name_of(Carrier carrier);

struct HaloDirection {
  int dimension = 0;
  int side = 0;  // -1 or +1
  int peer = 0;  // rank
  HaloRegion send;
  HaloRegion receive;
  Pattern pattern = Pattern::block;
  Carrier carrier = Carrier::mpi;
  bool packed = false;  // through contiguous buffers on both sides
  std::int64_t bytes = 0;
  int descriptors = 0;  // that PEACH2 needs
};

/// The messages of one rank, in the order in which it sends them. Both ranks of a pair turn to each other at the same
/// time, so that no chip receives from two others.
struct HaloPlan {
  std::vector<HaloDirection> directions;

  [[nodiscard]] std::int64_t bytes(std::optional<Pattern> pattern = {}) const;
};

/// Cluster, boards and cables.
struct HaloSystem {
  Peach2 board;
  HaPacsTca cluster;
  SubCluster sub_cluster;  // all sub-clusters are built alike; dropped links are links of the first
  int nodes = 0;           // may be fewer than the cluster's

  /// Loads machines/peach2.toml and machines/ha-pacs-tca.toml.
  [[nodiscard]] static HaloSystem load();
  [[nodiscard]] int sub_cluster_of(int node) const { return node / sub_cluster.nodes(); }
  /// True if both nodes are in one sub-cluster and their routes work in both directions.
  [[nodiscard]] bool joined(int a, int b) const;
};

/// Node of each rank. Neighbours in the grid of ranks are one hop apart wherever rules for two rings reach that. If
/// not, and if the ranks fit in one sub-cluster, placements are searched for one that takes less time over PEACH2 and
/// no more over both networks; the same arguments give the same placement. Throws gdr::Error for more ranks than nodes.
[[nodiscard]] std::vector<int> place_ranks(const HaloShape& shape, const HaloSystem& system);

/// All ranks' plans. `notes` says in words where the pattern did not decide the carrier: links that are down, nodes in
/// different sub-clusters.
struct HaloPlans {
  HaloShape shape;
  HaloMethod method = HaloMethod::hybrid;
  std::vector<int> nodes;  // by rank
  std::vector<HaloPlan> ranks;
  std::vector<std::string> notes;
};

/// Plans an exchange. Throws gdr::Error as HaloShape::check() and place_ranks() do, for TCA to nodes of other
/// sub-clusters, and for more descriptors than a chip holds; throws LinkDown with the route if TCA alone must pass a
/// link that is down.
[[nodiscard]] HaloPlans plan_halo(const HaloShape& shape, HaloMethod method, const HaloSystem& system);
/// The same with the node of each rank given. Also throws gdr::Error if these are not as many different nodes as ranks.
[[nodiscard]] HaloPlans plan_halo(const HaloShape& shape, HaloMethod method, const HaloSystem& system,
                                  std::vector<int> nodes);

/// Completes plans of exchanges that are no HaloShape's: directions have their peers and regions, `plans` their method
/// and nodes. Sets pattern, bytes, carrier, packing and descriptors of each by the rule of plan_halo(), and throws as
/// that does.
void choose_carriers(HaloPlans& plans, const HaloSystem& system);

/// Time that a rank takes before its networks start, s.
struct HaloStart {
  double pack = 0;   // at both ends
  double posts = 0;  // MPI_Startall, before the chain is started
};
[[nodiscard]] HaloStart halo_start(const HaloPlan& plan, const HaPacsTca& cluster);
/// Bytes of a face on PEACH2, converted to the bytes that take as long in full packets.
[[nodiscard]] double wire_bytes(const HaloDirection& direction, const HaloShape& shape, const Peach2& board);

/// Modelled time of one exchange, s; each member is that of the slowest rank.
struct HaloTime {
  double pack = 0;  // both ends
  double tca = 0;   // the chains, from their start
  double mpi = 0;
  double overhead = 0;
  double total = 0;
  bool collided = false;
};
[[nodiscard]] HaloTime exchange_time(const HaloPlans& plans, const HaloSystem& system);

/// The plan of a rank as text: patterns, carriers and notes.
[[nodiscard]] std::string describe(const HaloPlans& plans, int rank);

}  // namespace gdr::interconnect
