// A section of a source for the search for few lines, and the lines of the plan that it finds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "free_values.h"
#include "gdr/assembler/assembler.h"

namespace gdr::assembler {

/// What runs around a section.
struct Surroundings {
  bool repeats = false;                            // its end runs before its begin
  std::vector<std::vector<const CodeLine*>> next;  // the first lines of each section that may run behind it
};

/// A plan of fewer than `limit` lines, if the search finds one.
[[nodiscard]] std::optional<Plan> find_plan(const FreeSection& section, const Surroundings& around,
                                            const ScheduleOptions& options, std::size_t limit);

/// Fills the accesses of a line that has none, said of the line's place and in its text.
void add_accesses(CodeLine& line);

/// The lines of a plan; one without operations says `nop`.
[[nodiscard]] std::vector<CodeLine> lines_of(const Plan& plan, const FreeSection& section);

}  // namespace gdr::assembler
