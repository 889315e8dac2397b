// Lines for a section whose values have their places.
#pragma once

#include "lean_places.h"
#include "schedule.h"

namespace gdr::compiler {

/// A list schedule. It exists for every placed section that needs no more flags at once, in its order, than there are;
/// nothing otherwise. Of the options `repeats`, `experiment` and `ready` count.
[[nodiscard]] std::optional<Schedule> lines_of(const Microcode& code, const PlacedSection& placed,
                                               const ScheduleOptions& options);

}  // namespace gdr::compiler
