// Prints the state of chosen PEs at one execution of a source line.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "gdr/debugger/debugger.h"

namespace gdr::cli {

/// Chips, blocks and PEs selected by text such as `pe:3,17` or `chip:0,1,block:2,pe:3`; chip and block are 0 if not
/// given.
struct DumpSelection {
  std::set<unsigned> chips;
  std::set<unsigned> blocks;
  std::set<unsigned> pes;
};

/// Throws UsageError with the part that is wrong and its range.
[[nodiscard]] DumpSelection parse_dump(const std::string& text, unsigned chips);

/// Writes variables, registers, parameters, T and flags of the selected PEs just before the `at`-th execution (from 1)
/// of a source line. In a repeat or a macro, the source line stands for several lines of code, whose executions all
/// count. Throws UsageError for a place without code, and gdr::Error if no selected chip executes it that often. If a
/// fault happens before that execution, it is not written.
void print_at_line(debugger::Debugger& debugger, const std::string& place, const DumpSelection& selection,
                   std::uint64_t at, std::FILE* out);

}  // namespace gdr::cli
