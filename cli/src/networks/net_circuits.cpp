// gdr net circuits: which circuits a program wants if each node has few ports.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/base/own_files.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/circuits.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/simulation.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Cable;
using interconnect::Circuits;
using interconnect::NetworkMapping;
using interconnect::NodeId;
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

/// One way to join the nodes with the same ports.
struct Way {
  std::string name;
  Topology topology;
  NetworkMapping mapping;
};

struct WayResult {
  std::string name;
  double busiest_seconds = 0;
  double hop_bytes = 0;
  double seconds = 0;  // simulated, all traffic at once
};

double simulated_seconds_of(const TaskGraph& graph, const Way& way) {
  interconnect::Schedule schedule{way.name, {}};
  schedule.ranks.resize(way.topology.nodes());
  for (const auto& [from, to, bytes] : graph.transfers()) {
    add_message(schedule, 0, way.mapping.node_of[from], way.mapping.node_of[to], bytes, 0);
  }
  return interconnect::run_s4u(schedule, way.topology, {}).seconds;
}

/// The optical hub with the ports' bandwidth shared out over wavelengths to all others, and tori of as many ports,
/// plain and twisted, with the placement that is found for each.
std::vector<Way> others(const NetCircuitsOptions& options, const TaskGraph& graph, Cable circuit) {
  const NodeId nodes = graph.tasks();
  std::vector<Way> ways;
  const auto in_order = [&](const Topology& topology) { return network_mapping_in_order(graph, topology, 1); };
  const Cable wavelength{circuit.bytes_per_second * options.ports / std::max(1U, nodes - 1), circuit.latency_seconds};
  const Topology hub = interconnect::optical_hub(nodes, wavelength);
  ways.push_back({"wavelengths to all", hub, in_order(hub)});
  if (options.ports < 4) {
    if (nodes > 2) {
      Circuits ring{nodes, {}};
      for (NodeId node = 0; node < nodes; ++node) ring.pairs.push_back(std::minmax(node, (node + 1) % nodes));
      const Topology topology = circuit_network(ring, circuit);
      ways.push_back(
          {"ring", topology, map_on_network(graph, topology, 1, {.objective = interconnect::MappingObjective::link})});
    }
    return ways;
  }
  // The two sides that are closest to each other.
  auto rows = static_cast<NodeId>(std::sqrt(nodes));
  while (rows > 1 && nodes % rows != 0) --rows;
  if (rows < 2) return ways;
  const NodeId columns = nodes / rows;
  for (const NodeId twist : {NodeId{0}, std::max(NodeId{1}, columns / 2)}) {
    const Topology topology = circuit_network(interconnect::torus_circuits(columns, rows, twist), circuit);
    ways.push_back({fmt::format("torus {}x{}{}", columns, rows, twist > 0 ? fmt::format(", twisted by {}", twist) : ""),
                    topology, map_on_network(graph, topology, 1, {.objective = interconnect::MappingObjective::link})});
  }
  return ways;
}

/// The circuits as a description of kind "table", for all commands.
std::vector<std::string> write_network(const NetCircuitsOptions& options, const Topology& topology) {
  const std::string stem = options.output.substr(0, options.output.size() - std::string_view(".toml").size());
  const std::string name = stem.substr(stem.find_last_of('/') + 1);
  std::string links = "name,bandwidth,latency\n";
  for (const interconnect::Link& link : topology.links()) {
    links +=
        fmt::format("{},{:.17g},{:.17g}\n", link.name, link.bytes_per_second / kGiga, link.latency_seconds / kMicro);
  }
  std::string routes = "from,to,links\n";
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (from == to) continue;
      std::vector<std::string> names;
      for (const interconnect::LinkId link : topology.route(from, to)) names.push_back(topology.links()[link].name);
      routes += fmt::format("{},{},{}\n", from, to, fmt::join(names, " "));
    }
  }
  const std::vector<std::string> files{options.output, stem + ".links.csv", stem + ".routes.csv"};
  std::vector<std::filesystem::path> outputs(files.begin(), files.end());
  base::refuse_to_overwrite(outputs, std::vector<std::filesystem::path>{options.graph});
  for (const std::string& report : {options.report.json, options.report.csv}) {
    if (!report.empty() && report != "-") outputs.emplace_back(report);
  }
  base::refuse_twice_named(outputs);
  base::write_file(
      options.output,
      fmt::format("# Circuits found by gdr net circuits.\n\nname = \"{0}\"\ntitle = \"{1}\"\nkind = \"table\"\n\n"
                  "[parameters]\n"
                  "nodes      = {{ value = {2}, unit = \"1\", origin = \"R: the task graph\" }}\n"
                  "bandwidth  = {{ value = {3:g}, unit = \"GB/s per node\", origin = \"O: given, for all ports\" }}\n"
                  "latency    = {{ value = {4:g}, unit = \"us\", origin = \"O: given, of each circuit\" }}\n"
                  "node_speed = {{ value = 1000, unit = \"Gflops\", origin = \"O: not used by circuits\" }}\n",
                  name, topology.name(), topology.nodes(), options.bandwidth * options.ports, options.latency));
  base::write_file(files[1], links);
  base::write_file(files[2], routes);
  return files;
}

