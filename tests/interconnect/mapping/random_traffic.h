// Traffic between random tasks.
#pragma once

#include <random>
#include <vector>

#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

/// `edges` messages of 1 to 1000 bytes, none of a task to itself.
inline TaskGraph random_traffic(TaskId tasks, std::size_t edges, std::uint32_t seed) {
  std::mt19937 dice(seed);
  std::vector<Transfer> transfers;
  while (transfers.size() < edges) {
    const auto from = static_cast<TaskId>(dice() % tasks);
    const auto to = static_cast<TaskId>(dice() % tasks);
    if (from != to) transfers.push_back({from, to, 1 + dice() % 1000});
  }
  return {tasks, transfers};
}

}  // namespace gdr::interconnect
