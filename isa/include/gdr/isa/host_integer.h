// The integers of the host that a variable or parameter takes, where they are narrower than the 64 bits that travel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::isa {

/// A signed or unsigned integer of 1 to 63 bits, or the signed one of 64, which is every number that travels. The C++
/// type of a member is one: short has 16 bits, bool one without a sign.
struct HostInteger {
  std::uint8_t bits = 64;
  bool is_signed = true;

  [[nodiscard]] bool is_any() const { return bits == 64; }
  [[nodiscard]] std::int64_t least() const { return is_signed ? -most() - 1 : 0; }
  [[nodiscard]] std::int64_t most() const {
    return static_cast<std::int64_t>((std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  }
  friend bool operator==(const HostInteger&, const HostInteger&) = default;
};

/// `int16`, `uint1`.
[[nodiscard]] std::string name_of(const HostInteger& integer);
/// `int1` to `int63`, `uint1` to `uint63`; nothing for any other text.
[[nodiscard]] std::optional<HostInteger> host_integer_named(std::string_view name);
/// What host_integer_named() takes, for messages.
inline constexpr std::string_view kHostIntegerNames = "int1 to int63, uint1 to uint63";

}  // namespace gdr::isa
