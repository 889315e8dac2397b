// The functions in a body's text, and their names for users.
#pragma once

#include <cstdint>

namespace gdr::emulator::jit {

enum class BodyFunction : std::uint8_t { turns, last_turns, uniform };
inline constexpr std::uint32_t kBodyFunctions = 3;

/// Returns what the function computes, in words.
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
