#include "gdr/debugger/number_parts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/conversion.h"

namespace gdr::debugger {

using isa::LongWord;
using isa::Width;

namespace {

constexpr unsigned kExponentMask = 2047;
constexpr int kBias = 1023;

LongWord canonical(LongWord word) { return emulator::fpassa(word, Width::long_word).value; }

NumberParts rounded_to_short(LongWord word) {
  const emulator::FpResult result = emulator::fpassa(word, Width::short_word);
  const LongWord whole = canonical(word);
  const std::string lost = result.event == emulator::FpEvent::overflow    ? "overflow"
                           : result.event == emulator::FpEvent::underflow ? "underflow"
                           : result.value == whole                        ? "exact"
                                                                          : "rounded";
  return {Width::short_word, result.value, lost};
}

std::string bits_of(const NumberParts& parts) {
  std::string bits;
  for (const char digit : parts.fraction()) {
    bits += fmt::format(" {:04b}", std::stoi(std::string(1, digit), nullptr, 16));
  }
  return fmt::format("{} {:011b}{}", parts.sign(), parts.exponent(), bits);
}

}  // namespace

std::string NumberParts::hex() const { return width == Width::long_word ? to_hex(word) : to_hex(word.upper()); }

unsigned NumberParts::sign() const { return static_cast<unsigned>(word.high >> 63); }

unsigned NumberParts::exponent() const { return static_cast<unsigned>(word.high >> 52) & kExponentMask; }

std::string NumberParts::fraction() const { return hex().substr(3); }

std::string_view NumberParts::kind() const {
  return exponent() == 0 ? "zero" : exponent() == kExponentMask ? "infinity" : "finite";
}

double NumberParts::value() const { return emulator::flt72to64(word).value; }

bool NumberParts::value_is_exact() const { return emulator::flt64to72(value()).value == canonical(word); }

std::array<NumberParts, 2> number_parts(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
  if (const auto word = isa::parse_long(digits)) {
    return {NumberParts{Width::long_word, *word, "exact"}, rounded_to_short(*word)};
  }
  if (const auto word = isa::parse_short(digits)) {
    return {NumberParts{Width::long_word, widen(*word), "exact"},
            NumberParts{Width::short_word, widen(*word), "exact"}};
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || std::isnan(value)) {
    throw Error(
        fmt::format("'{}' is refused: it must be a number in the range of a double, or a word of 18 "
                    "or 9 hex digits",
                    text));
  }
  const auto converted = emulator::flt64to72(value);
  const bool flushed = converted.event == emulator::ConversionEvent::underflow;
  return {NumberParts{Width::long_word, converted.value, flushed ? "underflow" : "exact"},
          rounded_to_short(converted.value)};
}

base::Json json_of(const NumberParts& parts) {
  const double value = parts.value();
  return {{"word", parts.hex()},
          {"sign", parts.sign()},
          {"exponent_field", parts.exponent()},
          {"fraction", parts.fraction()},
          {"class", parts.kind()},
          {"value", std::isfinite(value) ? base::Json(value) : base::Json(nullptr)},
          {"value_is_exact", parts.value_is_exact()},
          {"conversion", parts.lost}};
}

std::string text_of(const NumberParts& parts) {
  const bool finite = parts.kind() == "finite";
  std::string text = fmt::format("{:<6} {}\n", name_of(parts.width), parts.hex());
  text += fmt::format("  bits     {}\n", bits_of(parts));
  text += fmt::format("  sign     {} ({})\n", parts.sign(), parts.sign() == 0 ? "+" : "-");
  text += fmt::format("  exponent {}{}\n", parts.exponent(),
                      finite ? fmt::format(" (2^{})", static_cast<int>(parts.exponent()) - kBias) : "");
  text += fmt::format("  fraction {}\n", parts.fraction());
  text += fmt::format("  class    {}\n", parts.kind());
  text += fmt::format("  value    {:.17g}{}\n", parts.value(), parts.value_is_exact() ? "" : " (nearest double)");
  if (parts.lost != "exact") text += fmt::format("  note     {} in this width\n", parts.lost);
  return text;
}

}  // namespace gdr::debugger
