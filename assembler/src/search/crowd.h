// Lower limits of lines from what must share a unit or a port that serves one operation in a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdr::assembler {

/// An operation that takes the unit or port in one line.
struct Use {
  std::int64_t earliest = 0;  // no schedule has it before this line
  std::int64_t after = 0;     // no schedule ends in fewer lines after it
};

/// Uses of which none comes before line `earliest` and each is followed by at least `after` lines.
struct Crowd {
  std::int64_t earliest = 0;
  std::int64_t uses = 0;
  std::int64_t after = 0;

  /// No schedule has fewer lines. The uses take different lines, none of which is before `earliest`, so the last of
  /// them is on line `earliest + uses - 1` or later; `after` lines follow it, whichever use it is. [Jackson 1955;
  /// Carlier 1982, "The one-machine sequencing problem", proposition 1]
  [[nodiscard]] std::size_t lines() const { return uses == 0 ? 0 : static_cast<std::size_t>(earliest + uses + after); }
};

/// The crowd among `uses` that needs the most lines.
[[nodiscard]] Crowd largest_crowd(std::vector<Use> uses);

}  // namespace gdr::assembler
