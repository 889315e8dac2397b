// How long a program's communication takes on a described network, in emulated seconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {

/// Nodes are those of HA-PACS/TCA; the network between them is HA-PACS/TCA's PEACH2 and InfiniBand, or any platform.
class XmpNetwork {
 public:
  /// Throws gdr::Error for names that are no network and for more ranks than nodes. `grid`: the ranks' extents, slowest
  /// first.
  XmpNetwork(const std::string& name, int ranks);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Places the ranks of a grid; shape: at most three extents, slowest first.
  void place(const std::array<int, kHaloDimensions>& split);
  /// An exchange whose directions have peers and regions, and completes it: over PEACH2 or InfiniBand by the rule of
  /// the planner, on other networks all at once.
  [[nodiscard]] double exchange(HaloPlans& plans) const;
  /// Messages of any ranks that begin together. bytes: shape [from][to].
  [[nodiscard]] double messages(const std::vector<std::vector<double>>& bytes) const;
  /// An all-reduce of 8 bytes among some ranks; on HA-PACS/TCA as among the first nodes, of which there are as many.
  [[nodiscard]] double all_reduce(const std::vector<int>& ranks) const;
  [[nodiscard]] double broadcast(double bytes) const;
  /// An all-gather of `bytes` of each rank, by the algorithm that kCollectiveLibrary takes.
  [[nodiscard]] double all_gather(double bytes) const;
  /// Launches of a loop whose sum is reduced.
  [[nodiscard]] double launch() const { return system_.cluster.iteration_overhead; }
  /// A loop on the device: the bytes that its memory moves.
  [[nodiscard]] double loop(double bytes) const { return bytes / system_.cluster.memory_rate; }
  /// True if PEACH2 and InfiniBand carry messages.
  [[nodiscard]] bool is_hybrid() const { return platform_ == nullptr; }

 private:
  std::string name_;
  int ranks_;
  HaloSystem system_;
  std::vector<int> nodes_;              // by rank
  std::unique_ptr<Platform> platform_;  // of other networks
};

}  // namespace gdr::interconnect
