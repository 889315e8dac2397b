// Lines that the scheduler leaves without an operation, because results of earlier lines cannot be read yet.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"

namespace gdr::isa {

/// Text shown in place of the source of a waiting line.
inline constexpr std::string_view kWaits = "(waits)";

/// True if line `number` of a section is a waiting line: it occupies no unit and has the same source position as the
/// line before it. A `nop` of the source has a position of its own.
[[nodiscard]] inline bool is_waiting(std::span<const ProgramLine> lines, std::size_t number) {
  if (number == 0 || lines[number].position != lines[number - 1].position) return false;
  const Effects effects = isa::effects(decoded(lines[number].word));
  return std::ranges::none_of(units(), [&](const UnitInfo& unit) { return effects.busy(unit.unit); });
}

}  // namespace gdr::isa
