#include "recognise.h"

#include <algorithm>
#include <limits>

#include "tasks/neighbours.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

using Links = std::vector<std::vector<std::uint32_t>>;  // by vertex: the vertices beside it, in ascending order

Links links_of(const TaskGraph& graph) {
  const Neighbours neighbours(graph);
  Links links(graph.tasks());
  for (TaskId task = 0; task < graph.tasks(); ++task) {
    for (const Neighbour& other : neighbours.of(task)) links[task].push_back(other.task);
  }
  return links;
}

Links links_of(const Grid& grid, bool closed) {
  Links links(grid.nodes());
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::uint32_t extent = grid.extents()[axis];
      GridPosition beside = grid.position(node);
      const std::uint32_t at = beside[axis];
      if (extent == 1) continue;
      if (closed || at + 1 < extent) {
        beside[axis] = (at + 1) % extent;
        links[node].push_back(grid.node(beside));
      }
      if (closed || at > 0) {
        beside[axis] = (at + extent - 1) % extent;
        links[node].push_back(grid.node(beside));
      }
    }
    std::ranges::sort(links[node]);
    const auto same = std::ranges::unique(links[node]);  // both ways round a ring of two
    links[node].erase(same.begin(), same.end());
  }
  return links;
}

bool same_degrees(const Links& a, const Links& b) {
  const auto degrees = [](const Links& links) {
    std::vector<std::size_t> counts;
    for (const auto& beside : links) counts.push_back(beside.size());
    std::ranges::sort(counts);
    return counts;
  };
  return a.size() == b.size() && degrees(a) == degrees(b);
}

/// Places tasks one after the other, each beside the tasks that it exchanges data with, and takes the last one back
/// where none fits.
class Embedding {
 public:
  Embedding(const Links& tasks, const Links& nodes)
      : tasks_(tasks), nodes_(nodes), node_of_(tasks.size(), kNowhere), task_on_(nodes.size(), kNowhere) {}

  std::optional<TaskMapping> find() {
    set_order();
    if (order_.size() < tasks_.size()) return std::nullopt;  // parts that exchange nothing: their places are free
    // Any node of a corner is as good as another; a torus has no corner.
    std::uint32_t first = 0;
    while (nodes_[first].size() != tasks_[order_[0].task].size()) ++first;
    std::vector<std::size_t> next(order_.size());  // by place in the order: the candidate to try next
    const std::size_t most_steps = kStepsPerTask * tasks_.size();
    std::size_t depth = 0;
    for (std::size_t steps = 0; steps < most_steps; ++steps) {
      if (depth == order_.size()) return node_of_;
      const auto& [task, parent] = order_[depth];
      const std::uint32_t only[] = {first};
      const std::span<const std::uint32_t> candidates =
          depth == 0 ? std::span<const std::uint32_t>(only) : std::span(nodes_[node_of_[parent]]);
      while (next[depth] < candidates.size() && !fits(task, candidates[next[depth]])) ++next[depth];
      if (next[depth] < candidates.size()) {
        put(task, candidates[next[depth]++]);
        ++depth;
        if (depth < order_.size()) next[depth] = 0;
      } else {
        if (depth == 0) return std::nullopt;
        --depth;
        take_back(order_[depth].task);
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kStepsPerTask = 50;

  struct Turn {
    TaskId task;
    TaskId parent;  // placed before, and beside it
  };

  /// Breadth first from a task with fewest neighbours, so that most tasks have several placed neighbours.
  void set_order() {
    const auto first = std::ranges::min_element(tasks_, {}, [](const auto& beside) { return beside.size(); });
    const auto root = static_cast<TaskId>(first - tasks_.begin());
    std::vector<bool> seen(tasks_.size());
    order_.push_back({root, root});
    seen[root] = true;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const TaskId other : tasks_[order_[i].task]) {
        if (seen[other]) continue;
        seen[other] = true;
        order_.push_back({other, order_[i].task});
      }
    }
  }

  static std::size_t in_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::size_t count = 0;
    for (const std::uint32_t vertex : a) count += std::ranges::binary_search(b, vertex) ? 1 : 0;
    return count;
  }

  /// True if the task's neighbourhood looks like the node's as far as tasks are placed: the same neighbours, and with
  /// every task two hops away as many neighbours in common as the two nodes have.
  [[nodiscard]] bool fits(TaskId task, std::uint32_t node) const {
    if (task_on_[node] != kNowhere || tasks_[task].size() != nodes_[node].size()) return false;
    std::size_t placed = 0;
    for (const TaskId other : tasks_[task]) {
      if (node_of_[other] == kNowhere) continue;
      if (!std::ranges::binary_search(nodes_[node], node_of_[other])) return false;
      ++placed;
    }
    for (const std::uint32_t beside : nodes_[node]) {
      if (task_on_[beside] == kNowhere) continue;
      if (placed-- == 0) return false;  // a task beside it that it exchanges nothing with
    }
    for (const std::uint32_t beside : nodes_[node]) {
      for (const std::uint32_t second : nodes_[beside]) {
        const std::uint32_t there = task_on_[second];
        if (second == node || there == kNowhere) continue;
        if (in_common(nodes_[node], nodes_[second]) != in_common(tasks_[task], tasks_[there])) return false;
      }
    }
    return true;
  }

  void put(TaskId task, std::uint32_t node) {
    node_of_[task] = node;
    task_on_[node] = task;
  }
  void take_back(TaskId task) {
    task_on_[node_of_[task]] = kNowhere;
    node_of_[task] = kNowhere;
  }

  const Links& tasks_;
  const Links& nodes_;
  std::vector<Turn> order_;
  TaskMapping node_of_;                 // by task
  std::vector<std::uint32_t> task_on_;  // by node
};

}  // namespace

std::optional<TaskMapping> recognise_grid(const TaskGraph& graph, const Grid& grid) {
  if (graph.tasks() != grid.nodes() || graph.transfers().empty()) return std::nullopt;
  const Links tasks = links_of(graph);
  for (const bool closed : {true, false}) {
    if (closed && !grid.torus()) continue;
    const Links nodes = links_of(grid, closed);
    if (!same_degrees(tasks, nodes)) continue;
    if (std::optional<TaskMapping> mapping = Embedding(tasks, nodes).find()) return mapping;
  }
  return std::nullopt;
}

}  // namespace gdr::interconnect
