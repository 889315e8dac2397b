// Places the 64 tasks of an allgather on an 8x8 torus by several methods, and compares the loads of the links.
#include <gdr/interconnect/task_mapping.h>

#include <cstdio>

using namespace gdr::interconnect;

namespace {

void print(const char* method, const TaskGraph& graph, const TaskMapping& mapping, const Grid& grid) {
  const MappingCost cost = mapping_cost(graph, mapping, grid);
  std::printf("%-9s %6.3f MB over all links, %5.3f MB over the busiest\n", method,
              static_cast<double>(cost.torus_hop_bytes) * 1e-6, static_cast<double>(cost.max_link_bytes) * 1e-6);
}

}  // namespace

int main() {
  const Grid grid = Grid::parse("torus:8x8");
  const TaskGraph graph = bruck_graph(grid.nodes(), 1000);  // each task contributes 1,000 bytes
  std::printf("%u tasks, %zu pairs of them send %.3f MB\n", graph.tasks(), graph.transfers().size(),
              static_cast<double>(graph.total_bytes()) * 1e-6);

  print("in order", graph, map_in_order(graph, grid), grid);
  const TaskMapping merged = map_by_merging(graph, grid, MergeRule::mincost);
  print("merging", graph, merged, grid);
  RefineOptions options;
  options.objective = MappingObjective::cost;
  options.seed = 1;  // the same seed gives the same mapping
  const TaskMapping refined = refine_mapping(graph, grid, merged, {}, options);
  print("refined", graph, refined, grid);

  const GridPosition at = grid.position(refined[9]);
  std::printf("task 9 runs on node %u at (%u, %u)\n", refined[9], at[0], at[1]);
}
