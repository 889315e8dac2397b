// Places of a section's values in a fixed order of its operations.
#pragma once

#include <optional>
#include <vector>

#include "microcode/microcode.h"
#include "schedule.h"

namespace gdr::compiler {

/// A section with a place for each value that is read. An operation reads at most one word through each port of which a
/// line has one.
struct PlacedSection {
  Operations section;
  std::vector<Places> places;  // of the operations' results; none in T
  unsigned local_words = 0;    // short words of local memory
};

/// Gives each value of the section, whose order is kept, a register or a word of local memory. `spare`: short words of
/// registers for copies of operands that meet others at a port. Nothing if these, or local memory, are too few. Of the
/// options `gpr_taken` and `local_words` count.
[[nodiscard]] std::optional<PlacedSection> placed(const Microcode& code, const Operations& section, unsigned spare,
                                                  const ScheduleOptions& options);

/// The operations whose values are needed at the point of the section at which these take the most words.
struct Fullest {
  unsigned words = 0;  // short words
  std::size_t after = 0;
  std::vector<std::size_t> values;
};
[[nodiscard]] Fullest fullest(const Operations& section);

}  // namespace gdr::compiler
