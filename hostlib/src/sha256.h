// SHA-256 of a run of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace gdr::hostlib {

inline constexpr std::size_t kSha256Bytes = 32;
using Sha256Digest = std::array<unsigned char, kSha256Bytes>;

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);

/// 64 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Sha256Digest& digest);

}  // namespace gdr::hostlib
