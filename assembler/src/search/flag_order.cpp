#include "flag_order.h"

#include <bit>

namespace gdr::assembler {
namespace {

std::uint64_t bit(std::size_t flag) { return std::uint64_t{1} << flag; }

/// For each bundle, the flags that bundles set which it waits for.
std::vector<std::uint64_t> flags_before(const SearchGraph& graph) {
  const std::vector<Bundle>& bundles = graph.bundles.bundles;
  std::vector<std::uint64_t> sets(bundles.size(), 0);
  for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) {
    for (const Bundle::Member& member : bundles[bundle].members) {
      const int flag = graph.operations[member.operation].flag_set;
      if (flag >= 0) sets[bundle] |= bit(static_cast<std::size_t>(flag));
    }
  }
  std::vector<std::uint64_t> before(bundles.size(), 0);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) {
      for (const Edge& edge : graph.bundles.edges[bundle]) {
        const std::uint64_t all = before[edge.to] | before[bundle] | sets[bundle];
        changes |= all != before[edge.to];
        before[edge.to] = all;
      }
    }
  }
  return before;
}

}  // namespace

FlagOrder::FlagOrder(const SearchGraph& graph)
    : numbers_(graph.flag_numbers.size()), before_(graph.flags, 0), needs_(graph.flags, 0) {
  if (!is_known() || graph.flags == 0) return;
  const std::vector<std::uint64_t> before = flags_before(graph);
  for (std::size_t bundle = 0; bundle < before.size(); ++bundle) {
    for (const Bundle::Member& member : graph.bundles.bundles[bundle].members) {
      const SearchOperation& operation = graph.operations[member.operation];
      if (operation.flag_set >= 0) before_[static_cast<std::size_t>(operation.flag_set)] = before[bundle];
      for (const int flag : operation.flags_used) needs_[static_cast<std::size_t>(flag)] |= before[bundle];
    }
  }
}

bool FlagOrder::has_end(std::uint64_t set, std::uint64_t in_use) const {
  while (in_use != 0) {
    const std::uint64_t unset = ~set;
    // Flags whose users wait for no other flag are released.
    std::size_t next = needs_.size();  // otherwise, the one in use that waits for the fewest
    bool released = false;
    for (std::size_t flag = 0; flag < needs_.size(); ++flag) {
      if ((in_use & bit(flag)) == 0) continue;
      if ((needs_[flag] & unset) == 0) {
        in_use &= ~bit(flag);
        released = true;
      } else if (next == needs_.size() || std::popcount(needs_[flag] & unset) < std::popcount(needs_[next] & unset)) {
        next = flag;
      }
    }
    if (released) continue;
    if (static_cast<std::size_t>(std::popcount(in_use)) >= numbers_) return false;
    // Of those that it waits for, the one whose users wait for the fewest is set.
    std::size_t chosen = needs_.size();
    for (std::size_t flag = 0; flag < needs_.size(); ++flag) {
      if ((needs_[next] & unset & bit(flag)) == 0 || (before_[flag] & unset) != 0) continue;
      if (chosen == needs_.size() || std::popcount(needs_[flag] & unset) < std::popcount(needs_[chosen] & unset)) {
        chosen = flag;
      }
    }
    if (chosen == needs_.size()) return false;
    set |= bit(chosen);
    in_use |= bit(chosen);
  }
  return true;
}

}  // namespace gdr::assembler
