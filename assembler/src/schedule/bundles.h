// Groups operations that must stay at fixed distances from each other.
#pragma once

#include "flow/dependences.h"
#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

/// The bundles of a section and the dependences between them, which form no cycle.
[[nodiscard]] BundleGraph bundles_of(const SectionGraph& graph);

}  // namespace gdr::assembler
