#include "gdr/interconnect/mapping_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

using base::Json;

namespace {

const std::vector<std::string> kNamedGraphs{"bruck", "cg", "sp"};

/// Processor time of `work` on the host.
template <class Work>
double processor_seconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

[[noreturn]] void refuse(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  throw Error(fmt::format("{} = '{}' is refused: it must be one of {}", what, name, fmt::join(known, ", ")));
}

RefineOptions refine_options(const MappingRequest& request) {
  constexpr unsigned kMostThreads = 1024;
  if (request.threads > kMostThreads) {
    throw Error(fmt::format("threads = {} is refused: it must be 0 to {}", request.threads, kMostThreads));
  }
  return {mapping_objective(request.objective), request.effort,
          request.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : request.threads, request.seed};
}

}  // namespace

bool is_named_graph(std::string_view name) { return std::ranges::find(kNamedGraphs, name) != kNamedGraphs.end(); }

TaskGraph named_graph(std::string_view name, std::uint32_t places, std::uint64_t bytes, std::string_view npb_class) {
  if (npb_class.size() != 1) throw Error(fmt::format("npb_class = '{}' is refused: it must be one letter", npb_class));
  if (name == "bruck") return bruck_graph(places, bytes);
  if (name == "cg") return cg_graph(places, npb_class[0]);
  if (name == "sp") return sp_graph(most_sp_tasks(places, npb_class[0]), npb_class[0]);
  refuse("graph", name, kNamedGraphs);
}

TaskGraph graph_of(const Schedule& schedule) {
  std::vector<Transfer> transfers;
  for (TaskId rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) transfers.push_back({rank, message.peer, message.bytes});
    }
  }
  return {static_cast<TaskId>(schedule.ranks.size()), std::move(transfers)};
}

const std::vector<std::string>& mapping_methods() {
  static const std::vector<std::string> methods{"xyz", "none", "mincost", "minlink", "scotch", "refined"};
  return methods;
}

MappingObjective mapping_objective(std::string_view name) {
  if (name == "cost") return MappingObjective::cost;
  if (name == "link") return MappingObjective::link;
  refuse("objective", name, {"cost", "link"});
}

TaskMapping map_by_request(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                           const MappingRequest& request, const MappingProgress& progress) {
  const std::string& method = request.method;
  if (method == "xyz") return map_in_order(graph, grid);
  if (method == "scotch") return map_by_scotch(graph, grid);
  if (method == "none") return map_by_merging(graph, grid, MergeRule::none, routing, progress);
  if (method == "mincost") return map_by_merging(graph, grid, MergeRule::mincost, routing, progress);
  if (method == "minlink") return map_by_merging(graph, grid, MergeRule::minlink, routing, progress);
  if (method == "refined") return map_by_refinement(graph, grid, routing, refine_options(request), progress);
  refuse("method", method, mapping_methods());
}

MappedOnGrid mapped_on_grid(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                            const MappingRequest& request, const MappingProgress& progress) {
  MappedOnGrid mapped;
  mapped.processor_seconds =
      processor_seconds([&] { mapped.mapping = map_by_request(graph, grid, routing, request, progress); });
  mapped.cost = mapping_cost(graph, mapped.mapping, grid, routing);
  mapped.natural = mapping_cost(graph, map_in_order(graph, grid), grid, routing);
  mapped.histogram = load_histogram(grid, link_bytes(graph, mapped.mapping, grid, routing));
  return mapped;
}

MappedOnNetwork mapped_on_network(const TaskGraph& graph, const Topology& topology, std::uint32_t tasks_per_node,
                                  const MappingRequest& request, const MappingProgress& progress) {
  MappedOnNetwork mapped;
  mapped.processor_seconds = processor_seconds([&] {
    mapped.natural = network_mapping_in_order(graph, topology, tasks_per_node);
    mapped.mapping = request.method == "refined"
                         ? map_on_network(graph, topology, tasks_per_node, refine_options(request), progress)
                         : mapped.natural;
  });
  mapped.cost = network_mapping_cost(graph, topology, mapped.mapping);
  mapped.natural_cost = network_mapping_cost(graph, topology, mapped.natural);
  return mapped;
}

