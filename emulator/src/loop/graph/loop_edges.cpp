#include "loop_edges.h"

#include <variant>
#include <vector>

#include "line/line_facts.h"

namespace gdr::emulator::jit {
namespace {

/// True if it makes no difference whether the writes that `last` leaves pending have landed when `next` runs after it.
/// Nothing may be collected in between.
bool may_land_early(const DecodedLine& last, const DecodedLine& next) {
  const simd::LineFacts writes = simd::facts_of(last.effects);
  const simd::LineFacts reads = simd::facts_of(next.effects);
  return !(reads.reads & writes.writes.whole_pairs()).any() && (reads.flags_read & writes.flags_written) == 0 &&
         !(last.effects.writes_bm() && next.effects.reads_bm());
}

}  // namespace

LoopEdges loop_edges(const DecodedProgram& program) {
  const auto lines = [&](isa::Section section) { return lines_of(program.steps(section)); };
  const std::vector<const DecodedLine*> before = lines(isa::Section::loop_initialization);
  const std::vector<const DecodedLine*> body = lines(isa::Section::loop_body);
  const std::vector<const DecodedLine*> after = lines(isa::Section::loop_termination);
  LoopEdges edges;
  edges.may_begin =
      before.empty() || (may_land_early(*before.back(), *body.front()) && !before.back()->effects.writes_bm());
  // Such a line would read what the last iteration but one left. A compiled iteration leaves only words that iterations
  // read.
  const bool collected_at_once =
      body.back()->effects.writes_bm() && !program.steps(isa::Section::loop_termination).empty() &&
      std::holds_alternative<isa::CollectStep>(program.steps(isa::Section::loop_termination).front());
  if ((!after.empty() && !may_land_early(*body.back(), *after.front())) || collected_at_once) {
    edges.refusal = "the first line behind the loop reads what the loop's last line writes";
  }
  return edges;
}

}  // namespace gdr::emulator::jit
