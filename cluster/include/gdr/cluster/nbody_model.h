// Time model of N-body runs with individual block time steps on a cluster. It schedules boards, hosts and messages once
// for each size of block, and weights that by the number of blocks of the size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/nbody_node.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/interconnect/activities.h"
#include "gdr/isa/program.h"

namespace gdr::cluster {

/// Which particles a rank holds and which forces it computes. A rank always integrates its own share of the block.
enum class NbodyAlgorithm : std::uint8_t {
  copy,             // every rank holds all particles and computes the forces on its share of the block
  j_parallel,       // a rank holds its share of the particles and computes their part of the forces on the whole block
  two_dimensional,  // q x q ranks: rows share the block, columns share the particles [Makino 2002]
  systolic,         // a rank holds its share; shares of the block go round all ranks and return with their forces
  hyper_systolic    // a rank holds several shares, so that those of the block visit fewer ranks [Dorband et al. 2003]
};
[[nodiscard]] std::string_view name_of(NbodyAlgorithm algorithm);  // copy, j, 2d, systolic, hyper
[[nodiscard]] std::vector<std::string> nbody_algorithm_names();
/// Throws gdr::Error with the known names for any other.
[[nodiscard]] NbodyAlgorithm nbody_algorithm_named(std::string_view name);

/// How every pair of shares is brought together on a ring of ranks. Rank r holds the j-particles of shares r, r + 1,
/// ..., r + held - 1. Share s of the block visits `visits` ranks: s, s + held, ... Since held * visits = ranks, each
/// pair of shares interacts once. The systolic algorithm has held = 1 and visits = ranks. The hyper-systolic one has
/// the two divisors of `ranks` that are closest to each other; its shifts are the regular bases of Lippert et al. 1998.
struct SystolicShifts {
  Rank held = 1;
  Rank visits = 1;
};
[[nodiscard]] SystolicShifts systolic_shifts(NbodyAlgorithm algorithm, Rank ranks);

/// True if the algorithm can run on this many ranks: 2d needs a square number, and the algorithms on a ring allow at
/// most 2,000,000 messages per block.
[[nodiscard]] bool takes_ranks(NbodyAlgorithm algorithm, Rank ranks);

struct NbodyModelOptions {
  NbodyAlgorithm algorithm = NbodyAlgorithm::copy;
  Rank ranks = 1;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
  /// For copy, j and 2d: compute a block in two halves, of whole runs of the board, where that takes less time. While
  /// the board computes the second half, the sums of the first travel and the host integrates it. The results have the
  /// same bits, since the forces on each particle are summed separately.
  bool overlap = false;
};

/// Times and counts for one unit of N-body time, or for the start of a run.
struct NbodyModelTimes {
  double seconds = 0;
  std::array<double, kParts> parts{};  // of the critical path, by Part; they add up to `seconds`
  double board_busy = 0;               // seconds that a board works, mean over all ranks
  double bytes = 0;                    // sent between nodes
  double blocks = 0;
  double steps = 0;
};

/// Times of these blocks on the first nodes of the topology. Each collective uses the method that is fastest for its
/// size (kMethods). With Cluster::multipath, blocks of up to 15 million messages divided by the nodes are also timed
/// with relays. The forces at the start of a run are left out. Throws gdr::Error if the algorithm cannot run on this
/// many ranks, there are more ranks than particles, the topology has too few nodes, or the particles do not fit into
/// the boards (with the number that fits).
[[nodiscard]] NbodyModelTimes nbody_times(const Cluster& cluster, const interconnect::Topology& topology,
                                          const isa::Program& program, const hostlib::BlockSteps& steps,
                                          const NbodyModelOptions& options);
/// The same with boards and hosts of any kind. Of the cluster, only ranks_per_node and the parameters of messages are
/// used; of the options, `transfer` is not used.
[[nodiscard]] NbodyModelTimes nbody_times(const Cluster& cluster, const interconnect::Topology& topology,
                                          const NbodyNode& node, const hostlib::BlockSteps& steps,
                                          const NbodyModelOptions& options);

/// As the former, but nothing if the blocks take more than `most_seconds`. This is often known before all sizes of
/// block are timed, so that a search among many algorithms and numbers of ranks takes little time.
[[nodiscard]] std::optional<NbodyModelTimes> nbody_times_within(const Cluster& cluster,
                                                                const interconnect::Topology& topology,
                                                                const NbodyNode& node, const hostlib::BlockSteps& steps,
                                                                const NbodyModelOptions& options, double most_seconds);

/// Times of what comes before the first block, without blocks and steps: all particles are written to the boards, the
/// forces on all of them are computed, and they are written again with the derivatives. Throws as nbody_times().
[[nodiscard]] NbodyModelTimes nbody_start_times(const Cluster& cluster, const interconnect::Topology& topology,
                                                const NbodyNode& node, double n, const NbodyModelOptions& options);
/// The same of one rank, by stage.
[[nodiscard]] emulator::StageSeconds nbody_start_stages(const NbodyNode& node, double n);

/// The activities of one block of `size` particles out of `n`, for other executors. `options` are as for nbody_times().
[[nodiscard]] RankGraph nbody_block(const Cluster& cluster, const interconnect::Topology& topology,
                                    const isa::Program& program, double n, double size,
                                    const NbodyModelOptions& options);

/// A network whose messages take no time, to find what else limits the speed.
[[nodiscard]] interconnect::Topology free_network(interconnect::NodeId nodes);

/// The part that most of the path was spent on: board, transfer, host or network. Network includes overhead and
/// loopback.
[[nodiscard]] std::string_view bound_by(const std::array<double, kParts>& parts);

}  // namespace gdr::cluster
