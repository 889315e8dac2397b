// Schedules for sections that the search finds none for, because it keeps too many values at once.
#pragma once

#include <optional>

#include "microcode/microcode.h"
#include "schedule.h"

namespace gdr::compiler {

/// A section with further operations, and its schedule.
struct LeanSection {
  Operations section;
  Schedule schedule;
};

/// Looks at a few orders of the section in which few values are needed at once. In each of them values that do not fit
/// into the registers go to local memory, copies bring them to their readers, flags are set again, and cheap values are
/// computed again. The shortest schedule is returned; nothing if registers and local memory are too small for the
/// values of each order. Of the options `repeats`, `experiment`, `gpr_taken`, `ready` and
/// `local_words` count.
[[nodiscard]] std::optional<LeanSection> lean_schedule(const Microcode& code, const Operations& section,
                                                       const ScheduleOptions& options);

/// What has to be kept at once at least, as far as these orders tell: where registers and local memory are full, the
/// values and the lines of the source that they come from.
[[nodiscard]] std::string needed_at_once(const Microcode& code, const Operations& section);

}  // namespace gdr::compiler
