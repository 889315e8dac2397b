// Kernels that run iterations side by side: work-items compute the own parts of several iterations of a PE at once, and
// chains take the results in order (loop/plan/body_split.h). Each group of vector elements of a block has a work-group.
#pragma once

#include "body_kernel.h"
#include "loop/plan/body_split.h"

namespace gdr::emulator::opencl {

/// `parts`: the body's groups of elements, one if they are not apart. Takes as many work-items for a PE as fit into a
/// work-group, at most `shape.ways`. Returns a kernel with a refusal if not even two fit.
[[nodiscard]] BodyKernel make_split_kernel(const std::vector<jit::BodyGraph>& parts, const DeviceShape& shape,
                                           const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
