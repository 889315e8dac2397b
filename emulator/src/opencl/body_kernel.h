// A loop body in OpenCL C: the functions that body_code makes, and the kernel around them that runs turns of blocks on
// them, as loop_jit.cpp does on the host.
#pragma once

#include <string>

#include "decoded_program.h"
#include "jit/body_code.h"

namespace gdr::emulator::opencl {

struct BodyKernel {
  std::string source;
  unsigned lanes = 1;             // of a work-item
  std::size_t scratch_words = 0;  // of a work-group
  bool leaves_all = false;        // the last turn of a run may be run here, too
  std::string refusal;            // why there is none
};

/// `lanes`: 1, 2, 4 or 8.
[[nodiscard]] BodyKernel make_body_kernel(const jit::BodyGraph& graph, jit::Rounding rounding, unsigned lanes,
                                          const DecodedProgram& program);

}  // namespace gdr::emulator::opencl
