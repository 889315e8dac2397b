// Loads of links and times without simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// What passes a link in the whole schedule.
struct LinkLoad {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Loads by link, from the routes alone. Throws gdr::Error as check(), and if there are more ranks than nodes.
[[nodiscard]] std::vector<LinkLoad> link_loads(const Schedule& schedule, const Topology& topology);

/// Times without any simulation. Arithmetic counts `flops_per_second`; 0: it takes no time.
struct ClosedForm {
  double link_bound_seconds = 0;  // no execution ends sooner: busiest link's bytes by its bandwidth
  double lockstep_seconds =
      0;  // sum over steps of (longest latency with a message + busiest link + longest arithmetic)
};
/// lockstep_seconds is exact where all ranks take their steps together and the messages of a step that share a link
/// also share their latency, as every schedule without contention does. Throws as link_loads().
[[nodiscard]] ClosedForm run_closed_form(const Schedule& schedule, const Topology& topology,
                                         double flops_per_second = 0);

}  // namespace gdr::interconnect
