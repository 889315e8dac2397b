// What the Debug Adapter Protocol says of a kernel's code: where breakpoints may stand, its lines as instructions, and
// what a console can complete.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// A line's address: `0x30002` is line 2 of the fourth section.
[[nodiscard]] std::string address_of(isa::Section section, std::size_t line);

/// `breakpointLocations`: the lines from `first` to `last` of a file that have code. Lines and columns in the answer
/// count from `lines_from`.
[[nodiscard]] nlohmann::json breakpoint_locations(const Debugger& debugger, std::string_view file, std::uint64_t first,
                                                  std::uint64_t last, int lines_from);

/// `disassemble`: `count` lines from the one at `address` on, moved by `offset` lines. All sections stand one behind
/// the other. Throws gdr::Error for what is no address.
[[nodiscard]] nlohmann::json disassembled(const Debugger& debugger, std::string_view address, std::int64_t offset,
                                          std::uint64_t count, int lines_from);

/// `completions`: commands at the begin of the text, and names that begin as the word before `column`, which counts
/// from 0.
[[nodiscard]] nlohmann::json completions(const Debugger& debugger, std::string_view text, std::size_t column,
                                         int columns_from);

}  // namespace gdr::debugger
