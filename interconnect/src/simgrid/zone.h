// What the executors on SimGrid share: the platform with our routes, and how SimGrid is set up.
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

/// A zone that asks the topology for every route instead of keeping a table of all pairs. It has the links alone that
/// the schedule's messages take. Hosts have a speed of 1, so that a computation is given in seconds.
class ExplicitZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  /// Hosts work on `cores` computations at once, each at full speed.
  ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options, int cores = 1);

  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// The size of the message that starts next, whose rate cap its route then has. An executor that cannot tell leaves
  /// it out: then all messages of a pair have the cap of the longest.
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

/// The one engine of this process, with flow model and resolution set; the zone comes next.
[[nodiscard]] std::unique_ptr<simgrid::s4u::Engine> make_engine(const SimulationOptions& options,
                                                                double resolution_seconds);

/// SimulationOptions::resolution in seconds of this schedule. Throws gdr::Error as link_loads() does, and for options
/// out of range.
[[nodiscard]] double resolution_seconds(const Schedule& schedule, const Topology& topology,
                                        const SimulationOptions& options);

/// What a simulation in a process of its own gives. `simulate` returns the seconds of the ranks, and puts how far it is
/// into its argument, from 0 to 1.
[[nodiscard]] SimulationResult simulate_in_child(const Schedule& schedule, const SimulationOptions& options,
                                                 const std::function<std::vector<double>(SharedNumber&)>& simulate);

/// What a deadlock is told as.
[[noreturn]] void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step);

}  // namespace gdr::interconnect
