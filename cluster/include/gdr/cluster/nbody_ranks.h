// An N-body run whose forces are computed by several ranks, each with a board. Its emulated time is that of the model's
// algorithm of the same kind (nbody_model.h): the host of a rank integrates its share, and particles travel. The
// processes that emulate the ranks have the whole state and integrate all particles each, with the same bits, and send
// only forces.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/cluster/cluster.h"
#include "gdr/cluster/communicator.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::cluster {

/// Ranks as a grid: rank r is in row r / columns. Each row computes the forces on a share of the block's i-particles;
/// each column holds a share of the j-particles.
struct Split {
  std::string name;
  unsigned rows = 1;
  unsigned columns = 1;
  /// Compute a row's share in two halves, of whole runs of the board, where the model says that this is faster:
  /// messages of the first half travel while the board computes the second. The results have the same bits.
  bool overlap = false;
};
/// `i`: all ranks in one column, so that each holds all j-particles; the results have the bits of one rank. `j`: all
/// ranks in one row, with the bits of one process with as many boards. `2d`: a square [Makino 2002], with the bits of
/// one process with as many boards as the square has columns. Throws gdr::Error for another name, and for `2d` if the
/// ranks form no square.
[[nodiscard]] Split split_named(std::string_view name, unsigned ranks);
[[nodiscard]] std::vector<std::string> split_names();

/// Emulated seconds of one rank. Their sum is the same for all ranks.
struct RankSeconds {
  double compute = 0;  // board, from the start of runs to their last clock, and the host's integration of its share
  double send = 0;     // i- and j-particles from host to board
  double receive = 0;  // results from board to host, sums of chips and of ranks
  double network = 0;
  double wait = 0;  // for the slowest rank, once a block
  [[nodiscard]] double total() const { return compute + send + receive + network + wait; }
};

class NbodyRanks final : public hostlib::ForceSharing {
 public:
  /// Messages take the time of the cluster's network with one rank on each node; the cluster's boards are not used.
  /// `communicator` must outlive this object. Throws gdr::Error if the split does not have as many ranks as
  /// `communicator`, or if the network has too few nodes.
  NbodyRanks(Communicator& communicator, Split split, const Cluster& cluster);
  ~NbodyRanks() override;

  [[nodiscard]] std::unique_ptr<hostlib::ForceBackend> share(Device& device, isa::Program program) override;
  [[nodiscard]] unsigned boards() const override;
  [[nodiscard]] unsigned ranks() const override;
  [[nodiscard]] std::size_t j_capacity(std::size_t of_device) const override;
  [[nodiscard]] std::string totals() const override;
  void resume(const std::string& totals, double integration) override;

  /// Seconds of every rank. Of several ranks, the hosts' integration is contained; for one, add it to the device's time
  /// before. All ranks must call it.
  [[nodiscard]] std::vector<RankSeconds> seconds() const;

 private:
  class Backend;
  struct Clock;

  Communicator& communicator_;
  Split split_;
  Cluster cluster_;
  std::unique_ptr<Clock> clock_;
};

}  // namespace gdr::cluster
