// A look into chosen PEs at one execution of one source line.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "gdr/debugger/debugger.h"

namespace gdr::cli {

/// Chips, blocks and PEs named by text such as `pe:3,17` or `chip:0,1,block:2,pe:3`; chip and block 0 if not named.
struct DumpSelection {
  std::set<unsigned> chips;
  std::set<unsigned> blocks;
  std::set<unsigned> pes;
};

/// Throws UsageError naming the part that is wrong and its range.
[[nodiscard]] DumpSelection parse_dump(const std::string& text, unsigned chips);

/// Writes variables, registers, parameters, T and flags of the selected PEs as they stand before the `at`-th execution
/// (from 1) of a source line; within a repeat or a macro it stands for several lines of code, whose executions all
/// count. Throws UsageError for a place without code, and gdr::Error if no selected chip executes it so often. Nothing
/// is written for what a fault comes before.
void print_at_line(debugger::Debugger& debugger, const std::string& place, const DumpSelection& selection,
                   std::uint64_t at, std::FILE* out);

}  // namespace gdr::cli
