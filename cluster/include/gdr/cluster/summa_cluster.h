// Time model of a parallel matrix product by SUMMA on nodes whose boards compute the products. It has the communication
// of Urino 2020, with a real accelerator instead of arithmetic that takes no time.
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
  /// If set, boards multiply while the messages of later steps travel. Else a rank waits for its product before it goes
  /// on, as in the schedules of Urino 2020.
  bool overlap = true;
};

struct SummaClusterTimes {
  double seconds = 0;
  std::array<double, kParts> parts{};  // of the critical path, by Part; they add up to `seconds`
  double products = 0;                 // seconds of a rank's products, mean over all ranks
  double bytes = 0;                    // sent between nodes
};

/// The activities of a plan (make_summa()); ranks are on the nodes of the cluster in order. The board computes a
/// product of blocks if its depth is at least HostDescription::narrowest, else the host does. Throws gdr::Error if the
/// matrices do not fit into the nodes' memories (with the largest n that fits), if there are too many messages, or if
/// the plan deadlocks.
[[nodiscard]] RankGraph summa_graph(const Cluster& cluster, const DgemmModel& board,
                                    const interconnect::SummaPlan& plan, const SummaClusterOptions& options);
/// Times of the critical path of summa_graph(). Throws as that does, and if the topology has too few nodes.
[[nodiscard]] SummaClusterTimes summa_times(const Cluster& cluster, const interconnect::Topology& topology,
                                            const DgemmModel& board, const interconnect::SummaPlan& plan,
                                            const SummaClusterOptions& options);
/// Times on one rank, which computes the product of whole matrices of order n and sends nothing. Throws gdr::Error if n
/// is 0 or the three matrices do not fit into the node's memory (with the largest n that fits).
[[nodiscard]] SummaClusterTimes summa_times_of_one_rank(const Cluster& cluster, const DgemmModel& board,
                                                        std::uint64_t n, const SummaClusterOptions& options);

}  // namespace gdr::cluster
