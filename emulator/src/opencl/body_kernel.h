// A loop body in OpenCL C: the functions that body_code makes, and a kernel that calls them to run turns of blocks, as
// loop_jit.cpp does on the host.
#pragma once

#include <string>

#include "line/decoded_program.h"
#include "loop/body_code.h"

namespace gdr::emulator::opencl {

/// The kernel `run_turns`. A work-group runs the turns of one block, jit::kTurns at a time, until all are done or both
/// forms of the body, quick and robust, refuse the next ones.
struct BodyKernel {
  std::string source;
  unsigned forms = 1;             // of the body in the source: 2 where the quick and the robust one differ
  unsigned items = 0;             // work-items of a work-group
  std::size_t scratch_words = 0;  // scratch memory of a work-group, in words
  bool leaves_all = false;        // it can also run the last turn of a run
  std::string refusal;            // why there is no kernel
};

/// `lanes`: PEs of a work-item: 1, 2, 4 or 8. With 1, each vector element has a work-item of its own where elements
/// need nothing of one another (body_parts.h). If there can be no kernel, only `refusal` is set.
[[nodiscard]] BodyKernel make_body_kernel(const jit::BodyGraph& graph, unsigned lanes, const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
