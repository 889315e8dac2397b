// Operations that are done again where their result would have to be kept for long.
#pragma once

#include <optional>

#include "microcode/microcode.h"

namespace gdr::compiler {

/// Sets flags again where they are read, so that `flags` flags are enough in the section's order. Nothing if more of
/// them are in use at once that cannot be set again.
[[nodiscard]] std::optional<Operations> flags_in_time(const Operations& section, unsigned flags);

/// Computes values of variables and numbers again for readers that come long after their first reader.
[[nodiscard]] Operations values_in_time(const Operations& section);

}  // namespace gdr::compiler
