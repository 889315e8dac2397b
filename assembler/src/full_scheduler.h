// A search for few lines: list schedules one after the other, each from the priorities of the best one so far with a
// few of them changed. Everything is drawn from a seed and counted in steps, so that a plan depends on nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "placement.h"

namespace gdr::assembler {

/// What runs around a section.
struct Surroundings {
  bool repeats = false;                            // its end runs before its begin
  std::vector<std::vector<const CodeLine*>> next;  // the first lines of each section that may run behind it
};

struct Plan {
  std::size_t lines = 0;
  std::vector<PlacedOperation> operations;
  std::vector<PlacedValue> values;
  std::vector<unsigned> gpr;  // address of each value in registers, if it stands there
  std::vector<unsigned> lm;
};

/// A plan of fewer than `limit` lines, if the search finds one.
[[nodiscard]] std::optional<Plan> find_plan(const FreeSection& section, const Surroundings& around,
                                            const ScheduleOptions& options, std::size_t limit);

/// Fills the accesses of a line that has none, said of the line's place and in its text.
void add_accesses(CodeLine& line);

/// The lines of a plan; one without operations says `nop`.
[[nodiscard]] std::vector<CodeLine> lines_of(const Plan& plan, const FreeSection& section);

}  // namespace gdr::assembler
