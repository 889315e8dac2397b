// Finds whether the operations of a loop body would fit into fewer lines, if only their order were another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "flow/dependences.h"
#include "gdr/assembler/analysis.h"

namespace gdr::assembler {

/// A unit, or ports of one kind, with the operations that take it in their lines. Of those that read, no two share a
/// read.
struct NamedResource {
  std::string_view name;
  std::vector<std::size_t> users;
  unsigned each = 1;  // operations that one line has room for
};

/// Fills Analysis::no_room of `analysis`, whose other limits must be known.
void find_room(const SectionGraph& graph, const std::vector<NamedResource>& resources, Analysis& analysis);

}  // namespace gdr::assembler
