// Reads that several operations of a line share: one port reads the word once for all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "encode/code.h"
#include "flow/dependences.h"

namespace gdr::assembler {

/// Reads through ports of one kind.
struct SeparateReads {
  unsigned fewest = 0;               // in any order of the operations
  std::vector<std::size_t> readers;  // for each of these reads, its operation; without a graph empty
};

struct FewestReads {
  SeparateReads gpr;
  SeparateReads lm;
  SeparateReads immediate;
  unsigned bm = 0;  // loads and stores included
};

/// Counts reads of one word once unless they must be on different lines: because one of them must be on a later line
/// than another, or because one unit executes them. Without a graph each word counts once.
[[nodiscard]] FewestReads fewest_reads(const std::vector<CodeLine>& body, const SectionGraph* graph);

}  // namespace gdr::assembler
