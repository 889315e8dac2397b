// Prepares a section of a source for the search for few lines, and makes lines from the plan that the search finds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "free_values.h"
#include "gdr/assembler/assembler.h"

namespace gdr::assembler {

/// What may run before and after a section.
struct Surroundings {
  bool repeats = false;                            // true for a loop: the section begins again after its end
  std::vector<std::vector<const CodeLine*>> next;  // for each section that may run after this one, its first lines
};

/// A plan of fewer than `limit` lines, if the search finds one.
[[nodiscard]] std::optional<Plan> find_plan(const FreeSection& section, const Surroundings& around,
                                            const ScheduleOptions& options, std::size_t limit);

/// Fills in the accesses of a line that has none yet; their place and text are those of the line.
void add_accesses(CodeLine& line);

/// The lines of a plan; a line without operations becomes `nop`.
[[nodiscard]] std::vector<CodeLine> lines_of(const Plan& plan, const FreeSection& section);

}  // namespace gdr::assembler
