// How late bundles can begin, from a schedule that is made from its end on.
#pragma once

#include <vector>

#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

struct LateLines {
  int lines = 0;           // length of the schedule
  std::vector<int> first;  // first line of each bundle
};

/// Makes a list schedule from the last line to the first. Only dependences and units count, not places of values or
/// ports, so that a value is made shortly before it is read. The dependences must not form a cycle.
[[nodiscard]] LateLines late_lines(const SearchGraph& graph);

}  // namespace gdr::assembler