double simulated_traffic_seconds(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                                 const GridRouting& routing, std::string_view network,
                                 const std::function<void(double done)>& progress) {
  const base::Description links = load_network(network, "grid");
  const Cable cable{links.value("bandwidth") * kGiga, links.value("latency") * kMicro};
  // Flows that end at almost the same time are taken to end together, because the rates of all others are computed
  // again each time that some end.
  constexpr double kResolution = 1e-3;
  SimulationOptions simulation;
  simulation.resolution = kResolution;
  simulation.progress = progress;
  return run_s4u(mapped_schedule(graph, mapping, grid), grid_topology(grid, cable, routing), simulation).seconds;
}

std::string mapping_picture(const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid,
                            const GridRouting& routing, std::string_view name) {
  const std::vector<std::uint64_t> before = link_bytes(graph, map_in_order(graph, grid), grid, routing);
  const std::vector<std::uint64_t> after = link_bytes(graph, mapping, grid, routing);
  const std::vector<LoadPanel> panels{{"in the order of ranks (xyz)", before}, {std::string(name), after}};
  return load_picture(grid, panels);
}

void add_costs(Json& json, const MappedOnGrid& mapped) {
  json["cost_hop_bytes"] = mapped.cost.hop_bytes;
  json["cost_torus_hop_bytes"] = mapped.cost.torus_hop_bytes;
  json["max_link_bytes"] = mapped.cost.max_link_bytes;
  json["natural_order"] = {{"cost_hop_bytes", mapped.natural.hop_bytes},
                           {"cost_torus_hop_bytes", mapped.natural.torus_hop_bytes},
                           {"max_link_bytes", mapped.natural.max_link_bytes}};
  json["seconds_to_optimise"] = mapped.processor_seconds;
}

void add_costs(Json& json, const MappedOnNetwork& mapped) {
  json["busiest_link_seconds"] = mapped.cost.busiest_seconds;
  json["cost_hop_bytes"] = mapped.cost.hop_bytes;
  json["bytes_inside_nodes"] = mapped.cost.inside;
  json["natural_order"] = {{"cost_hop_bytes", mapped.natural_cost.hop_bytes},
                           {"busiest_link_seconds", mapped.natural_cost.busiest_seconds},
                           {"bytes_inside_nodes", mapped.natural_cost.inside}};
  json["seconds_to_optimise"] = mapped.processor_seconds;
}

Json load_bins(const std::map<std::uint64_t, std::uint64_t>& histogram) {
  constexpr std::size_t kBins = 10;
  constexpr double kBar = 40;  // characters
  Json bins = Json::array();
  if (histogram.empty()) return bins;
  const double most = std::max(1.0, static_cast<double>(histogram.rbegin()->first));
  std::array<std::uint64_t, kBins> links{};
  for (const auto& [bytes, count] : histogram) {
    links[std::min(kBins - 1, static_cast<std::size_t>(static_cast<double>(bytes) / most * kBins))] += count;
  }
  const auto tallest = static_cast<double>(*std::ranges::max_element(links));
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double length = kBar * static_cast<double>(links[bin]) / tallest;
    bins.push_back({{"most_bytes", most * static_cast<double>(bin + 1) / kBins},
                    {"links", links[bin]},
                    {"bar", std::string(static_cast<std::size_t>(length), '#')}});
  }
  return bins;
}

Json worse_in(const MappingCost& cost, const MappingCost& natural) {
  const bool torus = cost.torus_hop_bytes > natural.torus_hop_bytes;
  const bool link = cost.max_link_bytes > natural.max_link_bytes;
  if (!torus && !link) return nullptr;
  return !torus  ? "busiest link; --objective link makes that smaller"
         : !link ? "torus cost; --objective cost makes that smaller"
                 : "torus cost and the busiest link";
}

}  // namespace gdr::interconnect
