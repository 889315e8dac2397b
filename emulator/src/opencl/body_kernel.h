// A loop body in OpenCL C: the functions that body_code makes, and a kernel that calls them to run turns of blocks, as
// loop_jit.cpp does on the host.
#pragma once

#include <string>

#include "line/decoded_program.h"
#include "loop/code/body_code.h"

namespace gdr::emulator::opencl {

/// What a kernel is made for.
struct DeviceShape {
  unsigned lanes = 1;  // PEs of a work-item: 1, 2, 4 or 8
  /// Most iterations of a PE side by side: 1, 2, 4 or 8. More than one only for one lane.
  unsigned ways = 1;
  std::size_t largest_group = 0;  // work-items
  std::size_t local_memory_bytes = 0;
};

/// The kernel `run_turns`. A work-group runs the turns of one block, jit::kTurns at a time, until all are done or both
/// forms of the body, quick and robust, refuse the next ones. With several ways it runs the turns of one of the block's
/// `parts`, and a kernel `land` writes the words of all parts to the state (split_kernel.h).
struct BodyKernel {
  std::string source;
  unsigned forms = 1;             // of the body in the source: 2 where the quick and the robust one differ
  unsigned items = 0;             // work-items of a work-group
  unsigned ways = 1;              // iterations of a PE side by side
  unsigned parts = 1;             // work-groups of a block
  std::size_t scratch_words = 0;  // scratch memory of a block, in words
  bool leaves_all = false;        // it can also run the last turn of a run
  std::string refusal;            // why there is no kernel
};

/// With one lane, each vector element has a work-item of its own where elements need nothing of one another
/// (body_parts.h). If there can be no kernel, only `refusal` is set.
[[nodiscard]] BodyKernel make_body_kernel(const jit::BodyGraph& graph, const DeviceShape& shape,
                                          const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
