// gdr net replay: how long a recorded program of messages takes on a network.
#include <fmt/format.h>

#include <filesystem>

#include "gdr/base/file.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/program_traces.h"
#include "gdr/interconnect/replay.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/trace.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::ActivityGraph;
using interconnect::ActivityTimes;
using interconnect::CollectiveMethod;
using interconnect::Program;
using interconnect::ReplayPart;
using interconnect::Trace;

constexpr interconnect::Rank kMostRanks = 65536;

struct NetReplayOptions {
  PlatformArguments platform;
  ReportOptions report;
  std::string trace;
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_node = 1;
  std::uint64_t bytes = 2048;
  std::string npb_class = "B";
  double eager = interconnect::ReplayOptions().eager_bytes;
  double envelope = interconnect::kSmpiEnvelope;
  std::string collectives = "doubling";
  std::string executor = "s4u";
  std::string factors = kNoFactors;
  std::string save_trace;

  [[nodiscard]] bool is_npb() const { return trace == "cg" || trace == "sp"; }
  [[nodiscard]] bool is_computed() const { return trace == "bruck" || is_npb(); }
};

/// The trace of a program whose algorithm is known; `places` are as many ranks as there can be.
Trace computed_trace(const NetReplayOptions& o, std::uint32_t places) {
  if (o.ranks > places)
    throw UsageError(fmt::format("--ranks: {} is refused: there are places for 1 to {}", o.ranks, places));
  return from_command_line("--ranks, --nodes, --map", [&] {
    const char npb_class = o.npb_class.front();
    if (o.trace == "bruck") return interconnect::bruck_trace(o.ranks > 0 ? o.ranks : places, o.bytes);
    if (o.trace == "cg") return interconnect::cg_trace(o.ranks > 0 ? o.ranks : places, npb_class);
    return interconnect::sp_trace(o.ranks > 0 ? o.ranks : interconnect::most_sp_tasks(places, npb_class), npb_class);
  });
}

Program program_of(const NetReplayOptions& o, std::uint32_t places) {
  const CollectiveMethod method = o.collectives == "posted" ? CollectiveMethod::posted : CollectiveMethod::doubling;
  if (o.is_computed()) {
    const Trace trace = computed_trace(o, places);
    if (!o.save_trace.empty()) {
      const auto ranks = static_cast<interconnect::Rank>(trace.ranks.size());
      o.report.command->try_outputs("--save-trace", interconnect::trace_files(o.save_trace, ranks));
      interconnect::write_trace(trace, o.save_trace);
    }
    return make_program(trace, method);
  }
  if (std::error_code none; std::filesystem::is_directory(o.trace, none)) {
    const std::filesystem::path index = std::filesystem::path(o.trace) / "trace.txt";
    throw UsageError(
        fmt::format("{} is a folder: {}", o.trace,
                    std::filesystem::exists(index, none)
                        ? fmt::format("the index of its trace is {}", index.string())
                        : "a trace is the file that lists those of the ranks, or one file with all ranks"));
  }
  const std::string text = base::read_file(o.trace);
  if (interconnect::is_goal(text)) return interconnect::parse_goal(text, o.trace, kMostRanks);
  if (interconnect::is_task_graph(text, o.trace)) {
    throw UsageError(
        fmt::format("{} is a graph of the bytes between tasks, which is for gdr net map: a trace has the "
                    "calls of each rank in order (GDR_RECORD_TRACE records them)",
                    o.trace));
  }
  return make_program(interconnect::read_trace(o.trace, kMostRanks), method);
}

/// Rank r on node r / ranks_per_node. Throws gdr::Error for more ranks than places, or a map of more nodes than they
/// take.
std::vector<interconnect::NodeId> nodes_of(const Program& program, std::uint32_t ranks_per_node, std::uint32_t nodes,
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
  std::vector<interconnect::NodeId> node_of;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank)
    node_of.push_back(static_cast<interconnect::NodeId>(rank / ranks_per_node));
  return node_of;
}

double bytes_of(const ActivityGraph& graph) {
  double bytes = 0;
  for (interconnect::ActivityId id = 0; id < graph.size(); ++id) {
    if (graph.kind(id) == ActivityGraph::Kind::message) bytes += graph.amount(id);
  }
  return bytes;
}

