// How large a source may be.
#pragma once

#include <cstddef>

namespace gdr::assembler {

inline constexpr std::size_t kMostSourceBytes = std::size_t{16} << 20;

}  // namespace gdr::assembler
