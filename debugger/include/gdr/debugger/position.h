// Where in a run the debugger stands: a line of the program in an iteration of a run, and an element of a PE.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "gdr/isa/program.h"

namespace gdr::debugger {

/// Before a line is executed. All chips and blocks execute it at the same time, so positions order what they do; a chip
/// with fewer j-records than others has fewer iterations.
struct Position {
  std::uint64_t run = 0;  // starts of the loop from 1; 0: section `initialization`
  isa::Section section = isa::Section::initialization;
  std::uint64_t iteration = 0;  // of the loop body; 0 elsewhere
  std::size_t line = 0;         // index into the section's lines
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Focus {
  unsigned chip = 0;
  unsigned block = 0;
  unsigned pe = 0;
  unsigned element = 0;
  friend bool operator==(const Focus&, const Focus&) = default;
};

}  // namespace gdr::debugger