int circuits(const NetCircuitsOptions& options) {
  const Stopwatch watch;
  if (!options.output.empty() && !options.output.ends_with(".toml")) {
    throw UsageError(fmt::format("--output: '{}' is refused: it must end in .toml", options.output));
  }
  constexpr interconnect::TaskId kMostTasks = 256;
  const std::string text = base::read_file(options.graph);
  const TaskGraph graph = interconnect::parse_foreign_graph(
                              text, options.graph, interconnect::guess_graph_format(text, options.graph), kMostTasks)
                              .graph;
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
  std::vector<Way> ways{
      {options.exact ? "circuits (all tried)" : "circuits", topology, network_mapping_in_order(graph, topology, 1)}};
  for (Way& way : others(options, graph, circuit)) ways.push_back(std::move(way));
  std::vector<WayResult> results;
  for (const Way& way : ways) {
    const interconnect::NetworkMappingCost cost = network_mapping_cost(graph, way.topology, way.mapping);
    results.push_back({way.name, cost.busiest_seconds, cost.hop_bytes, simulated_seconds_of(graph, way)});
  }
  double direct = 0;
  for (const auto& [from, to, bytes] : graph.transfers()) {
    if (std::ranges::find(found.pairs, std::pair<NodeId, NodeId>(std::minmax(from, to))) != found.pairs.end()) {
      direct += static_cast<double>(bytes);
    }
  }
  const double share = graph.total_bytes() > 0 ? direct / static_cast<double>(graph.total_bytes()) : 1;
  const double bound = circuit_bound_seconds(graph, options.ports, circuit);
  const std::vector<std::string> files =
      options.output.empty() ? std::vector<std::string>() : write_network(options, topology);
  Json json = envelope("net circuits", options.graph, "simgrid", options.exact);
  json["emulated_seconds"] = results.front().seconds;
  json["graph"] = options.graph;
  json["nodes"] = graph.tasks();
  json["ports"] = options.ports;
  json["bound_seconds"] = bound;
  json["direct_share"] = share;
  json["circuits"] = Json::array();
  for (const auto& [a, b] : found.pairs) json["circuits"].push_back({a, b});
  json["ways"] = Json::array();
  for (const WayResult& result : results) {
    json["ways"].push_back({{"name", result.name},
                            {"busiest_link_seconds", result.busiest_seconds},
                            {"hop_bytes", result.hop_bytes},
                            {"seconds", result.seconds}});
  }
  json["files"] = files;
  json["host_seconds"] = watch.seconds();
  std::vector<std::string> pairs;
  for (const auto& [a, b] : found.pairs) pairs.push_back(fmt::format("{}-{}", a, b));
  options.report.show(json, {{"count", pairs.size()}, {"pairs", fmt::format("{}", fmt::join(pairs, " "))}});
  return kSuccess;
}

}  // namespace

void add_net_circuits(Command net) {
  auto options = std::make_shared<NetCircuitsOptions>();
  const Command command =
      net.add_command("circuits", "search the pairs of nodes that a switch of circuits joins for a program",
                      "gdr net circuits --graph traffic.csv --ports 2", [options] { return circuits(*options); });
  command.add_option("--graph", options->graph, "traffic between tasks: CSV, MatrixMarket, METIS, or a matrix")
      .value_name("FILE")
      .required();
  command.add_option("--ports", options->ports, "circuits that a node can have")
      .required()
      .check(whole_in_range(1, 255));
  command.add_option("--bandwidth", options->bandwidth, "GB/s of a circuit, each way")
      .check(in_range(1e-6, 1e6))
      .capture_default_str();
  command.add_option("--latency", options->latency, "us of a circuit").check(in_range(0, 1e6)).capture_default_str();
  const Option effort = command.add_option("--effort", options->effort, "search time, as a multiple of the default")
                            .check(in_range(0, 1e6))
                            .capture_default_str();
  const Option seed = command.add_option("--seed", options->seed, "seed of the search")
                          .check(whole_in_range(0, 1U << 30))
                          .capture_default_str();
  command.add_flag("--exact", options->exact,
                   "prove that no circuits are better, for up to 16 tasks: seconds for 8, minutes for 12");
  command.add_output("-o,--output", options->output, "write the circuits as a network, FILE.toml with its tables");
  command.refuse_if({effort, seed}, [options] { return options->exact ? "with --exact" : ""; });
  options->report.add_to(command);
}

}  // namespace gdr::cli
