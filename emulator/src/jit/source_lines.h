// Where the instructions of a compiled body come from, as LLVM's metadata. Debuggers show it as function and line.
#pragma once

#include <cstdint>
#include <string>

#include "gdr/isa/program.h"
#include "loop/code/body_function.h"

namespace gdr::emulator::jit {

// Numbers of metadata in the text: for each function, and for each line of the body in each function.
[[nodiscard]] constexpr std::uint32_t function_number(BodyFunction function) {
  return static_cast<std::uint32_t>(function);
}
[[nodiscard]] constexpr std::uint32_t location_number(std::uint32_t line, BodyFunction function) {
  return kBodyFunctions * (1 + line) + function_number(function);
}

/// Returns the metadata that these numbers refer to, for the end of a text. A function's name is `body`, a colon and
/// what it computes.
[[nodiscard]] std::string source_lines(const isa::Program& program, const std::string& body);

}  // namespace gdr::emulator::jit
