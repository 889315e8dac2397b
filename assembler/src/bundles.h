// Operations that keep their places to each other.
#pragma once

#include "dependences.h"
#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

/// Operations of a section that keep their places to each other, and what waits for what between them. Dependences
/// between bundles close no circle.
[[nodiscard]] BundleGraph bundles_of(const SectionGraph& graph);

}  // namespace gdr::assembler
