// Where the instructions of a compiled body come from, as LLVM's metadata: what a debugger shows as function and line.
#pragma once

#include <cstdint>
#include <string>

#include "body_function.h"
#include "gdr/isa/program.h"

namespace gdr::emulator::jit {

// Numbers of metadata in the text: of each function, and of each line of the body in it.
[[nodiscard]] constexpr std::uint32_t function_number(BodyFunction function) {
  return static_cast<std::uint32_t>(function);
}
[[nodiscard]] constexpr std::uint32_t location_number(std::uint32_t line, BodyFunction function) {
  return kBodyFunctions * (1 + line) + function_number(function);
}

/// The metadata behind these numbers, for the end of a text. `body` names the functions: `body`, a colon and what each
/// of them computes.
[[nodiscard]] std::string source_lines(const isa::Program& program, const std::string& body);

}  // namespace gdr::emulator::jit
