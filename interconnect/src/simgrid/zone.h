// Code that the executors on SimGrid share: the platform with our routes, and the setup of SimGrid.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gdr/interconnect/simulation.h"
#include "simgrid/child.h"

namespace gdr::interconnect {

/// A zone that computes every route from the topology instead of keeping a table of all pairs. It contains only the
/// links that the schedule's messages take. Hosts have a speed of 1, so that a computation is given in seconds.
class ExplicitZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  /// Each host does `cores` computations at once, each at full speed.
  ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options, int cores = 1);

  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// Gives the size of the message that starts next, so that its route has the rate cap of that size. An executor that
  /// does not know it need not call this; then all messages of a pair have the cap of the longest.
  void announce(std::uint64_t bytes) { next_bytes_ = bytes; }

 private:
  void make_limiters(const Schedule& schedule);
  [[nodiscard]] double latency_factor(std::uint64_t bytes, const std::vector<simgrid::s4u::Link*>& links) const;
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* into, double* latency) override;

  [[nodiscard]] std::uint64_t pair(NodeId from, NodeId to) const {
    return std::uint64_t{from} * topology_.nodes() + to;
  }

  const Topology& topology_;
  const FlowFactors& factors_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::Link*> links_;
  std::unordered_map<std::uint64_t, std::uint64_t> longest_;                         // bytes, by pair of nodes
  std::map<std::pair<std::uint64_t, std::uint64_t>, simgrid::s4u::Link*> limiters_;  // by pair and class of messages
  std::optional<std::uint64_t> next_bytes_;
  std::unordered_map<const simgrid::kernel::routing::NetPoint*, NodeId> node_of_;
  std::vector<LinkId> route_;
};

/// The one engine of this process, with flow model and resolution set. The zone is to be created next.
[[nodiscard]] std::unique_ptr<simgrid::s4u::Engine> make_engine(const SimulationOptions& options,
                                                                double resolution_seconds);

/// SimulationOptions::resolution, converted to seconds for this schedule. Throws gdr::Error as link_loads() does, and
/// for options out of range.
[[nodiscard]] double resolution_seconds(const Schedule& schedule, const Topology& topology,
                                        const SimulationOptions& options);

/// Runs `simulate` in a process of its own. `simulate` returns the seconds of the ranks, and stores its progress, from
/// 0 to 1, in its argument.
[[nodiscard]] SimulationResult simulate_in_child(const Schedule& schedule, const SimulationOptions& options,
                                                 const std::function<std::vector<double>(SharedNumber&)>& simulate);

/// Throws gdr::Error for a deadlock in which `rank` waits in `step`.
[[noreturn]] void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step);

}  // namespace gdr::interconnect
