#include "spread_doubles.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tasks/neighbours.h"

namespace gdr::interconnect {

TaskMapping spread_doubles(const TaskGraph& graph, const Grid& grid, TaskMapping mapping) {
  const Neighbours neighbours(graph);
  std::vector<std::uint64_t> traffic(graph.tasks());
  for (const auto& [from, to, bytes] : graph.transfers()) {
    traffic[from] += bytes;
    traffic[to] += bytes;
  }
  std::vector<TaskId> order(graph.tasks());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](TaskId task) { return traffic[task]; });

  std::vector<bool> taken(grid.nodes());
  std::vector<TaskId> homeless;
  for (const TaskId task : order) {
    if (taken[mapping[task]]) {
      homeless.push_back(task);
    } else {
      taken[mapping[task]] = true;
    }
  }
  std::vector<std::uint32_t> vacant;
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    if (!taken[node]) vacant.push_back(node);
  }
  for (const TaskId task : homeless) {
    auto best = vacant.begin();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (auto node = vacant.begin(); node != vacant.end(); ++node) {
      std::uint64_t hop_bytes = 0;
      for (const Neighbour& other : neighbours.of(task)) {
        hop_bytes += other.bytes() * grid.hops(grid.position(*node), grid.position(mapping[other.task]));
      }
      if (hop_bytes < least) {
        least = hop_bytes;
        best = node;
      }
    }
    mapping[task] = *best;
    vacant.erase(best);
  }
  return mapping;
}

}  // namespace gdr::interconnect
