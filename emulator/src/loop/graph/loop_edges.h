// The lines before and after a loop whose body is a function of its own.
#pragma once

#include <string>

#include "line/decoded_program.h"

namespace gdr::emulator::jit {

struct LoopEdges {
  /// True if it makes no difference whether writes that are pending when the loop begins have already landed.
  bool may_begin = false;
  /// Why the body cannot be a function; empty if it can.
  std::string refusal;
};

/// Examines a program whose loop body has lines.
[[nodiscard]] LoopEdges loop_edges(const DecodedProgram& program);

}  // namespace gdr::emulator::jit
