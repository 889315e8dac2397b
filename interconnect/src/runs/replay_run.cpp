#include "gdr/interconnect/replay_run.h"

#include <fmt/format.h>

#include "gdr/base/error.h"
#include "gdr/interconnect/program_traces.h"

namespace gdr::interconnect {
namespace {

double bytes_of(const ActivityGraph& graph) {
  double bytes = 0;
  for (ActivityId id = 0; id < graph.size(); ++id) {
    if (graph.kind(id) == ActivityGraph::Kind::message) bytes += graph.amount(id);
  }
  return bytes;
}

}  // namespace

Trace named_trace(std::string_view name, TaskId ranks, std::uint32_t places, std::uint64_t bytes,
                  std::string_view npb_class) {
  const char of_class = npb_class.front();
  if (name == "bruck") return bruck_trace(ranks > 0 ? ranks : places, bytes);
  if (name == "cg") return cg_trace(ranks > 0 ? ranks : places, of_class);
  return sp_trace(ranks > 0 ? ranks : most_sp_tasks(places, of_class), of_class);
}

void require_program(std::string_view text, const std::string& file) {
  if (is_goal(text) || !is_task_graph(text, file)) return;
  throw Error(
      fmt::format("{} is a graph of the bytes between tasks, which is for gdr net map: a trace has the "
                  "calls of each rank in order (GDR_RECORD_TRACE records them)",
                  file));
}

Program read_program(std::string_view text, const std::string& file, CollectiveMethod method) {
  require_program(text, file);
  if (is_goal(text)) return parse_goal(text, file, kMostReplayedRanks);
  return make_program(read_trace(file, kMostReplayedRanks), method);
}

std::vector<NodeId> nodes_of_ranks(const Program& program, std::uint32_t ranks_per_node, NodeId nodes,
                                   const std::string& map) {
  const std::uint64_t places = std::uint64_t{ranks_per_node} * nodes;
  if (program.ranks.size() > places) {
    throw Error(
        fmt::format("{}: {} ranks are refused: {} nodes have places for {}; --nodes and --ranks-per-node change that",
                    program.name, program.ranks.size(), nodes, places));
  }
  const std::uint64_t used = (program.ranks.size() + ranks_per_node - 1) / ranks_per_node;
  if (!map.empty() && used < nodes) {
    throw Error(fmt::format("{}: nodes for {} are refused: the {} ranks of {} take {}", map, nodes,
                            program.ranks.size(), program.name, used));
  }
  std::vector<NodeId> node_of;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    node_of.push_back(static_cast<NodeId>(rank / ranks_per_node));
  }
  return node_of;
}

ActivityTimes replay_times(const ActivityGraph& graph, const Topology& topology, const FlowFactors& factors,
                           bool critical_path) {
  if (critical_path) return run_critical_path(graph, topology, {.factors = factors});
  SimulationOptions options;
  options.factors = factors;
  return run_s4u(graph, topology, options);
}

void add_traffic(base::Json& json, const ActivityGraph& graph, double envelope_bytes) {
  json["messages"] = graph.messages();
  json["bytes"] = bytes_of(graph) - static_cast<double>(graph.messages()) * envelope_bytes;
}

void add_times(base::Json& json, const ActivityTimes& times, bool critical_path) {
  const auto part = [&](ReplayPart which) {
    return critical_path ? base::Json(times.path_seconds[static_cast<std::size_t>(which)]) : base::Json(nullptr);
  };
  json["emulated_seconds"] = times.seconds;
  json["seconds"] = times.seconds;
  json["path_network_seconds"] = part(ReplayPart::network);
  json["path_compute_seconds"] = part(ReplayPart::compute);
}

}  // namespace gdr::interconnect
