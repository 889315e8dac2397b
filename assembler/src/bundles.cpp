#include "bundles.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "gdr/base/error.h"

namespace gdr::assembler {

Bundles::Bundles(const SectionGraph& graph) : graph_(graph), group_(graph.operations.size()) {
  std::iota(group_.begin(), group_.end(), std::size_t{0});
  join_circles();
  join_products();
  collect();
}

std::vector<unsigned> Bundles::predecessors() const {
  std::vector<unsigned> waits_for(bundles_.size());
  for (const std::vector<Edge>& edges : edges_) {
    for (const Edge& edge : edges) ++waits_for[edge.to];
  }
  return waits_for;
}

std::vector<std::ptrdiff_t> Bundles::ways() const {
  std::vector<unsigned> waits_for = predecessors();
  std::vector<std::size_t> order;
  for (std::size_t bundle = 0; bundle < bundles_.size(); ++bundle) {
    if (waits_for[bundle] == 0) order.push_back(bundle);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const Edge& edge : edges_[order[at]]) {
      if (--waits_for[edge.to] == 0) order.push_back(edge.to);
    }
  }
  GDR_ASSERT(order.size() == bundles_.size(), "dependences between bundles have no circle");
  std::vector<std::ptrdiff_t> ways(bundles_.size());
  for (auto bundle = order.rbegin(); bundle != order.rend(); ++bundle) {
    for (const Edge& edge : edges_[*bundle]) ways[*bundle] = std::max(ways[*bundle], ways[edge.to] + edge.lines);
  }
  return ways;
}

void Bundles::join(std::size_t a, std::size_t b) {
  const std::size_t kept = std::min(group_[a], group_[b]);
  const std::size_t gone = std::max(group_[a], group_[b]);
  std::replace(group_.begin(), group_.end(), gone, kept);
}

/// Dependences lead to later lines but for those of one line, so that only these close circles.
void Bundles::join_circles() {
  std::vector<std::vector<std::size_t>> same_line(group_.size());
  for (const Dependence& dependence : graph_.dependences) {
    if (line_of(dependence.before) == line_of(dependence.after)) {
      same_line[dependence.before].push_back(dependence.after);
    }
  }
  const auto leads = [&](std::size_t from, std::size_t to) {
    std::vector<std::size_t> open{from};
    std::vector<std::size_t> seen;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t next : same_line[at]) {
        if (next == to) return true;
        if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
        seen.push_back(next);
        open.push_back(next);
      }
    }
    return false;
  };
  for (const Dependence& dependence : graph_.dependences) {
    const bool circle =
        line_of(dependence.before) == line_of(dependence.after) && leads(dependence.after, dependence.before);
    if (circle) join(dependence.before, dependence.after);
  }
}

void Bundles::join_products() {
  const auto half_of = [&](std::size_t index) {
    const UnitOperation& operation = graph_.operations[index];
    return operation.unit == isa::Unit::multiplier ? isa::info_of(operation.from->line.multiplier.op).half
                                                   : isa::ProductHalf::none;
  };
  std::optional<std::size_t> high;
  for (std::size_t index = 0; index < graph_.operations.size(); ++index) {
    if (half_of(index) == isa::ProductHalf::first) high = index;
    if (half_of(index) == isa::ProductHalf::second && high) join(*high, index);
  }
}

void Bundles::collect() {
  std::vector<std::size_t> bundle_of(group_.size());
  std::vector<std::size_t> offset_of(group_.size());
  for (std::size_t operation = 0; operation < group_.size(); ++operation) {
    const std::size_t first = group_[operation];
    if (first == operation) bundles_.emplace_back();
    bundle_of[operation] = first == operation ? bundles_.size() - 1 : bundle_of[first];
    offset_of[operation] = line_of(operation) - line_of(first);
    Bundle& bundle = bundles_[bundle_of[operation]];
    bundle.members.push_back({operation, offset_of[operation]});
    const std::size_t earliest = graph_.earliest[operation];
    bundle.earliest = std::max(bundle.earliest, earliest - std::min(earliest, offset_of[operation]));
  }
  edges_.resize(bundles_.size());
  for (const Dependence& dependence : graph_.dependences) {
    const std::size_t from = bundle_of[dependence.before];
    const std::size_t to = bundle_of[dependence.after];
    if (from == to) continue;
    edges_[from].push_back({to, static_cast<std::ptrdiff_t>(dependence.lines + offset_of[dependence.before]) -
                                    static_cast<std::ptrdiff_t>(offset_of[dependence.after])});
  }
}

}  // namespace gdr::assembler
