// Bytes that were packed by deflate [RFC 1951], in the three wrappings that files have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::hostlib {

/// What stands around the packed bytes: nothing (members of zip archives), zlib's head and checksum [RFC 1950]
/// (chunks of HDF5), or those of gzip [RFC 1952].
enum class Wrapping { none, zlib, gzip };

/// Upper bound on the bytes that deflate can make of `packed` bytes: a symbol of 258 bytes takes at least two bits.
[[nodiscard]] constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t kMostExpansion = 1032;
  return packed <= UINT64_MAX / kMostExpansion ? packed * kMostExpansion : UINT64_MAX;
}

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// The unpacked bytes, `size` of them if it is known. gzip may have several parts, one behind the other. Throws
/// gdr::Error, beginning with `where`, for packed bytes that are damaged or cut off, if bytes follow, and if there are
/// other than `size`. It takes no memory for a `size` that the packed bytes cannot have.
[[nodiscard]] std::string unpacked(std::string_view packed, Wrapping wrapping, std::optional<std::uint64_t> size,
                                   const std::string& where);

}  // namespace gdr::hostlib
