#include "gdr/debugger/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/emulator/conversion.h"

namespace gdr::debugger {
namespace {

constexpr isa::int128 whole_of(isa::LongWord word, isa::Width width, const NumberType& type) {
  const int bits = type.bits == 0 ? isa::bits_of(width) : std::min<int>(type.bits, isa::bits_of(width));
  const isa::uint128 all = width == isa::Width::long_word ? word.bits() : isa::uint128{word.upper().bits};
  const auto value = static_cast<isa::int128>(all & ((isa::uint128{1} << bits) - 1));
  if (type.is_unsigned) return value;
  const isa::int128 sign = isa::int128{1} << (bits - 1);
  return (value ^ sign) - sign;
}

std::string decimal(isa::int128 value) { return fmt::format("{}", value); }

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  if (name == "float") return Format::real;
  if (name == "int") return Format::integer;
  if (name == "hex") return Format::hex;
  return std::nullopt;
}

Value value_of(isa::LongWord word, isa::Width width, const NumberType& type) {
  Value value;
  value.integer = !type.floating;
  if (value.integer) {
    value.whole = whole_of(word, width, type);
  } else {
    value.real =
        width == isa::Width::long_word ? emulator::flt72to64(word).value : emulator::flt36to64(word.upper()).value;
  }
  return value;
}

Value value_of(isa::LongWord word, isa::Width width, bool floating) {
  return value_of(word, width, NumberType{floating});
}

isa::LongWord word_of(const Value& value, isa::Width width, bool floating) {
  const bool is_long = width == isa::Width::long_word;
  if (floating) {
    const double number = value.number();
    if (std::isnan(number)) throw Error("nan is refused: the machine has no NaN, only numbers and infinities");
    return is_long ? emulator::flt64to72(number).value : isa::widen(emulator::flt64to36(number).value);
  }
  const double real = value.real;
  if (!value.integer && (real != std::floor(real) || std::abs(real) >= 0x1p62)) {
    throw Error(fmt::format("{} is refused: the word is an integer", real));
  }
  const isa::int128 whole = value.integer ? value.whole : static_cast<isa::int128>(real);
  const isa::int128 limit = isa::int128{1} << isa::bits_of(width);
  if (whole < -limit / 2 || whole >= limit) {
    throw Error(fmt::format("{} is refused: the word has {} bits", decimal(whole), isa::bits_of(width)));
  }
  const isa::uint128 bits = static_cast<isa::uint128>(whole) & (static_cast<isa::uint128>(limit) - 1);
  return is_long ? isa::LongWord::from_bits(bits) : isa::widen({static_cast<std::uint64_t>(bits)});
}

std::string text_of(isa::LongWord word, isa::Width width, const NumberType& type, Format format) {
  const bool is_long = width == isa::Width::long_word;
  if (format == Format::hex) return is_long ? isa::to_hex(word) : isa::to_hex(word.upper());
  if (format == Format::natural && !type.floating) return decimal(whole_of(word, width, type));
  if (format == Format::integer) return decimal(whole_of(word, width, NumberType{}));
  const double number = value_of(word, width, true).real;
  return is_long ? fmt::format("{}", number) : fmt::format("{:.9g}", number);
}

std::string text_of(isa::LongWord word, isa::Width width, bool floating, Format format) {
  return text_of(word, width, NumberType{floating}, format);
}

std::string text_of(const Value& value) { return value.integer ? decimal(value.whole) : fmt::format("{}", value.real); }

}  // namespace gdr::debugger
