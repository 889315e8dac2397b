// The activities of an N-body block on all ranks. The model of a run and the clock of a real run over ranks are made of
// these, so that both have one algorithm.
#pragma once

#include <memory>

#include "gdr/cluster/nbody_model.h"
#include "gdr/interconnect/activities.h"

namespace gdr::cluster {

/// Number of parts into which the particles are divided; a rank holds one of them.
[[nodiscard]] double parts_of_particles(const NbodyModelOptions& options);

class NbodyBlock {
 public:
  /// Blocks of `n` particles in all. Cluster, topology and node must outlive this object.
  NbodyBlock(const Cluster& cluster, const interconnect::Topology& topology, const NbodyNode& node, double n,
             const NbodyModelOptions& options);
  ~NbodyBlock();
  NbodyBlock(const NbodyBlock&) = delete;
  NbodyBlock& operator=(const NbodyBlock&) = delete;

  struct Timed {
    RankGraph graph;
    interconnect::ActivityTimes times;
    double first = 1;  // share of the block in its first half; 1: it is computed in one piece
  };
  /// A block of `size` particles; in halves if the options allow it and it takes less time.
  [[nodiscard]] Timed timed(double size);
  /// Makes the graph of the next block in the memory of this one.
  void reuse(RankGraph&& graph);
  /// What comes before the first block: the particles are written to the boards, the forces on all of them are
  /// computed, and the particles are written again with the derivatives.
  [[nodiscard]] Timed start();

  struct RunAndSends {
    emulator::StageSeconds run;
    double j_seconds = 0;
  };
  /// What a rank's board takes for its part of a block, cut as Timed::first says.
  [[nodiscard]] RunAndSends alone(double size, double first) const;

  /// Lower bound on the seconds of an undivided block: what a rank's board and host do for it, without any message.
  [[nodiscard]] double least_seconds(double size) const;

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace gdr::cluster
