// Code that the executors on SimGrid share: the platform with our routes, and the setup of SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "child/child.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

/// Whether each pair of nodes has links of its own in the routes between them, which make_limiters() explains. Without
/// them, SimGrid has to compute the shares of all flows at every change of one.
enum class Routes {
  limited,  // for messages that the schedule lists
  solved,   // the same, with these links among the solver's equations
  capped,   // for messages that the schedule lists, if the shares of all flows are computed at every change
  bare,     // for messages that are not known beforehand
};

/// A zone that computes every route from the topology instead of keeping a table of all pairs. It contains only the
/// links that the schedule's messages take. Hosts have a speed of 1, so that a computation is given in seconds. If
/// messages are divided among n ways, links have n times their bandwidth, and a route has a link once for each way on
/// it, so that a flow uses the right part of every link.
class ExplicitZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  /// Each host does `cores` computations at once, each at full speed.
  ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options, Routes routes,
               int cores = 1);

  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// Gives the size of the message that starts next, so that its route has the rate cap of that size. An executor that
  /// does not know it need not call this; then all messages of a pair have the cap of the longest. With `together`, the
  /// flow that starts next carries so many messages of this size, as takes_together() allows.
  void announce(std::uint64_t bytes, std::uint32_t together = 1) {
    next_bytes_ = bytes;
    next_together_ = together;
  }
  /// True if one flow can carry this many messages that a step of the schedule sends from one rank to another, and have
  /// the shares of all of them. It cannot with SimGrid's own factors, nor if a message arrives without any delay,
  /// because SimGrid then gives every flow the same share.
  [[nodiscard]] bool takes_together(Rank from, Rank to, std::uint64_t bytes, std::uint32_t together) const {
    return limiters_.contains({pair(from, to), factors_.of(bytes).from_bytes, together});
  }
  /// Load of each link by the messages that began; empty loads with flow models other than cm02. shape: [links]
  [[nodiscard]] std::vector<LinkLoad> carried() const {
    std::vector<LinkLoad> loads = carried_;
    for (LinkLoad& load : loads) load = {load.messages / topology_.ways(), load.bytes / topology_.ways()};
    return loads;
  }

 private:
  /// By pair of nodes, class of messages, and number of messages that a flow carries.
  using LimiterKey = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;

  void make_limiters(const Schedule& schedule, Routes routes);
  void make_limiter(Rank from, Rank to, std::uint64_t bytes, std::uint32_t together, Routes routes);
  /// Counts a message on the links of route_.
  void count(std::uint64_t bytes);
  /// Latency of a route, and what the weight adds to it where links are shared.
  struct Delay {
    double latency;
    double weight;
  };
  /// Leaves the links of the route in route_.
  [[nodiscard]] Delay delay_of(NodeId from, NodeId to);
  [[nodiscard]] double latency_factor(std::uint64_t bytes, const Delay& delay) const;
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* into, double* latency) override;

  /// Hosts are all that the zone consists of, so that SimGrid numbers them from 0 on.
  [[nodiscard]] static NodeId node_of(const simgrid::kernel::routing::NetPoint* point) {
    return static_cast<NodeId>(point->id());
  }
  [[nodiscard]] std::uint64_t pair(NodeId from, NodeId to) const {
    return std::uint64_t{from} * topology_.nodes() + to;
  }

  const Topology& topology_;
  const FlowFactors& factors_;
  bool own_factors_;  // SimGrid has none of its own
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;  // null for those that no message takes
  std::vector<LinkLoad> carried_;
  std::unordered_map<std::uint64_t, std::uint64_t> longest_;                     // bytes, by pair of nodes
  std::map<LimiterKey, simgrid::kernel::resource::StandardLinkImpl*> limiters_;  // null: a pair needs none
  std::map<double, simgrid::kernel::resource::StandardLinkImpl*> caps_;  // by bytes/s; the limiters of Routes::capped
  std::optional<std::uint64_t> next_bytes_;
  std::uint32_t next_together_ = 1;
  std::vector<SharedLink> route_;
};

/// SimGrid shares links with this relative precision (maxmin/precision).
inline constexpr double kSolverPrecision = 1e-5;

/// The time below which no simulation of a schedule can end, and the resolution that goes with it.
class LinkBound {
 public:
  /// Of messages that follow one another, each waiting for the one before, at most `in_a_row` are in a chain. Throws
  /// gdr::Error as link_loads() does, and for options out of range.
  LinkBound(const Schedule& schedule, const Topology& topology, const SimulationOptions& options, std::size_t in_a_row);

  /// SimulationOptions::resolution, converted to seconds for this schedule.
  [[nodiscard]] double resolution_seconds() const { return resolution_seconds_; }
  /// Throws gdr::Error as require_link_bound() does, if more is missing than SimGrid's precision and the resolution
  /// explain.
  void require(double seconds) const;

 private:
  const std::string& name_;
  const Topology& topology_;
  std::vector<LinkLoad> loads_;
  double resolution_seconds_ = 0;
  double tolerance_ = 0;  // share of the bound
};

/// Steps of the rank that has most of them.
[[nodiscard]] std::size_t most_steps(const Schedule& schedule);

/// The shares that SimGrid computes when a flow begins or ends. To find those that may have changed takes longer than
/// to compute them, so that all are computed in less time if most of them change.
enum class Shares { changed, all };

/// The one engine of this process, with flow model and resolution set. The zone is to be created next. Nobody takes the
/// engine apart: the process ends with the simulation, and its memory with the process.
[[nodiscard]] simgrid::s4u::Engine& make_engine(const SimulationOptions& options, double resolution_seconds,
                                                Shares shares);

/// What tells the caller of `options` of the share that a simulation in a process of its own has done, so that the
/// caller may end it; empty if nobody asks. Both arguments must outlive it.
[[nodiscard]] std::function<void()> telling(const SimulationOptions& options, const SharedNumber& done);

/// Runs `simulate` in a process of its own. `simulate` returns the seconds of the ranks, and stores its progress, from
/// 0 to 1, in its argument. Throws gdr::Error for a time below the bound.
[[nodiscard]] SimulationResult simulate_in_child(const Schedule& schedule, const LinkBound& bound,
                                                 const SimulationOptions& options,
                                                 const std::function<std::vector<double>(SharedNumber&)>& simulate);

/// Throws gdr::Error for a deadlock in which `rank` waits in `step`.
[[noreturn]] void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step);

}  // namespace gdr::interconnect
