// Which cluster, how many nodes and which algorithm an N-body run should take, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/cluster/nbody_model.h"

namespace gdr::cluster {

/// A way to do a run.
struct NbodyCandidate {
  std::string cluster;
  interconnect::NodeId nodes = 1;
  NbodyAlgorithm algorithm = NbodyAlgorithm::copy;
  double seconds = 0;  // of one unit of time
  double gflops = 0;
  double efficiency = 0;  // against as many runs of one rank
  std::string_view bound_by;
};

struct NbodyAdviceOptions {
  double least_efficiency = 0.5;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
};

struct NbodyAdvice {
  NbodyCandidate best;                     // the fastest whose efficiency is not below the least
  std::vector<NbodyCandidate> algorithms;  // each algorithm on the best's nodes, as far as its particles fit
  std::vector<NbodyCandidate> clusters;    // each cluster's own best
  NbodyCandidate larger;         // the best's algorithm and cluster on the next number of nodes; its own if none
  double free_network = 1;       // how many times as fast the best would be if messages took no time,
  double planned_transfers = 1;  // or with transfers between host and board as planned in 2009
};

/// Looks at every algorithm on q^2 nodes, q = 1, 2, 3, 4, 6, 8, 12, 16, ..., of every cluster. Throws gdr::Error if
/// there is no cluster, the efficiency is not above 0 and at most 1, or the particles fit nowhere.
[[nodiscard]] NbodyAdvice advise_nbody(const std::vector<Cluster>& clusters, const isa::Program& program,
                                       const hostlib::BlockSteps& steps, const NbodyAdviceOptions& options);

}  // namespace gdr::cluster
