// Names of the ways in which a board's host sends data.
#pragma once

#include <string_view>

#include "gdr/emulator/machine.h"

namespace gdr::emulator {

/// "2009" or "ideal", as in command lines and reports.
[[nodiscard]] constexpr std::string_view name_of(TransferMode mode) {
  return mode == TransferMode::ideal ? "ideal" : "2009";
}

}  // namespace gdr::emulator
