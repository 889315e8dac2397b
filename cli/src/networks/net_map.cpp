// gdr net map: assigns tasks to the nodes of a mesh or torus.
#include <fmt/format.h>

#include <filesystem>

#include "gdr/base/file.h"
#include "gdr/base/nearest.h"
#include "gdr/commandline/terminal.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/mapping_run.h"
#include "gdr/interconnect/picture_file.h"
#include "net.h"
#include "net_map.h"

namespace gdr::cli {
interconnect::GraphFile graph_for(const NetMapOptions& options, std::uint32_t places) {
  if (interconnect::is_named_graph(options.graph)) {
    return {from_command_line(
        "--graph", [&] { return interconnect::named_graph(options.graph, places, options.bytes, options.npb_class); })};
  }
  // A name that is none of these, and no file.
  std::error_code ignored;
  if (options.graph.find_first_of("./") == std::string::npos && !std::filesystem::exists(options.graph, ignored)) {
    throw UsageError(fmt::format("--graph: '{}' is refused: it must be bruck, cg, sp, or a file{}", options.graph,
                                 base::did_you_mean(options.graph, {"bruck", "cg", "sp"})));
  }
  const std::string text = base::read_file(options.graph);
  return interconnect::parse_foreign_graph(text, options.graph, interconnect::guess_graph_format(text, options.graph),
                                           places);
}

/// Says on standard error which traffic the mapping does not know of.
void warn_of_missing_traffic(const interconnect::GraphFile& file, const std::string& name) {
  if (file.graph.tasks() > 1 && file.graph.total_bytes() == 0) {
    commandline::print_message(
        fmt::format("gdr: warning: {}: the tasks exchange no data, so they stay in natural order\n", name));
  }
  if (file.collective_calls > 0) {
    commandline::print_message(
        fmt::format("gdr: warning: {}: {} calls of collectives are not in the graph, so they are not mapped\n", name,
                    file.collective_calls));
  }
}

interconnect::MappingRequest request_of(const NetMapOptions& options) {
  return {options.method, options.objective, options.effort, options.threads, options.seed};
}

interconnect::MappingProgress MappingBar::progress() {
  return [this](double done) {
    bar_.show(done);
    return !limit_ || watch_.seconds() < *limit_;
  };
}

Json goal_of(const NetMapOptions& options) {
  if (options.method != "refined") return nullptr;
  return options.objective == "link" ? "link" : "cost, with no link busier than with xyz";
}

std::vector<std::string> hosts_for(const NetMapOptions& options) {
  if (options.hosts.empty()) return {};
  return interconnect::parse_hosts(base::read_file(options.hosts), options.hosts);
}

void write_rankfiles(const NetMapOptions& options, const interconnect::TaskMapping& mapping,
                     const std::vector<std::string>& hosts) {
  if (!options.rankfile.empty()) base::write_file(options.rankfile, interconnect::rankfile(mapping, hosts));
  if (!options.hostfile.empty()) base::write_file(options.hostfile, interconnect::hosts_of_ranks(mapping, hosts));
}

namespace {

using interconnect::Grid;
using interconnect::GridRouting;
using interconnect::TaskGraph;
using interconnect::TaskMapping;

/// SimGrid computes the rates of all flows again whenever some of them end. Its time therefore grows faster than the
/// square of their number: 4096 nodes with 12 flows each take minutes.
void check_simulation(const TaskGraph& graph, const Grid& grid) {
  constexpr std::uint64_t kMostNodes = 4096;
  constexpr std::uint64_t kMostFlows = 50'000;
  if (grid.nodes() > kMostNodes) {
    throw UsageError(
        fmt::format("--simulate: {} nodes are refused: SimGrid is given at most {}, beyond which it takes too long",
                    grid.nodes(), kMostNodes));
  }
  if (graph.transfers().size() > kMostFlows) {
    throw Error(fmt::format("--simulate: {} messages between tasks are refused: SimGrid is given at most {}",
                            graph.transfers().size(), kMostFlows));
  }
}

void write_files(const NetMapOptions& options, const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                 const GridRouting& routing) {
  write_rankfiles(options, mapping, hosts_for(options));
  if (!options.save_map.empty()) base::write_file(options.save_map, interconnect::mapping_csv(mapping));
  if (!options.save_graph.empty()) base::write_file(options.save_graph, interconnect::graph_csv(graph));
  if (!options.picture.empty()) {
    interconnect::write_picture(options.picture,
                                interconnect::mapping_picture(graph, mapping, grid, routing, options.method));
  }
}

int map_tasks(const NetMapOptions& options) {
  if (is_any_network(options)) return map_tasks_on_network(options);
  const Grid grid = from_command_line("--topology", [&] { return Grid::parse(options.topology); });
  const GridRouting routing{tie_rules().at(options.tie), from_command_line("--axis-order", [&] {
                              return interconnect::parse_axis_order(options.axis_order);
                            })};
  const interconnect::GraphFile file = graph_for(options, grid.nodes());
  const TaskGraph& graph = file.graph;
  warn_of_missing_traffic(file, options.graph);
  if (options.simulate) check_simulation(graph, grid);

  const interconnect::MappedOnGrid mapped = [&] {
    MappingBar bar(options);
    return mapped_on_grid(graph, grid, routing, request_of(options), bar.progress());
  }();
  const TaskMapping& mapping = mapped.mapping;
  Json json = options.report.begin(grid.name(), options.method, true);
  json["graph"] = options.graph;
  json["tasks"] = graph.tasks();
  json["nodes"] = grid.nodes();
  json["total_bytes"] = graph.total_bytes();
  json["duplicate_lines"] = file.duplicates;
  json["collective_calls"] = file.collective_calls;
  json["tie"] = options.tie;
  json["axis_order"] = options.axis_order;
  json["objective"] = options.method == "refined" ? Json(options.objective) : Json(nullptr);
  add_costs(json, mapped);
  if (options.simulate) {
    Progress progress("simulating", options.report.progress_shown());
    json["emulated_seconds"] = interconnect::simulated_traffic_seconds(graph, mapping, grid, routing, options.network,
                                                                       [&](double done) { progress.show(done); });
    json["emulated_time"] = "S4U, CM02, all traffic at once";
    json["network"] = options.network;
  }
  if (options.full) {
    json["mapping"] = mapping;
    json["link_histogram"] = Json::array();
    for (const auto& [bytes, links] : mapped.histogram) json["link_histogram"].push_back({bytes, links});
  }
  write_files(options, graph, mapping, grid, routing);
  json["rank0_node"] = mapping.front();
  options.report.show(json, {{"first_duplicate", file.first_duplicate},
                             {"goal", goal_of(options)},
                             {"worse", worse_in(mapped.cost, mapped.natural)},
                             {"bins", interconnect::load_bins(mapped.histogram)},
                             {"no_links", mapped.histogram.empty()}});
  return kSuccess;
}

}  // namespace

void add_net_map(Command net) {
  const auto [command, options] =
      net.add_command<NetMapOptions>("map", "map tasks to the nodes of a mesh, a torus or any other network",
                                     "gdr net map --graph cg --topology torus:8x8x8 --method mincost", map_tasks);
  command
      .add_option("--graph", options->graph,
                  "traffic between tasks: bruck, cg, sp, or a file: CSV, MatrixMarket, METIS, or a matrix")
      .value_name("GRAPH")
      .required();
  command
      .add_option("--topology", options->topology,
                  "torus:AxBxC or mesh:AxBxC with up to eight axes, or a network: a name or FILE.toml")
      .value_name("NETWORK")
      .required();
  command.add_option("--tasks-per-node", options->tasks_per_node, "tasks that a node has room for, such as its cores")
      .check(whole_in_range(1, 1024));
  command.add_option("--method", options->method, "mapping method; beyond grids of three axes xyz or refined")
      .check(one_of({"xyz", "none", "mincost", "minlink", "scotch", "refined"}));
  const Option objective =
      command
          .add_option(
              "--objective", options->objective,
              "quantity that refined minimises: torus cost, with no link busier than in natural order, or the load of "
              "the busiest link")
          .check(one_of({"cost", "link"}));
  const Option tie = command.add_option("--tie", options->tie);
  const Option axis_order =
      command.add_option("--axis-order", options->axis_order, "order in which a message uses the axes")
          .value_name("AXES");
  const Option bytes = command.add_option("--bytes", options->bytes);
  const Option npb_class = command.add_option("--class", options->npb_class);
  const Option threads = command.add_option("--threads", options->threads);
  const Option seed = command.add_option("--seed", options->seed);
  const Option effort = command.add_option("--effort", options->effort);
  const Option limit =
      command.add_option("--time-limit", options->time_limit, "end the optimisation after this wall-clock time")
          .check(in_range(0, 1e9, ValueUnit::seconds));
  command.add_flag("--full", options->full, "add mapping and histogram to the JSON report");
  command.add_output("--rankfile", options->rankfile, "write the mapping as Open MPI's rankfile");
  const Option hosts =
      command
          .add_option("--hosts", options->hosts,
                      "names of the nodes in their order, as host files have them (node1, node1:4, node1 slots=4, "
                      "n[1-8]), instead of +n0, +n1 and so on; a repeated name stands for the next core of that host")
          .value_name("FILE");
  command
      .add_output("--hostfile", options->hostfile,
                  "write the host of each rank, one a line: SLURM_HOSTFILE, or mpirun --hostfile FILE --map-by seq")
      .needs(hosts);
  command.add_output("--save-map", options->save_map,
                     "write the node of each task as CSV, for --map of other commands");
  const Option picture = command.add_output("--picture", options->picture);
  command.add_output("--save-graph", options->save_graph);
  command.add_flag("--simulate", options->simulate);
  const Option network = command.add_option("--network", options->network);
  options->report.add_to(command);
  command.refuse_if({objective, threads, seed, effort}, [options = options] {
    return options->method == "refined" ? "" : fmt::format("with --method {}", options->method);
  });
  command.refuse_if({limit}, [options = options] {
    const bool searches = options->method != "xyz" && options->method != "scotch";
    return searches ? "" : fmt::format("with --method {}", options->method);
  });
  command.refuse_if({bytes}, [options = options] {
    return options->graph == "bruck" ? "" : fmt::format("with --graph {}", options->graph);
  });
  command.refuse_if({npb_class}, [options = options] {
    return options->graph == "cg" || options->graph == "sp" ? "" : fmt::format("with --graph {}", options->graph);
  });
  command.refuse_if({hosts}, [options = options] {
    return options->rankfile.empty() && options->hostfile.empty() ? "without --rankfile or --hostfile" : "";
  });
  command.refuse_if({tie, axis_order, picture}, [options = options] {
    return is_any_network(*options) ? "beyond grids of three axes with one task on each node" : "";
  });
  command.refuse_if({network}, [options = options] { return options->simulate ? "" : "without --simulate"; });
}

}  // namespace gdr::cli
