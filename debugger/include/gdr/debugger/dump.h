// The state of chosen PEs at one execution of a source line, as text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// Chips, blocks and PEs selected by text such as `pe:3,17` or `chip:0,1,block:2,pe:3`; chip and block are 0 if not
/// given.
struct DumpSelection {
  std::set<unsigned> chips;
  std::set<unsigned> blocks;
  std::set<unsigned> pes;
};

/// Throws gdr::Error with the part that is wrong and its range.
[[nodiscard]] DumpSelection parse_dump(std::string_view text, unsigned chips);

/// Variables, registers, parameters, T and flags of the selected PEs just before the `at`-th execution (from 1) of
/// `lines`, which `place` stands for. Several lines of code come from one source line in a repeat or a macro; the
/// executions of all count. Throws gdr::Error if no selected chip executes them that often. If a fault happens before
/// that execution, the text has only what comes before it.
[[nodiscard]] std::string dump_at(Debugger& debugger, std::string_view place, const std::vector<CodeLine>& lines,
                                  const DumpSelection& selection, std::uint64_t at);

}  // namespace gdr::debugger
