// gdr net circuits: which circuits a program wants if each node has few ports.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/circuits.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/network_reports.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Cable;
using interconnect::Circuits;
using interconnect::TaskGraph;
using interconnect::Topology;

struct NetCircuitsOptions {
  ReportOptions report;
  std::string graph;
  std::uint32_t ports = 0;
  double bandwidth = 12.5;  // GB/s of a circuit, each way
  double latency = 0.5;     // us
  double effort = 1;
  std::uint64_t seed = 1;
  bool exact = false;
  std::string output;
};

/// The circuits as a description of kind "table", for all commands.
std::vector<std::string> write_network(const NetCircuitsOptions& options, const Topology& topology) {
  interconnect::write_circuits(topology, options.output,
                               {options.ports * options.bandwidth * kGiga, options.latency * kMicro});
  std::vector<std::string> files = interconnect::table_files(options.output);
  files.insert(files.begin(), options.output);
  return files;
}

int circuits(const NetCircuitsOptions& options) {
  if (!options.output.empty() && base::ending_of(options.output) != ".toml") {
    throw UsageError(fmt::format("--output: '{}' is refused: it must end in .toml", options.output));
  }
  if (!options.output.empty()) {
    const std::vector<std::string> tables = interconnect::table_files(options.output);
    options.report.command->try_outputs("--output", tables);
    interconnect::refuse_other_tables(options.output, tables);  // before the search, which may take minutes
  }
  constexpr interconnect::TaskId kMostTasks = 256;
  const std::string text = base::read_file(options.graph);
  const interconnect::GraphFile file = interconnect::parse_foreign_graph(
      text, options.graph, interconnect::guess_graph_format(text, options.graph), kMostTasks);
  const TaskGraph& graph = file.graph;
  const Cable circuit{options.bandwidth * kGiga, options.latency * kMicro};
  const Circuits found = from_command_line("--ports", [&] {
    Progress bar("searching", options.report.progress_shown());
    const auto show = [&](double done) {
      bar.show(done);
      return true;
    };
    if (options.exact) return interconnect::best_circuits(graph, circuit, options.ports, show);
    return interconnect::find_circuits(graph, circuit, {options.ports, options.effort, options.seed}, show);
  });
  const Topology topology = circuit_network(found, circuit);
  std::vector<interconnect::JoinedNodes> ways{
      {options.exact ? "circuits (all tried)" : "circuits", topology, network_mapping_in_order(graph, topology, 1)}};
  for (auto& way : interconnect::other_ways_to_join(graph, options.ports, circuit)) ways.push_back(std::move(way));
  const double bound = circuit_bound_seconds(graph, options.ports, circuit);
  const std::vector<std::string> files =
      options.output.empty() ? std::vector<std::string>() : write_network(options, topology);
  Json json = options.report.begin(options.graph, "simgrid", options.exact);
  json["graph"] = options.graph;
  json["nodes"] = graph.tasks();
  json["ports"] = options.ports;
  json["bound_seconds"] = bound;
  json["direct_share"] = interconnect::direct_share(graph, found);
  interconnect::add_circuits(json, graph, found, ways);
  json["files"] = files;
  std::vector<std::string> pairs;
  for (const auto& [a, b] : found.pairs) pairs.push_back(fmt::format("{}-{}", a, b));
  options.report.show(json, {{"count", pairs.size()},
                             {"duplicates", file.duplicates},
                             {"first_duplicate", file.first_duplicate},
                             {"pairs", fmt::format("{}", fmt::join(pairs, " "))}});
  return kSuccess;
}

}  // namespace

void add_net_circuits(Command net) {
  const auto [command, options] = net.add_command<NetCircuitsOptions>(
      "circuits", "search the pairs of nodes that a switch of circuits joins for a program",
      "gdr net circuits --graph traffic.csv --ports 2", circuits);
  command.add_option("--graph=FILE", options->graph, "traffic between tasks: CSV, MatrixMarket, METIS, or a matrix")
      .required();
  command.add_option("--ports", options->ports, "circuits that a node can have", whole_in_range(1, 255)).required();
  command.add_option("--bandwidth", options->bandwidth);
  command.add_option("--latency", options->latency);
  const Option effort = command.add_option("--effort", options->effort);
  const Option seed = command.add_option("--seed", options->seed);
  command.add_flag("--exact", options->exact,
                   "prove that no circuits are better, for up to 16 tasks: seconds for 8, minutes for 12");
  command.add_output("-o,--output", options->output, "write the circuits as a network, FILE.toml with its tables");
  command.refuse_if({effort, seed}, [options = options] { return options->exact ? "with --exact" : ""; });
  options->report.add_to(command);
}

}  // namespace gdr::cli
