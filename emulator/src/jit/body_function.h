// The functions that a body's text has, and what people are told of them.
#pragma once

#include <cstdint>

namespace gdr::emulator::jit {

enum class BodyFunction : std::uint8_t { turns, last_turns, uniform };
inline constexpr std::uint32_t kBodyFunctions = 3;

/// What it computes.
[[nodiscard]] constexpr const char* name_of(BodyFunction function) {
  switch (function) {
    case BodyFunction::turns:
      return "turns";
    case BodyFunction::last_turns:
      return "last turns";
    case BodyFunction::uniform:
      return "values equal in all PEs";
  }
  return "";
}

}  // namespace gdr::emulator::jit
