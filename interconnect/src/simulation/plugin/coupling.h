// Whether the messages of a schedule share their links with one another, all or only few of them.
#pragma once

#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// True if, of the messages that ranks send in their steps of the same number, most hang together: the beginning or end
/// of one changes the shares of most others, since they share links with it, or with messages that do, and so on.
/// Throws gdr::Error as Topology::links_into().
[[nodiscard]] bool do_messages_hang_together(const Schedule& schedule, const Topology& topology);

}  // namespace gdr::interconnect
