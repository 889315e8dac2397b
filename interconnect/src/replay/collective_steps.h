// The collectives among the actions of traces, and their messages, as the steps of one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {

enum class TracedCollective : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  all_reduce,
  all_to_all,
  gather,
  scatter,
  all_gather,
  reduce_scatter,
  scan,
  exclusive_scan,
};
/// The collective that an action is; nothing if it is none.
[[nodiscard]] std::optional<TracedCollective> collective_of(ActionKind kind);

/// What `rank` of `ranks` sends and receives in a collective of make_program(). `sizes` is the action's, or empty. The
/// sizes of receives are 0: any. Throws gdr::Error, without file and line, for a root that does not exist.
[[nodiscard]] std::vector<Step> collective_steps(TracedCollective collective, const Action& action,
                                                 const std::vector<std::uint64_t>& sizes, Rank rank, Rank ranks,
                                                 CollectiveMethod method);

}  // namespace gdr::interconnect
