// N-body with block individual time steps on a cluster, in time alone: one schedule of boards, hosts and messages for
// each size of block, weighted by how many blocks have it.
#pragma once

#include <array>
#include <cstdint>
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

/// Who holds and computes what; a rank always integrates its own share of the block.
enum class NbodyAlgorithm : std::uint8_t {
  copy,             // every rank holds all particles and computes the forces on its share of the block
  j_parallel,       // a rank holds its share of the particles and computes their part of the forces on the whole block
  two_dimensional,  // q x q ranks, both [Makino 2002]
  systolic,         // a rank holds its share; shares of the block go round all ranks and come home with their forces
  hyper_systolic    // a rank holds several shares, so that those of the block visit fewer ranks [Dorband et al. 2003]
};
[[nodiscard]] std::string_view name_of(NbodyAlgorithm algorithm);  // copy, j, 2d, systolic, hyper
[[nodiscard]] std::vector<std::string> nbody_algorithm_names();
/// Throws gdr::Error with the names.
[[nodiscard]] NbodyAlgorithm nbody_algorithm_named(std::string_view name);

/// How shares of ranks in a ring meet: rank r holds the j-particles of shares r, r + 1, ..., r + held - 1, and share s
/// of the block visits ranks s, s + held, ..., `visits` of them. held * visits = ranks, so that each pair of shares
/// meets once. The two are 1 and `ranks` of the systolic algorithm, and as near to each other as divisors of `ranks`
/// can be of the hyper-systolic one, whose shifts are the regular bases of Lippert et al. 1998.
struct SystolicShifts {
  Rank held = 1;
  Rank visits = 1;
};
[[nodiscard]] SystolicShifts systolic_shifts(NbodyAlgorithm algorithm, Rank ranks);

/// Whether the algorithm takes so many ranks: 2d wants a square, and a block whose shares go round a ring at most
/// 2,000,000 messages.
[[nodiscard]] bool takes_ranks(NbodyAlgorithm algorithm, Rank ranks);

struct NbodyModelOptions {
  NbodyAlgorithm algorithm = NbodyAlgorithm::copy;
  Rank ranks = 1;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
  /// copy, j and 2d: blocks in halves, of whole runs of the board, where that takes less time. While the board computes
  /// the second, the sums of the first travel and the host integrates it. The bits are the same, since the forces on
  /// each particle are summed up by themselves.
  bool overlap = false;
};

/// Of one unit of time of the run.
struct NbodyModelTimes {
  double seconds = 0;
  std::array<double, kParts> parts{};  // of the critical path, by Part; they add up to `seconds`
  double board_busy = 0;               // seconds of one rank's board, mean of all
  double bytes = 0;                    // between nodes
  double blocks = 0;
  double steps = 0;
};

/// Seconds of these blocks on the first nodes of the topology. Messages of a call are those of the method that is
/// fastest for their size (kMethods); the forces at the start are left out. Throws gdr::Error if the algorithm
/// takes no such number of ranks, there are more of them than particles, the topology has too few nodes, or the
/// particles do not fit into the boards, with how many do.
[[nodiscard]] NbodyModelTimes nbody_times(const Cluster& cluster, const interconnect::Topology& topology,
                                          const isa::Program& program, const hostlib::BlockSteps& steps,
                                          const NbodyModelOptions& options);
/// The same with boards and hosts of any kind; of the cluster its ranks a node and its messages alone are looked at, of
/// the options not the transfers.
[[nodiscard]] NbodyModelTimes nbody_times(const Cluster& cluster, const interconnect::Topology& topology,
                                          const NbodyNode& node, const hostlib::BlockSteps& steps,
                                          const NbodyModelOptions& options);

/// The activities of one block of `size` of `n` particles, for other executors. `options` are those that nbody_times()
/// takes.
[[nodiscard]] RankGraph nbody_block(const Cluster& cluster, const interconnect::Topology& topology,
                                    const isa::Program& program, double n, double size,
                                    const NbodyModelOptions& options);

/// A network that takes no time, for what limits beside it.
[[nodiscard]] interconnect::Topology free_network(interconnect::NodeId nodes);

/// The part that most of the path was spent on: board, transfer, host or network, which has overhead and loopback in
/// it.
[[nodiscard]] std::string_view bound_by(const std::array<double, kParts>& parts);

}  // namespace gdr::cluster