ActivityTimes times_of(const NetReplayOptions& o, const ActivityGraph& graph, const interconnect::Topology& topology) {
  const interconnect::FlowFactors factors = flow_factors(o.factors);
  if (o.executor == "critical-path") return run_critical_path(graph, topology, {.factors = factors});
  interconnect::SimulationOptions options;
  options.factors = factors;
  return run_s4u(graph, topology, options);
}

int replay(const NetReplayOptions& o) {
  const interconnect::Platform platform = o.platform.load();
  const interconnect::NodeId nodes = platform.topology.nodes();
  const Program program = program_of(o, o.ranks_per_node * nodes);
  const ActivityGraph graph =
      replay_graph(program, nodes,
                   {.eager_bytes = o.eager,
                    .envelope_bytes = o.envelope,
                    .flops_per_second = platform.flops_per_second,
                    .flops_of_node = platform.flops_of_node,
                    .node_of_rank = nodes_of(program, o.ranks_per_node, nodes, o.platform.map)});
  const ActivityTimes times = times_of(o, graph, platform.topology);
  const bool has_path = o.executor == "critical-path";
  const auto part = [&](ReplayPart which) {
    return has_path ? Json(times.path_seconds[static_cast<std::size_t>(which)]) : Json(nullptr);
  };
  Json json = o.report.begin(platform.description, has_path ? "critical-path" : "simgrid", false);
  json["emulated_seconds"] = times.seconds;
  json["trace"] = o.trace;
  json["ranks"] = program.ranks.size();
  json["nodes"] = nodes;
  json["messages"] = graph.messages();
  const double bytes = bytes_of(graph) - static_cast<double>(graph.messages()) * o.envelope;
  json["bytes"] = bytes;
  json["eager_bytes"] = o.eager;
  json["envelope_bytes"] = o.envelope;
  json["collectives"] = o.collectives;
  json["factors"] = o.factors;
  json["seconds"] = times.seconds;
  json["path_network_seconds"] = part(ReplayPart::network);
  json["path_compute_seconds"] = part(ReplayPart::compute);
  o.report.show(
      json, {{"topology", platform.topology.name()}, {"map", text_or_null(o.platform.map)}, {"executor", o.executor}});
  return kSuccess;
}

}  // namespace

void add_net_replay(Command net) {
  const auto [command, o] =
      net.add_command<NetReplayOptions>("replay", "time of a recorded program on any network, with ranks on any nodes",
                                        "gdr net replay cg --topology torus --nodes 64 --class A", replay);
  command
      .add_option("trace=TRACE", o->trace,
                  "program: bruck, cg or sp, a trace of SimGrid (its index, or one file with all ranks), or a GOAL "
                  "schedule")
      .required();
  o->platform.add_to(command);
  const Option ranks = command.add_option("--ranks", o->ranks, "bruck, cg, sp: number of ranks; default: all places",
                                          whole_in_range(1, kMostRanks));
  add_ranks_per_node(command, o->ranks_per_node);
  const auto [bytes, npb_class] = add_program_sizes(command, o->bytes, o->npb_class);
  const Option save_trace = command.add_option("--save-trace=FOLDER", o->save_trace,
                                               "bruck, cg, sp: write the trace to this folder, for smpirun -replay");
  const Option collectives =
      command.add_option("--collectives", o->collectives,
                         "messages of collectives: by trees and doubling distances, or directly, all at once",
                         one_of({"doubling", "posted"}));
  command.heading("Simulation");
  add_eager(command, o->eager);
  command.add_option("--envelope", o->envelope, "bytes that the message library adds to each message; SMPI adds 16",
                     in_range(0, kNoLimit, ValueUnit::bytes));
  command.add_option("--executor", o->executor,
                     "executor: SimGrid's flows, which share links (s4u), or links that serve one message at a time "
                     "(critical-path)",
                     one_of({"s4u", "critical-path"}));
  add_factors(command, o->factors);
  command.heading(kUsualHeading);
  o->report.add_to(command);
  command.refuse_if({bytes}, [o = o] { return o->trace == "bruck" ? "" : fmt::format("with the trace {}", o->trace); });
  command.refuse_if({npb_class}, [o = o] { return o->is_npb() ? "" : fmt::format("with the trace {}", o->trace); });
  command.refuse_if({ranks, save_trace}, [o = o] {
    return o->is_computed() ? "" : fmt::format("with the trace {}, which is read from a file", o->trace);
  });
  command.refuse_if({collectives}, [o = o] {
    return o->is_computed() ? fmt::format("with the trace {}, which has only messages", o->trace) : "";
  });
}

}  // namespace gdr::cli
