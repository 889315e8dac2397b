// The messages of a collective, as the steps of one rank.
#pragma once

#include <vector>

#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {

/// What `rank` of `ranks` sends and receives in a collective of make_program(). `sizes` is the action's, or empty. The
/// sizes of receives are 0: any. Throws gdr::Error, without file and line, for a root that does not exist.
[[nodiscard]] std::vector<Step> collective_steps(const Action& action, const std::vector<std::uint64_t>& sizes,
                                                 Rank rank, Rank ranks, CollectiveMethod method);

}  // namespace gdr::interconnect
