#include "list_scheduler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gdr/base/error.h"
#include "line_merger.h"

namespace gdr::assembler {
namespace {

/// Operations that keep their places to each other: the two lines of a long product, and operations of one line each of
/// which reads what the next writes, all the way round.
struct Bundle {
  struct Member {
    std::size_t operation = 0;
    std::size_t offset = 0;  // lines behind the bundle's first
  };
  std::vector<Member> members;
  std::size_t earliest = 0;
};

/// Between bundles; `lines` may be negative where a long product's second line is what waits.
struct Edge {
  std::size_t to = 0;
  std::ptrdiff_t lines = 0;
};

class Bundles {
 public:
  explicit Bundles(const SectionGraph& graph) : graph_(graph), group_(graph.operations.size()) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    join_circles();
    join_products();
    collect();
  }

  [[nodiscard]] const std::vector<Bundle>& all() const { return bundles_; }
  [[nodiscard]] const std::vector<std::vector<Edge>>& edges() const { return edges_; }

 private:
  [[nodiscard]] std::size_t line_of(std::size_t operation) const { return graph_.operations[operation].line; }

  void join(std::size_t a, std::size_t b) {
    const std::size_t kept = std::min(group_[a], group_[b]);
    const std::size_t gone = std::max(group_[a], group_[b]);
    std::replace(group_.begin(), group_.end(), gone, kept);
  }

  /// Dependences lead to later lines but for those of one line, so that only these close circles.
  void join_circles() {
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

  void join_products() {
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

  void collect() {
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

  const SectionGraph& graph_;
  std::vector<std::size_t> group_;  // each operation's, named by its first member
  std::vector<Bundle> bundles_;
  std::vector<std::vector<Edge>> edges_;
};

class ListScheduler {
 public:
  explicit ListScheduler(const SectionGraph& graph) : graph_(graph), bundles_(graph) {}

  std::optional<Packing> run(std::size_t limit) {
    const auto& bundles = bundles_.all();
    std::vector<std::size_t> waiting = by_urgency();
    std::vector<std::size_t> earliest(bundles.size());
    std::vector<unsigned> predecessors(bundles.size());
    for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) {
      earliest[bundle] = bundles[bundle].earliest;
      for (const Edge& edge : bundles_.edges()[bundle]) ++predecessors[edge.to];
    }
    for (std::size_t line = 0; !waiting.empty() && line < limit; ++line) {
      // What is placed may make others ready for the same line.
      for (auto at = waiting.begin(); at != waiting.end();) {
        const std::size_t bundle = *at;
        if (predecessors[bundle] > 0 || earliest[bundle] > line || !place(bundles[bundle], line)) {
          ++at;
          continue;
        }
        for (const Edge& edge : bundles_.edges()[bundle]) {
          --predecessors[edge.to];
          const std::ptrdiff_t ready = static_cast<std::ptrdiff_t>(line) + edge.lines;
          earliest[edge.to] = std::max(earliest[edge.to], static_cast<std::size_t>(std::max<std::ptrdiff_t>(ready, 0)));
        }
        waiting.erase(at);
        at = waiting.begin();
      }
    }
    if (!waiting.empty() || packing_.size() >= limit) return std::nullopt;
    return std::move(packing_);
  }

 private:
  /// Bundles by the length of the longest way from them to the section's end; equal ones as in the source.
  std::vector<std::size_t> by_urgency() const {
    const std::size_t count = bundles_.all().size();
    std::vector<unsigned> predecessors(count);
    for (const auto& edges : bundles_.edges()) {
      for (const Edge& edge : edges) ++predecessors[edge.to];
    }
    std::vector<std::size_t> order;
    for (std::size_t bundle = 0; bundle < count; ++bundle) {
      if (predecessors[bundle] == 0) order.push_back(bundle);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const Edge& edge : bundles_.edges()[order[at]]) {
        if (--predecessors[edge.to] == 0) order.push_back(edge.to);
      }
    }
    GDR_ASSERT(order.size() == count, "dependences between bundles have no circle");
    std::vector<std::ptrdiff_t> way(count);
    for (auto bundle = order.rbegin(); bundle != order.rend(); ++bundle) {
      for (const Edge& edge : bundles_.edges()[*bundle]) {
        way[*bundle] = std::max(way[*bundle], way[edge.to] + edge.lines);
      }
    }
    std::vector<std::size_t> urgent(count);
    std::iota(urgent.begin(), urgent.end(), std::size_t{0});
    std::sort(urgent.begin(), urgent.end(),
              [&](std::size_t a, std::size_t b) { return way[a] != way[b] ? way[a] > way[b] : a < b; });
    return urgent;
  }

  bool place(const Bundle& bundle, std::size_t line) {
    std::size_t length = lines_.size();
    for (const Bundle::Member& member : bundle.members) length = std::max(length, line + member.offset + 1);
    std::vector<isa::Line> trial(lines_.begin() + static_cast<std::ptrdiff_t>(std::min(line, lines_.size())),
                                 lines_.end());
    trial.resize(length - std::min(line, lines_.size()));
    const std::size_t base = std::min(line, lines_.size());
    for (const Bundle::Member& member : bundle.members) {
      const UnitOperation& operation = graph_.operations[member.operation];
      if (!add_operation(trial[line + member.offset - base], operation.from->line, operation.unit)) return false;
    }
    lines_.resize(base);
    lines_.insert(lines_.end(), trial.begin(), trial.end());
    packing_.resize(lines_.size());
    for (const Bundle::Member& member : bundle.members) {
      std::vector<std::size_t>& operations = packing_[line + member.offset];
      const auto unit = [&](std::size_t operation) { return graph_.operations[operation].unit; };
      operations.push_back(member.operation);
      std::sort(operations.begin(), operations.end(), [&](auto a, auto b) { return unit(a) < unit(b); });
    }
    return true;
  }

  const SectionGraph& graph_;
  Bundles bundles_;
  std::vector<isa::Line> lines_;  // what stands in each line so far
  Packing packing_;
};

}  // namespace

std::optional<Packing> pack(const SectionGraph& graph, std::size_t limit) { return ListScheduler(graph).run(limit); }

}  // namespace gdr::assembler
