// What lies before and behind a loop whose body is a function of its own.
#pragma once

#include <string>

#include "decoded_program.h"

namespace gdr::emulator::jit {

struct LoopEdges {
  /// Writes that may be pending when the loop begins cannot be told from writes that have landed.
  bool may_begin = false;
  /// Why the body cannot be a function; empty: it can.
  std::string refusal;
};

/// Of a program whose loop body has lines.
[[nodiscard]] LoopEdges loop_edges(const DecodedProgram& program);

}  // namespace gdr::emulator::jit
