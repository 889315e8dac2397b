// Any text as a task graph: refused by gdr::Error, or written and read back the same, and every mapping of it places
// each task on a node and keeps the laws of costs. The same text as names of hosts and as sizes of blocks.
#include <algorithm>
#include <array>

#include "fuzz.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/task_mapping.h"

namespace {

using namespace gdr;

void check_graph(std::string_view text, bool is_torus) {
  using namespace interconnect;
  constexpr TaskId kMostTasks = 64;
  const GraphFile file = parse_graph(text, "fuzz.csv", kMostTasks);
  const std::string written = graph_csv(file.graph);
  const GraphFile again = parse_graph(written, "again.csv", kMostTasks);
  FUZZ_HOLDS(again.duplicates == 0);
  FUZZ_HOLDS(again.graph.tasks() == file.graph.tasks());
  FUZZ_HOLDS(std::ranges::equal(again.graph.transfers(), file.graph.transfers()));
  const Grid grid({4, 4, 4}, is_torus);
  const std::array mappings{map_in_order(file.graph, grid), map_by_merging(file.graph, grid, MergeRule::mincost),
                            map_by_merging(file.graph, grid, MergeRule::minlink)};
  for (const TaskMapping& mapping : mappings) {
    FUZZ_HOLDS(mapping.size() == file.graph.tasks());
    TaskMapping nodes = mapping;
    std::ranges::sort(nodes);
    FUZZ_HOLDS(std::ranges::adjacent_find(nodes) == nodes.end());
    FUZZ_HOLDS(nodes.back() < grid.nodes());
    const MappingCost cost = mapping_cost(file.graph, mapping, grid);
    FUZZ_HOLDS(cost.torus_hop_bytes <= cost.hop_bytes);
    FUZZ_HOLDS(file.graph.total_bytes() <= cost.torus_hop_bytes);  // two tasks are at least one hop apart
  }
}

void check_block_sizes(std::string_view text) {
  const auto sizes = hostlib::block_steps_from_csv(std::string(text), "fuzz.csv");
  static_cast<void>(hostlib::to_csv(sizes));
  if (sizes.size() < 2) return;
  for (const double particles : {2.0, 1000.0, 4e6}) static_cast<void>(hostlib::scaled_block_steps(sizes, particles));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::refuses([&] { check_graph(text, size % 2 == 0); });
  fuzz::refuses([&] { static_cast<void>(interconnect::parse_hosts(text, "fuzz")); });
  fuzz::refuses([&] { check_block_sizes(text); });
  return 0;
}
