#include "bundles.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "gdr/base/error.h"

namespace gdr::assembler {

namespace {

class Bundler {
 public:
  explicit Bundler(const SectionGraph& graph) : graph_(graph), group_(graph.operations.size()) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
  }

  BundleGraph run() {
    join_circles();
    join_products();
    collect();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t line_of(std::size_t operation) const { return graph_.operations[operation].line; }
  void join(std::size_t a, std::size_t b);
  void join_circles();
  void join_products();
  void collect();

  const SectionGraph& graph_;
  std::vector<std::size_t> group_;  // group of each operation, named by its first member
  BundleGraph result_;
};

void Bundler::join(std::size_t a, std::size_t b) {
  const std::size_t kept = std::min(group_[a], group_[b]);
  const std::size_t gone = std::max(group_[a], group_[b]);
  std::replace(group_.begin(), group_.end(), gone, kept);
}

/// Only dependences within one line can form cycles; all others lead to later lines.
void Bundler::join_circles() {
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

void Bundler::join_products() {
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

void Bundler::collect() {
  std::vector<std::size_t> bundle_of(group_.size());
  std::vector<std::size_t> offset_of(group_.size());
  for (std::size_t operation = 0; operation < group_.size(); ++operation) {
    const std::size_t first = group_[operation];
    if (first == operation) result_.bundles.emplace_back();
    bundle_of[operation] = first == operation ? result_.bundles.size() - 1 : bundle_of[first];
    offset_of[operation] = line_of(operation) - line_of(first);
    Bundle& bundle = result_.bundles[bundle_of[operation]];
    bundle.members.push_back({operation, offset_of[operation]});
    const std::size_t earliest = graph_.earliest[operation];
    bundle.earliest = std::max(bundle.earliest, earliest - std::min(earliest, offset_of[operation]));
  }
  result_.edges.resize(result_.bundles.size());
  for (const Dependence& dependence : graph_.dependences) {
    const std::size_t from = bundle_of[dependence.before];
    const std::size_t to = bundle_of[dependence.after];
    if (from == to) continue;
    result_.edges[from].push_back({to, static_cast<std::ptrdiff_t>(dependence.lines + offset_of[dependence.before]) -
                                           static_cast<std::ptrdiff_t>(offset_of[dependence.after])});
  }
}

}  // namespace

BundleGraph bundles_of(const SectionGraph& graph) { return Bundler(graph).run(); }

}  // namespace gdr::assembler
