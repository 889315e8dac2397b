#include "list_scheduler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bundles.h"
#include "line_merger.h"

namespace gdr::assembler {
namespace {

class ListScheduler {
 public:
  explicit ListScheduler(const SectionGraph& graph) : graph_(graph), bundles_(bundles_of(graph)) {}

  std::optional<Packing> run(std::size_t limit) {
    const auto& bundles = bundles_.bundles;
    std::vector<std::size_t> waiting = by_urgency();
    std::vector<std::size_t> earliest(bundles.size());
    std::vector<unsigned> predecessors = bundles_.predecessors();
    for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) earliest[bundle] = bundles[bundle].earliest;
    for (std::size_t line = 0; !waiting.empty() && line < limit; ++line) {
      // A placed operation may make others ready for the same line.
      for (auto at = waiting.begin(); at != waiting.end();) {
        const std::size_t bundle = *at;
        if (predecessors[bundle] > 0 || earliest[bundle] > line || !place(bundles[bundle], line)) {
          ++at;
          continue;
        }
        for (const Edge& edge : bundles_.edges[bundle]) {
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
  /// Bundles ordered by the length of the longest path from them to the section's end; equal ones are in the order of
  /// the source.
  std::vector<std::size_t> by_urgency() const {
    const std::size_t count = bundles_.bundles.size();
    const std::vector<std::ptrdiff_t> way = bundles_.ways().value();
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
  BundleGraph bundles_;
  std::vector<isa::Line> lines_;  // contents of each line so far
  Packing packing_;
};

}  // namespace

std::optional<Packing> pack(const SectionGraph& graph, std::size_t limit) { return ListScheduler(graph).run(limit); }

}  // namespace gdr::assembler
