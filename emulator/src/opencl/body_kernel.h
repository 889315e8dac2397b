// A loop body in OpenCL C: the functions that body_code makes, and a kernel that calls them to run turns of blocks, as
// loop_jit.cpp does on the host.
#pragma once

#include <string>

#include "decoded_program.h"
#include "jit/body_code.h"

namespace gdr::emulator::opencl {

/// The kernel `run_turns`: a work-group for each block. It runs turns until both forms of the body refuse some.
struct BodyKernel {
  std::string source;
  unsigned items = 0;             // work-items of a work-group
  std::size_t scratch_words = 0;  // scratch memory of a work-group, in words
  bool leaves_all = false;        // it can also run the last turn of a run
  std::string refusal;            // why there is no kernel
};

/// `lanes`: PEs of a work-item: 1, 2, 4 or 8. With one PE, work-items also share what is independent in the body.
[[nodiscard]] BodyKernel make_body_kernel(const jit::BodyGraph& graph, unsigned lanes, const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
