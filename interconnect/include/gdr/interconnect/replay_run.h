// A program of messages as users name it, and its time on a network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/interconnect/replay.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/topology.h"
#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {

/// Limit of ranks in what is replayed.
inline constexpr Rank kMostReplayedRanks = 65536;

/// The trace of bruck, cg or sp on `ranks` ranks, 0: on as many of `places` as the program can use. `bytes` and
/// `npb_class` as for named_graph(). Throws gdr::Error as bruck_trace(), cg_trace() and sp_trace().
[[nodiscard]] Trace named_trace(std::string_view name, TaskId ranks, std::uint32_t places, std::uint64_t bytes,
                                std::string_view npb_class);
/// Throws gdr::Error if the text of a file is a task graph, which has no order of messages.
void require_program(std::string_view text, const std::string& file);
/// What the text of a file holds: a GOAL schedule or a trace of SimGrid, whose collectives become messages by `method`.
/// Throws gdr::Error as require_program(), parse_goal() and read_trace().
[[nodiscard]] Program read_program(std::string_view text, const std::string& file, CollectiveMethod method);

/// Rank r on node r / ranks_per_node. Throws gdr::Error for more ranks than places; `map` names a file with the nodes
/// of ranks, which must not be for more nodes than the ranks take.
[[nodiscard]] std::vector<NodeId> nodes_of_ranks(const Program& program, std::uint32_t ranks_per_node, NodeId nodes,
                                                 const std::string& map);

/// Seconds by SimGrid's flows, or along the critical path over links that serve one message at a time.
[[nodiscard]] ActivityTimes replay_times(const ActivityGraph& graph, const Topology& topology,
                                         const FlowFactors& factors, bool critical_path);

/// Sets `messages` and `bytes`, which are without the envelopes.
void add_traffic(base::Json& json, const ActivityGraph& graph, double envelope_bytes);
/// Sets the seconds; their parts are null unless they are those of the critical path.
void add_times(base::Json& json, const ActivityTimes& times, bool critical_path);

}  // namespace gdr::interconnect
