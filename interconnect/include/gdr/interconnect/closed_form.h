// Loads of links and execution times without simulation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Messages and bytes that pass a link in the whole schedule.
struct LinkLoad {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Load of each link, from the routes alone. shape: [links]. Throws gdr::Error as check() does, and if there are more
/// ranks than nodes.
[[nodiscard]] std::vector<LinkLoad> link_loads(const Schedule& schedule, const Topology& topology);

/// These loads as CSV, with a line of titles: link, messages, bytes, seconds.
[[nodiscard]] std::string links_csv(std::span<const LinkLoad> loads, const Topology& topology);
/// Seconds of the link that needs longest for its bytes. shape of `loads`: [links].
[[nodiscard]] double link_bound_seconds(std::span<const LinkLoad> loads, const Topology& topology);

/// Throws gdr::Error if a simulation of `name` gave `seconds` although a link, which the error names, needs longer for
/// its bytes, by more than the share `tolerance`. Every simulation ends with this check.
void require_link_bound(std::string_view name, const Topology& topology, std::span<const LinkLoad> loads,
                        double seconds, double tolerance);

/// Times without any simulation. Arithmetic runs at `flops_per_second`; if that is 0, it takes no time.
struct ClosedForm {
  double link_bound_seconds = 0;  // lower bound: the busiest link's bytes divided by its bandwidth
  /// Sum over steps of: the longest time of a link (its longest latency with a message + its bytes / its bandwidth),
  /// and the longest arithmetic.
  double lockstep_seconds = 0;
};
/// lockstep_seconds is exact if all ranks take their steps together and messages of a step that share a link have the
/// same latency, which holds for every schedule without contention. Throws as link_loads() does.
[[nodiscard]] ClosedForm run_closed_form(const Schedule& schedule, const Topology& topology,
                                         double flops_per_second = 0);

}  // namespace gdr::interconnect
