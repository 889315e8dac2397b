// What an N-body run from t = 0 on costs on a cluster, or on the boards of one host. Every command and every language
// asks here, so that one run has one time.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "gdr/cluster/nbody_model.h"

namespace gdr::cluster {

/// Times of a whole run in emulated seconds, and figures that follow from them.
struct NbodyCost {
  NbodyModelTimes start;  // the first forces
  NbodyModelTimes unit;   // each unit of time after them
  double t_end = 0;       // units of N-body time
  double seconds = 0;
  std::array<double, kParts> parts{};  // of the critical path, by Part; they add up to `seconds`
  double board_busy = 0;               // share of `seconds` that a board works, mean over all ranks
  double bytes_per_block = 0;          // sent between nodes
  double steps = 0;                    // of single particles
  double blocks = 0;
  double interactions = 0;  // pairs, the first forces included
  double gflops = 0;        // at the flops of the kernel for each interaction
  double efficiency = 0;    // speed divided by that of as many independent runs of one rank
  /// Stages of the run on one rank, whatever the number of ranks of the cost.
  emulator::StageSeconds alone;
};

/// The cost of a run to `t_end` > 0. Throws gdr::Error as nbody_times().
[[nodiscard]] NbodyCost nbody_cost(const Cluster& cluster, const interconnect::Topology& topology,
                                   const isa::Program& program, const hostlib::BlockSteps& steps,
                                   const NbodyModelOptions& options, double t_end);

/// As the former, but nothing if the run takes more than `most_seconds` (nbody_times_within()).
[[nodiscard]] std::optional<NbodyCost> nbody_cost_within(const Cluster& cluster, const interconnect::Topology& topology,
                                                         const isa::Program& program, const hostlib::BlockSteps& steps,
                                                         const NbodyModelOptions& options, double t_end,
                                                         double most_seconds);

/// The cost on one host with `boards` boards of this machine.
[[nodiscard]] NbodyCost nbody_cost(const emulator::MachineDescription& machine, unsigned boards,
                                   const isa::Program& program, const hostlib::BlockSteps& steps,
                                   emulator::TransferMode transfer, double t_end);

}  // namespace gdr::cluster
