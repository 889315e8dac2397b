// A parallel matrix product by SUMMA on nodes whose products boards compute, in time alone: Urino 2020's communication
// with a real accelerator instead of arithmetic that takes no time.
#pragma once

#include <array>
#include <cstdint>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/rank_graph.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/interconnect/summa.h"

namespace gdr::cluster {

struct SummaClusterOptions {
  DgemmTransfer transfer = {};
  interconnect::FlowFactors factors = {};
  /// Boards multiply while the messages of later steps travel. Without, a rank waits for its product before it goes on,
  /// as the schedules of Urino 2020 have it.
  bool overlap = true;
};

struct SummaClusterTimes {
  double seconds = 0;
  std::array<double, kParts> parts{};  // of the critical path; they add up to `seconds`
  double products = 0;                 // seconds of one rank's products, mean of all
  double bytes = 0;                    // between nodes
};

/// The activities of a plan (make_summa()), whose ranks run on the nodes of the cluster in order. A product of blocks
/// is the board's if its depth is not too small for it (HostDescription::narrowest), else the host's. Throws gdr::Error
/// if the matrices do not fit into the nodes' memories (with the largest n that does), or the plan comes to a deadlock.
[[nodiscard]] RankGraph summa_graph(const Cluster& cluster, const DgemmModel& board,
                                    const interconnect::SummaPlan& plan, const SummaClusterOptions& options);
/// Their critical path. Also throws gdr::Error if the topology has too few nodes.
[[nodiscard]] SummaClusterTimes summa_times(const Cluster& cluster, const interconnect::Topology& topology,
                                            const DgemmModel& board, const interconnect::SummaPlan& plan,
                                            const SummaClusterOptions& options);

}  // namespace gdr::cluster
