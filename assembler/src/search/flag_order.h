// Tells whether flags that are in use can ever be released, if they have too few numbers for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

class FlagOrder {
 public:
  explicit FlagOrder(const SearchGraph& graph);

  /// Sets of flags, one bit each: those that have been set, and those of them that have users left. True if some order
  /// is known in which the rest is set and used. [Dijkstra's banker: EWD 108]
  [[nodiscard]] bool has_end(std::uint64_t set, std::uint64_t in_use) const;
  /// False if there are too many flags for such sets.
  [[nodiscard]] bool is_known() const { return before_.size() <= kMost; }

 private:
  static constexpr std::size_t kMost = 64;
  std::size_t numbers_;
  std::vector<std::uint64_t> before_;  // for each flag, those that must be set before it
  std::vector<std::uint64_t> needs_;   // for each flag, those that must be set before its last user
};

}  // namespace gdr::assembler
