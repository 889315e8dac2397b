// Lines are counted from the end here; a bundle is placed by its last operation, so that the lines which a long product
// takes before that one are still free.
#include "late_lines.h"

#include <algorithm>

namespace gdr::assembler {
namespace {

class FromTheEnd {
 public:
  explicit FromTheEnd(const SearchGraph& graph)
      : graph_(graph),
        bundles_(graph.bundles.bundles),
        heads_(graph.bundles.earliest()),
        before_(bundles_.size()),
        waits_for_(bundles_.size()),
        first_(bundles_.size(), 0) {
    for (std::size_t bundle = 0; bundle < bundles_.size(); ++bundle) {
      waits_for_[bundle] = graph.bundles.edges[bundle].size();
      for (const Edge& edge : graph.bundles.edges[bundle]) before_[edge.to].push_back({bundle, edge.lines});
    }
  }

  LateLines run() {
    for (std::size_t bundle = 0; bundle < bundles_.size(); ++bundle) {
      if (waits_for_[bundle] == 0) add_ready(bundle);
    }
    LateLines late;
    for (int line = 0; !ready_.empty(); ++line) {
      for (std::size_t next = 0; next < ready_.size();) {
        const std::size_t bundle = ready_[next];
        if (!place(bundle, line)) {
          ++next;
          continue;
        }
        late.lines = std::max(late.lines, first_[bundle] + 1);
        ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(next));
        for (const Edge& edge : before_[bundle]) {
          first_[edge.to] = std::max(first_[edge.to], first_[bundle] + static_cast<int>(edge.lines));
          if (--waits_for_[edge.to] == 0) add_ready(edge.to);
        }
        next = 0;
      }
    }
    for (const int first : first_) late.first.push_back(late.lines - 1 - first);
    return late;
  }

 private:
  /// What is farthest from the section's begin comes first.
  void add_ready(std::size_t bundle) {
    const auto before = [&](std::size_t a, std::size_t b) {
      return heads_[a] != heads_[b] ? heads_[a] > heads_[b] : a < b;
    };
    ready_.insert(std::ranges::upper_bound(ready_, bundle, before), bundle);
  }

  /// Places a bundle whose last operation is on `line`.
  bool place(std::size_t bundle, int line) {
    int length = 0;
    for (const Bundle::Member& member : bundles_[bundle].members)
      length = std::max(length, static_cast<int>(member.offset));
    const int first = line + length;
    if (first_[bundle] > first) return false;
    const auto use = [&](const Bundle::Member& member) -> unsigned& {
      const auto at = static_cast<std::size_t>(first) - member.offset;
      if (units_.size() <= at) units_.resize(at + 1, 0);
      return units_[at];
    };
    for (const Bundle::Member& member : bundles_[bundle].members) {
      if ((use(member) & graph_.operations[member.operation].units) != 0) return false;
    }
    for (const Bundle::Member& member : bundles_[bundle].members)
      use(member) |= graph_.operations[member.operation].units;
    first_[bundle] = first;
    return true;
  }

  const SearchGraph& graph_;
  const std::vector<Bundle>& bundles_;
  std::vector<std::ptrdiff_t> heads_;
  std::vector<std::vector<Edge>> before_;  // the edges turned around
  std::vector<std::size_t> waits_for_;
  std::vector<int> first_;  // line of each bundle's first operation
  std::vector<std::size_t> ready_;
  std::vector<unsigned> units_;  // in use, for each line
};

}  // namespace

LateLines late_lines(const SearchGraph& graph) { return FromTheEnd(graph).run(); }

}  // namespace gdr::assembler
