// Counts with their nouns, for sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gdr::base {

/// `1 line`, `2 lines`: for nouns whose plural adds an s.
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace gdr::base
