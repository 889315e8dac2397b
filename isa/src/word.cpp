// Hexadecimal forms of the two word formats.
#include "gdr/isa/word.h"

namespace gdr::isa {
namespace {

std::string hex_digits(uint128 bits, int count) {
  std::string text(static_cast<std::size_t>(count), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, bits >>= 4) {
    *digit = "0123456789abcdef"[static_cast<unsigned>(bits & 15)];
  }
  return text;
}

std::optional<uint128> hex_value(std::string_view text, std::size_t count) {
  if (text.size() != count) return std::nullopt;
  uint128 bits = 0;
  for (const char c : text) {
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return std::nullopt;
    }
    bits = (bits << 4) | static_cast<unsigned>(digit);
  }
  return bits;
}

}  // namespace

std::string to_hex(LongWord word) { return hex_digits(word.bits(), kLongBits / 4); }
std::string to_hex(ShortWord word) { return hex_digits(word.bits, kShortBits / 4); }

std::optional<LongWord> parse_long(std::string_view hex) {
  const auto bits = hex_value(hex, kLongBits / 4);
  return bits ? std::optional(LongWord::from_bits(*bits)) : std::nullopt;
}

std::optional<ShortWord> parse_short(std::string_view hex) {
  const auto bits = hex_value(hex, kShortBits / 4);
  return bits ? std::optional(ShortWord{static_cast<std::uint64_t>(*bits)}) : std::nullopt;
}

}  // namespace gdr::isa
