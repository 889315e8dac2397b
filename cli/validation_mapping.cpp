// What task mapping gives for the rows of Sanno and Kise: costs, busiest links, and how long the optimisation takes.
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

#include "gdr/base/error.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/task_mapping.h"
#include "validation.h"

namespace gdr::cli {
namespace {

using interconnect::Grid;
using interconnect::MappingCost;
using interconnect::MergeRule;
using interconnect::TaskGraph;
using interconnect::TaskMapping;

constexpr std::uint64_t kBruckBlock = 2048;  // bytes; Sanno and Kise, figure 7
constexpr std::array<std::pair<std::string_view, MergeRule>, 3> kRules{
    {{"none", MergeRule::none}, {"mincost", MergeRule::mincost}, {"minlink", MergeRule::minlink}}};

TaskMapping mapped(const TaskGraph& graph, const Grid& grid, std::string_view method) {
  if (method == "xyz") return interconnect::map_in_order(graph, grid);
  const auto rule = std::ranges::find(kRules, method, &std::pair<std::string_view, MergeRule>::first);
  GDR_ASSERT(rule != kRules.end(), "a row of a mapping names its method");
  return interconnect::map_by_merging(graph, grid, rule->second);
}

/// The paper's three graphs, mapped when first asked for.
class Mappings {
 public:
  const MappingCost& cost(const std::string& part) {
    const auto [entry, is_new] = costs_.try_emplace(part);
    if (is_new) {
      const std::size_t dot = part.find('.');
      const auto [graph, grid] = setting(part.substr(0, dot));
      entry->second = interconnect::mapping_cost(graph, mapped(graph, grid, part.substr(dot + 1)), grid);
    }
    return entry->second;
  }

 private:
  static std::pair<TaskGraph, Grid> setting(const std::string& graph) {
    if (graph == "bruck") return {interconnect::bruck_graph(4096, kBruckBlock), Grid({16, 16, 16}, true)};
    const Grid small({8, 8, 8}, true);
    if (graph == "cg") return {interconnect::cg_graph(small.nodes()), small};
    return {interconnect::sp_graph(interconnect::most_sp_tasks(small.nodes())), small};
  }

  std::map<std::string, MappingCost> costs_;
};

/// In the row's unit.
double in_unit(const ValidationRow& row, std::uint64_t bytes) {
  const double scale = row.unit == "GB" ? 1e9 : row.unit == "MB" ? 1e6 : 1e3;
  return static_cast<double>(bytes) / scale;
}

/// "bruck.xyz" of "N7.bruck.xyz".
std::string part_of(const ValidationRow& row) { return row.id.substr(row.id.find('.') + 1); }

/// Processor seconds of one mapping of bruck on a cube, one thread: the best of three.
double optimisation_seconds(std::uint32_t side, MergeRule rule) {
  const Grid grid({side, side, side}, true);
  const TaskGraph graph = interconnect::bruck_graph(grid.nodes(), kBruckBlock);
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    static_cast<void>(interconnect::map_by_merging(graph, grid, rule));
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

/// True if the mapping is found in so many seconds; the page shows no times, which no two runs would share.
Model quick(const std::string& id, std::uint32_t side, MergeRule rule, double seconds) {
  return {id, [=](const ValidationRow&) -> Ours { return optimisation_seconds(side, rule) <= seconds; }};
}

/// Every task of a graph of 315 tasks gets a node of its own, by all rules and the refinement, and none of the costs
/// exceeds that of the tasks in order.
bool maps_odd_numbers() {
  const Grid grid({7, 9, 5}, true);
  const TaskGraph graph = interconnect::bruck_graph(grid.nodes(), kBruckBlock);
  const std::uint64_t in_order =
      interconnect::mapping_cost(graph, interconnect::map_in_order(graph, grid), grid).torus_hop_bytes;
  std::vector<TaskMapping> mappings{interconnect::map_by_refinement(graph, grid)};
  for (const auto& [name, rule] : kRules) mappings.push_back(interconnect::map_by_merging(graph, grid, rule));
  return std::ranges::all_of(mappings, [&](const TaskMapping& mapping) {
    return interconnect::mapping_cost(graph, mapping, grid).torus_hop_bytes < in_order;
  });
}

/// Table 1: rank 0 ... 26 counts x, then y, then z.
bool counts_as_table_1() {
  const Grid grid({3, 3, 3}, true);
  const TaskGraph graph(27, {});
  const TaskMapping mapping = interconnect::map_in_order(graph, grid);
  for (std::uint32_t rank = 0; rank < 27; ++rank) {
    if (grid.position(mapping[rank]) != interconnect::GridPosition{rank % 3, rank / 3 % 3, rank / 9}) return false;
  }
  return true;
}

/// Figure 8: with XYZ some links carry far more than any does with mincost or minlink.
bool spreads_as_figure_8(Mappings& mappings) {
  const std::uint64_t in_order = mappings.cost("bruck.xyz").max_link_bytes;
  return 4 * mappings.cost("bruck.mincost").max_link_bytes < in_order &&
         4 * mappings.cost("bruck.minlink").max_link_bytes < in_order;
}

}  // namespace

std::vector<Model> mapping_models() {
  const auto mappings = std::make_shared<Mappings>();
  return {
      {"N7.", [=](const ValidationRow& row) -> Ours { return in_unit(row, mappings->cost(part_of(row)).hop_bytes); }},
      {"N8.",
       [=](const ValidationRow& row) -> Ours { return in_unit(row, mappings->cost(part_of(row)).max_link_bytes); }},
      quick("N9.mincost", 16, MergeRule::mincost, 0.05),
      quick("N9.minlink", 16, MergeRule::minlink, 1.5),
      quick("N10.mincost", 32, MergeRule::mincost, 0.8),
      quick("N10.minlink", 32, MergeRule::minlink, 15),
      {"N11", [](const ValidationRow&) -> Ours { return maps_odd_numbers(); }},
      {"N8a", [](const ValidationRow&) -> Ours { return counts_as_table_1(); }},
      {"N8b", [=](const ValidationRow&) -> Ours { return spreads_as_figure_8(*mappings); }},
  };
}

}  // namespace gdr::cli
