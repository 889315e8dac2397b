#include "neighbours.h"

#include <algorithm>
#include <numeric>

namespace gdr::interconnect {

Neighbours::Neighbours(const TaskGraph& graph) : begin_(graph.tasks() + 1) {
  for (const Transfer& transfer : graph.transfers()) {
    ++begin_[transfer.from + 1];
    ++begin_[transfer.to + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<Neighbour> both(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  // Two tasks that send to each other have two entries each until the entries are sorted and merged.
  for (const auto& [from, to, bytes] : graph.transfers()) {
    both[next[from]++] = {to, bytes, 0};
    both[next[to]++] = {from, 0, bytes};
  }
  entries_.reserve(both.size());
  std::size_t start = 0;
  for (TaskId task = 0; task < graph.tasks(); ++task) {
    const std::size_t end = begin_[task + 1];
    std::ranges::sort(std::span(both).subspan(start, end - start), {}, &Neighbour::task);
    begin_[task] = entries_.size();
    for (; start < end; ++start) {
      if (entries_.size() > begin_[task] && entries_.back().task == both[start].task) {
        entries_.back().sent += both[start].sent;
        entries_.back().received += both[start].received;
      } else {
        entries_.push_back(both[start]);
      }
    }
  }
  begin_[graph.tasks()] = entries_.size();
}

}  // namespace gdr::interconnect
