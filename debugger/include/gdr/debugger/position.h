// Where the debugger is: a line of the program in one iteration of a run, and the PE and vector element that are shown.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "gdr/isa/program.h"

namespace gdr::debugger {

/// A point in time just before a line is executed. All chips and blocks execute a line at the same time, so positions
/// give the order of their actions. A chip with fewer j-records than others has fewer iterations.
struct Position {
  std::uint64_t run = 0;  // number of starts of the loop, from 1; 0: section `initialization`
  isa::Section section = isa::Section::initialization;
  std::uint64_t iteration = 0;  // iteration of the loop body; 0 in other sections
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
