#include "gdr/isa/loop_bound.h"

#include <algorithm>

namespace gdr::isa {
namespace {

/// Port clocks of a line's access to BM: one per word moved; all elements of a scalar read share its one word.
std::uint64_t port_clocks(const Line& line) {
  if (line.bm.mode == BmMode::none) return 0;
  return line.bm.vector || line.bm.mode == BmMode::write ? line.vlen : 1;
}

}  // namespace

std::uint64_t LoopBound::clocks() const { return std::max({line_clocks, idp_clocks, bm_clocks, odp_clocks}); }

std::string_view LoopBound::bound() const {
  const std::uint64_t all = clocks();
  if (line_clocks == all) return "lines";
  if (idp_clocks == all) return "idp";
  return bm_clocks == all ? "bm" : "odp";
}

LoopBound loop_bound(const Program& program, unsigned idp_clocks_per_word) {
  LoopBound bound;
  // Each block gets a record of its own through the one input port.
  bound.idp_clocks = std::uint64_t{kBlocks} * program.record_words * idp_clocks_per_word;
  bound.bm_clocks = program.record_words;
  const Visitor count{[&](const ProgramLine& line) {
                        ++bound.lines;
                        bound.line_clocks += kClocksPerLine;
                        bound.bm_clocks += port_clocks(decoded(line.word));
                      },
                      [](const TransferStep&) {},  // of the record, counted above
                      [&](const CollectStep& collect) {
                        bound.bm_clocks += collect.words();
                        bound.odp_clocks += std::uint64_t{kOdpClocksPerWord} * collect.words();
                      }};
  for (const Step& step : program.steps(Section::loop_body)) std::visit(count, step);
  return bound;
}

}  // namespace gdr::isa
