// SHA-256, for object files, checkpoints and state hashes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gdr::base {

/// SHA-256 of the bytes as 64 hex digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
/// The same in base64: 44 characters, the last of them '='.
[[nodiscard]] std::string sha256_base64(std::span<const std::byte> bytes);

}  // namespace gdr::base
