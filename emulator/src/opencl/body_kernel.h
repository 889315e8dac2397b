// A loop body in OpenCL C: the functions that body_code makes, and a kernel that calls them to run turns of blocks, as
// loop_jit.cpp does on the host.
#pragma once

#include <string>

#include "decoded_program.h"
#include "jit/body_code.h"

namespace gdr::emulator::opencl {

struct BodyKernel {
  std::string source;
  unsigned lanes = 1;             // PEs or turns of a work-item
  std::size_t scratch_words = 0;  // scratch memory of a work-group, in words
  bool leaves_all = false;        // this kernel can also run the last turn of a run
  std::string refusal;            // why there is no kernel
};

/// `lanes`: 1, 2, 4 or 8.
[[nodiscard]] BodyKernel make_body_kernel(const jit::BodyGraph& graph, jit::Rounding rounding, unsigned lanes,
                                          const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
