// Reads that several operations of a line share: one port reads the word once for all of them.
#pragma once

#include <array>
#include <vector>

#include "encode/code.h"
#include "flow/dependences.h"

namespace gdr::assembler {

/// The fewest reads through each kind of port in any order of the operations.
struct FewestReads {
  unsigned gpr = 0;
  unsigned lm = 0;
  unsigned immediate = 0;
  unsigned bm = 0;  // loads and stores included
};

/// Counts reads of one word once unless one of them must be on a later line than another. Without a graph nothing is
/// known about the order, and each word counts once.
[[nodiscard]] FewestReads fewest_reads(const std::vector<CodeLine>& body, const SectionGraph* graph);

}  // namespace gdr::assembler
