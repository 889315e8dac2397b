// Conversion of 64-bit values to and from bytes, least significant first, whatever the byte order of the host.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

inline constexpr std::size_t kWordBytes = 8;

inline void append_le(std::string& bytes, std::uint64_t value) {
  for (std::size_t k = 0; k < kWordBytes; ++k) bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * k)));
}
inline void append_le(std::string& bytes, std::int64_t value) { append_le(bytes, static_cast<std::uint64_t>(value)); }
inline void append_le(std::string& bytes, double value) { append_le(bytes, std::bit_cast<std::uint64_t>(value)); }
inline void append_le(std::string& bytes, const Vec3& value) {
  append_le(bytes, value.x);
  append_le(bytes, value.y);
  append_le(bytes, value.z);
}

/// The value in the first 8 of `bytes`, which must hold that many.
[[nodiscard]] inline std::uint64_t read_le(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = kWordBytes; k-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[k]);
  return value;
}

}  // namespace gdr::hostlib
