#include "gdr/isa/loop_bound.h"

#include <algorithm>

#include "gdr/isa/effects.h"

namespace gdr::isa {
std::uint64_t LoopBound::clocks() const { return std::max({line_clocks, idp_clocks, bm_clocks, odp_clocks}); }

std::string_view LoopBound::bound() const {
  const std::uint64_t all = clocks();
  if (line_clocks == all) return "lines";
  if (idp_clocks == all) return "idp";
  return bm_clocks == all ? "bm" : "odp";
}

LoopBound loop_bound(const Program& program, unsigned idp_clocks_per_word) {
  LoopBound bound;
  // Each block gets a record of its own through the single input port.
  bound.idp_clocks = std::uint64_t{kBlocks} * program.record_words * idp_clocks_per_word;
  bound.bm_clocks = program.record_words;
  const Visitor count{[&](const ProgramLine& line) {
                        ++bound.lines;
                        bound.line_clocks += kClocksPerLine;
                        bound.bm_clocks += effects(decoded(line.word)).bm_clocks();
                      },
                      [](const TransferStep&) {},  // its record is counted above
                      [&](const CollectStep& collect) {
                        bound.bm_clocks += collect.words_out();
                        bound.odp_clocks += std::uint64_t{kOdpClocksPerWord} * collect.words_out();
                      }};
  for (const Step& step : program.steps(Section::loop_body)) std::visit(count, step);
  return bound;
}

}  // namespace gdr::isa
