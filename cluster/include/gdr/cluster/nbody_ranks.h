// An N-body run whose forces are shared out over ranks, each with a board. Every rank integrates all particles and has
// the whole state; the forces alone are shared.
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

/// Ranks as a grid: rank r is in row r / columns. A row computes a share of the block's i-particles; a column holds a
/// share of the j-particles.
struct Split {
  std::string name;
  unsigned rows = 1;
  unsigned columns = 1;
  /// A row's share in two halves, of whole runs of the board, where the model says that it pays: messages of the first
  /// travel while the board computes the second. The bits are the same.
  bool overlap = false;
};
/// `i`: all ranks in one column, so that each holds all j-particles and the bits are those of one rank. `j`: all in one
/// row, with the bits of one process with as many boards. `2d`: a square [Makino 2002], with the bits of as many boards
/// as it has columns. Throws gdr::Error for another name, and if the ranks form no square.
[[nodiscard]] Split split_named(std::string_view name, unsigned ranks);
[[nodiscard]] std::vector<std::string> split_names();

/// Emulated seconds of one rank. They add up to the same for all ranks.
struct RankSeconds {
  double compute = 0;  // board, from the start of runs to their last clock, and the host's integration
  double send = 0;     // i- and j-particles from host to board
  double receive = 0;  // results from board to host, sums of chips and of ranks
  double network = 0;
  double wait = 0;  // for the slowest rank, once a block
  [[nodiscard]] double total() const { return compute + send + receive + network + wait; }
};

class NbodyRanks final : public hostlib::ForceSharing {
 public:
  /// The network is the cluster's, with a rank on each of its nodes; its boards are not looked at. `communicator` must
  /// outlive this. Throws gdr::Error if the split is not of as many ranks or the network has too few nodes.
  NbodyRanks(Communicator& communicator, Split split, const Cluster& cluster);
  ~NbodyRanks() override;

  [[nodiscard]] std::unique_ptr<hostlib::ForceBackend> share(Device& device, isa::Program program) override;
  [[nodiscard]] unsigned boards() const override;
  [[nodiscard]] unsigned ranks() const override;
  [[nodiscard]] std::size_t j_capacity(std::size_t of_device) const override;
  [[nodiscard]] std::string totals() const override;
  void resume(const std::string& totals) override;

  /// Of all ranks, with the host's integration that was added to the device's time. All ranks call it.
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
