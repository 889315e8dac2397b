// Checks of arguments.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "gdr/base/error.h"

namespace gdr::emulator {

/// Throws gdr::Error, naming argument, value and allowed range, unless `holds` is true.
inline void require(bool holds, std::string_view argument, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  if (!holds) throw Error(fmt::format("{} = {} is refused: it must be {} to {}", argument, value, least, most));
}

}  // namespace gdr::emulator
