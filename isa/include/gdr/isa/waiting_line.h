// Lines that the scheduler leaves without an operation, because results of lines before are not there yet.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"

namespace gdr::isa {

/// What stands for the source of a line that waits.
inline constexpr std::string_view kWaits = "(waits)";

/// True of such a line among those of a section: it has the place of the line before, whose text is not its own. A
/// `nop` of the source has a place of its own.
[[nodiscard]] inline bool is_waiting(std::span<const ProgramLine> lines, std::size_t number) {
  if (number == 0 || lines[number].position != lines[number - 1].position) return false;
  const Effects effects = isa::effects(decoded(lines[number].word));
  return std::ranges::none_of(units(), [&](const UnitInfo& unit) { return effects.busy(unit.unit); });
}

}  // namespace gdr::isa
