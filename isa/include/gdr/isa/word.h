// The two word formats of the chip: long (72 bit) and short (36 bit).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::isa {

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

inline constexpr int kLongBits = 72;
inline constexpr int kShortBits = 36;
inline constexpr std::uint64_t kShortMask = (std::uint64_t{1} << kShortBits) - 1;

enum class Width : std::uint8_t { long_word, short_word };

/// "long" or "short".
[[nodiscard]] constexpr std::string_view name_of(Width width) { return width == Width::long_word ? "long" : "short"; }

/// Bits of a word of this width: 72 or 36.
[[nodiscard]] constexpr int bits_of(Width width) { return width == Width::long_word ? kLongBits : kShortBits; }

/// A short word: 36 bits, right-aligned; the upper 28 bits of `bits` are zero. As a floating-point number: 1 sign bit,
/// 11 exponent bits (bias 1023), 24 fraction bits, and a hidden one.
struct ShortWord {
  std::uint64_t bits = 0;
  friend constexpr auto operator<=>(const ShortWord&, const ShortWord&) = default;
};

/// A long word: 72 bits. As a floating-point number: 1 sign bit, 11 exponent bits (bias 1023), 60 fraction bits, and a
/// hidden one, so `high` alone is the number as an IEEE double, truncated.
struct LongWord {
  std::uint64_t high = 0;  // bits 71..8
  std::uint8_t low = 0;    // bits 7..0
  friend constexpr auto operator<=>(const LongWord&, const LongWord&) = default;

  [[nodiscard]] constexpr uint128 bits() const { return (uint128{high} << 8) | low; }
  /// The low 72 bits of `bits`.
  [[nodiscard]] static constexpr LongWord from_bits(uint128 bits) {
    return {static_cast<std::uint64_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
  }
  /// The upper half, which has the even address of the pair.
  [[nodiscard]] constexpr ShortWord upper() const { return {high >> 28}; }
  /// The lower half, which has the odd address of the pair.
  [[nodiscard]] constexpr ShortWord lower() const { return {((high << 8) | low) & kShortMask}; }
};

[[nodiscard]] constexpr LongWord join(ShortWord upper, ShortWord lower) {
  return LongWord::from_bits((uint128{upper.bits} << kShortBits) | lower.bits);
}

/// The short word as a long one: its bits in the upper half, zeros in the lower half. A floating-point number keeps its
/// value exactly.
[[nodiscard]] constexpr LongWord widen(ShortWord word) { return {word.bits << 28, 0}; }

/// 18 hex digits for a long word, 9 for a short one.
[[nodiscard]] std::string to_hex(LongWord word);
[[nodiscard]] std::string to_hex(ShortWord word);

/// Reads exactly 18 hex digits; returns nothing for other text.
[[nodiscard]] std::optional<LongWord> parse_long(std::string_view hex);
/// Reads exactly 9 hex digits; returns nothing for other text.
[[nodiscard]] std::optional<ShortWord> parse_short(std::string_view hex);

}  // namespace gdr::isa
