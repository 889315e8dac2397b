// Checks of what callers of libg6 and libg5 pass.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "gdr/base/error.h"

namespace gdr::grape {

/// Throws gdr::Error naming the argument for a value below 0.
[[nodiscard]] inline std::size_t count_of(const char* name, int value) {
  if (value < 0) throw Error(fmt::format("{} = {} is refused: it must be at least 0", name, value));
  return static_cast<std::size_t>(value);
}

/// Throws gdr::Error saying `what` is a null pointer if one of the arrays is.
inline void require_array(std::initializer_list<const void*> arrays, const char* what) {
  if (std::ranges::find(arrays, nullptr) != arrays.end()) throw Error(fmt::format("{} is a null pointer", what));
}

}  // namespace gdr::grape
