// gdr net replay: how long a recorded program of messages takes on a network.
#include <fmt/format.h>

#include <filesystem>

#include "gdr/base/file.h"
#include "gdr/interconnect/replay_run.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::ActivityGraph;
using interconnect::CollectiveMethod;
using interconnect::Program;

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
interconnect::Trace computed_trace(const NetReplayOptions& o, std::uint32_t places) {
  if (o.ranks > places)
    throw UsageError(fmt::format("--ranks: {} is refused: there are places for 1 to {}", o.ranks, places));
  return from_command_line("--ranks, --nodes, --map",
                           [&] { return interconnect::named_trace(o.trace, o.ranks, places, o.bytes, o.npb_class); });
}

Program program_of(const NetReplayOptions& o, std::uint32_t places) {
  const CollectiveMethod method = o.collectives == "posted" ? CollectiveMethod::posted : CollectiveMethod::doubling;
  if (o.is_computed()) {
    const interconnect::Trace trace = computed_trace(o, places);
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
  from_command_line("", [&] { interconnect::require_program(text, o.trace); });
  return interconnect::read_program(text, o.trace, method);
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
                    .node_of_rank = interconnect::nodes_of_ranks(program, o.ranks_per_node, nodes, o.platform.map)});
  const bool has_path = o.executor == "critical-path";
  const interconnect::ActivityTimes times =
      interconnect::replay_times(graph, platform.topology, flow_factors(o.factors), has_path);
  Json json = o.report.begin(platform.description, has_path ? "critical-path" : "simgrid", false);
  json["trace"] = o.trace;
  json["ranks"] = program.ranks.size();
  json["nodes"] = nodes;
  interconnect::add_traffic(json, graph, o.envelope);
  json["eager_bytes"] = o.eager;
  json["envelope_bytes"] = o.envelope;
  json["collectives"] = o.collectives;
  json["factors"] = o.factors;
  interconnect::add_times(json, times, has_path);
  o.report.show(json, {{"topology", platform.topology.name()},
                       {"map", o.platform.map.empty() ? Json(nullptr) : Json(o.platform.map)},
                       {"executor", o.executor}});
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
  const Option ranks = command.add_option("--ranks", o->ranks).by_default("all places");
  command.add_option("--ranks-per-node", o->ranks_per_node);
  const Option bytes = command.add_option("--bytes", o->bytes);
  const Option npb_class = command.add_option("--class", o->npb_class);
  const Option save_trace = command.add_option("--save-trace", o->save_trace);
  const Option collectives =
      command.add_option("--collectives", o->collectives,
                         "messages of collectives: by trees and doubling distances, or directly, all at once",
                         one_of({"doubling", "posted"}));
  command.heading("Simulation");
  command.add_option("--eager", o->eager);
  command.add_option("--envelope", o->envelope, "bytes that the message library adds to each message; SMPI adds 16",
                     in_range(0, kNoLimit, ValueUnit::bytes));
  command.add_option("--executor", o->executor,
                     "executor: SimGrid's flows, which share links (s4u), or links that serve one message at a time "
                     "(critical-path)",
                     one_of({"s4u", "critical-path"}));
  command.add_option("--factors", o->factors);
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
