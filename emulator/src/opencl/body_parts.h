// The vector elements of a loop body as parts that need nothing of one another, each for a work-item of its own.
#pragma once

#include <vector>

#include "loop/graph/body_graph.h"

namespace gdr::emulator::opencl {

/// Divides a graph of all elements into one for each element. Part n does on the words of element n what part 0 does on
/// those of element 0; values that are equal in all PEs are in all parts. Returns the graph alone where that is
/// impossible: elements need one another's words or do not do the same, or a PE stores to broadcast memory.
[[nodiscard]] std::vector<jit::BodyGraph> element_parts(const jit::BodyGraph& graph);

}  // namespace gdr::emulator::opencl
