// Recommends a cluster, a number of nodes and an algorithm for an N-body run, and gives the reasons.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/cluster/nbody_model.h"

namespace gdr::cluster {

/// One way to do a run, with its modelled times.
struct NbodyCandidate {
  std::string cluster;
  interconnect::NodeId nodes = 1;
  NbodyAlgorithm algorithm = NbodyAlgorithm::copy;
  double seconds = 0;  // of a run from t = 0 to 1
  double gflops = 0;
  double efficiency = 0;  // speed divided by that of as many runs of one rank
  std::string_view bound_by;
};

struct NbodyAdviceOptions {
  double least_efficiency = 0.5;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  interconnect::FlowFactors factors = {};
};

struct NbodyAdvice {
  NbodyCandidate best;                     // the fastest that reaches least_efficiency; if none, the most efficient
  std::vector<NbodyCandidate> algorithms;  // each algorithm on the nodes of `best`, if the particles fit
  std::vector<NbodyCandidate> clusters;    // the best of each cluster
  NbodyCandidate larger;                   // the algorithm of `best` on the next larger number of nodes that it takes;
                                           // `best` itself if there is none
  double free_network = 1;                 // speedup of `best` if messages took no time
  double planned_transfers = 1;            // speedup of `best` with transfers between host and board as planned in 2009
};

/// Searches all algorithms on all numbers of nodes of every cluster. A combination is left as soon as it is certain to
/// be no better than the best so far, so that the result is that of trying all. Of equally good ones, those with fewer
/// nodes and those named first come first. Throws gdr::Error if there is no cluster, least_efficiency is not above 0
/// and at most 1, or the particles fit on no cluster. `tried` is told how many of all combinations are done.
[[nodiscard]] NbodyAdvice advise_nbody(const std::vector<Cluster>& clusters, const isa::Program& program,
                                       const hostlib::BlockSteps& steps, const NbodyAdviceOptions& options,
                                       const std::function<void(std::size_t done, std::size_t all)>& tried = {});

}  // namespace gdr::cluster
