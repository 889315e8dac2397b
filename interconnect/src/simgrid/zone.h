// What the executors on SimGrid share: the platform with our routes, and how SimGrid is set up.
#pragma once

#include <cstdint>
#include <memory>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "gdr/interconnect/simulation.h"
#include "simgrid/child.h"

namespace gdr::interconnect {

/// A zone that asks the topology for every route instead of keeping a table of all pairs. It has the links alone that
/// the schedule's messages take. Hosts have a speed of 1, so that a computation is given in seconds.
class ExplicitZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options);

  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

 private:
  void make_limiters(const Schedule& schedule);
  void make_limiter(NodeId from, NodeId to);
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* into, double* latency) override;

  [[nodiscard]] std::uint64_t pair(NodeId from, NodeId to) const {
    return std::uint64_t{from} * topology_.nodes() + to;
  }

  const Topology& topology_;
  double rate_cap_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::Link*> links_;
  std::unordered_map<std::uint64_t, simgrid::s4u::Link*> limiters_;  // by pair of nodes; empty without a cap
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

/// What a simulation gives, whose numbers are the seconds of the ranks.
[[nodiscard]] SimulationResult as_result(ChildResult child);

/// What a deadlock is told as.
[[noreturn]] void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step);

}  // namespace gdr::interconnect
