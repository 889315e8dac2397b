// For each task, the tasks with which it exchanges data.
#pragma once

#include <span>
#include <vector>

#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

struct Neighbour {
  TaskId task = 0;
  std::uint64_t sent = 0;      // to it
  std::uint64_t received = 0;  // from it

  [[nodiscard]] std::uint64_t bytes() const { return sent + received; }
};

class Neighbours {
 public:
  explicit Neighbours(const TaskGraph& graph);
  /// Sorted by task; each occurs once.
  [[nodiscard]] std::span<const Neighbour> of(TaskId task) const {
    return std::span(entries_).subspan(begin_[task], begin_[task + 1] - begin_[task]);
  }

 private:
  std::vector<std::size_t> begin_;  // shape: [tasks + 1]
  std::vector<Neighbour> entries_;
};

}  // namespace gdr::interconnect
