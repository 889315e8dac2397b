// Conversions between host numbers and machine words.
#include "gdr/emulator/conversion.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "float_value.h"
#include "gdr/base/error.h"

namespace gdr::emulator {
namespace {

constexpr std::int64_t kShortMax = (std::int64_t{1} << (isa::kShortBits - 1)) - 1;
constexpr std::int64_t kShortMin = -kShortMax - 1;

[[noreturn]] void refuse(std::string_view conversion, HostElement where, const std::string& value,
                         std::string_view allowed) {
  throw Error(std::string(conversion) + ": " + std::string(where.array) + "[" + std::to_string(where.index) + "] is " +
              value + "; allowed: " + std::string(allowed));
}

void refuse_nan(std::string_view conversion, double value, HostElement where) {
  if (std::isnan(value)) refuse(conversion, where, "NaN", "finite numbers and infinities");
}

ConversionEvent event_of(double value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? ConversionEvent::underflow : ConversionEvent::none;
}

/// A double is a long word whose low 8 bits are zero.
LongWord exact_word(double value) { return fpassa({std::bit_cast<std::uint64_t>(value), 0}, Width::long_word).value; }

std::int64_t sign_extended(ShortWord word) {
  constexpr int kUnused = 64 - isa::kShortBits;
  return static_cast<std::int64_t>(word.bits << kUnused) >> kUnused;
}

}  // namespace

ConversionEvents& ConversionEvents::operator+=(ConversionEvent event) {
  overflow += event == ConversionEvent::overflow ? 1 : 0;
  underflow += event == ConversionEvent::underflow ? 1 : 0;
  saturated += event == ConversionEvent::saturated ? 1 : 0;
  return *this;
}

ConversionEvents& ConversionEvents::operator+=(const ConversionEvents& other) {
  overflow += other.overflow;
  underflow += other.underflow;
  saturated += other.saturated;
  return *this;
}

Converted<LongWord> flt64to72(double value, HostElement where) {
  refuse_nan("flt64to72", value, where);
  return {exact_word(value), event_of(value)};
}

Converted<ShortWord> flt64to36(double value, HostElement where) {
  refuse_nan("flt64to36", value, where);
  const FpResult result = fpassa(exact_word(value), Width::short_word);
  const auto event = result.event == FpEvent::overflow ? ConversionEvent::overflow : event_of(value);
  return {result.value.upper(), event};
}

Converted<LongWord> fix64to72(std::int64_t value, HostElement /*where*/) {
  return {LongWord::from_bits(static_cast<uint128>(static_cast<isa::int128>(value)))};
}

Converted<ShortWord> fix64to36(std::int64_t value, HostElement where) {
  if (value < kShortMin || value > kShortMax) {
    refuse("fix64to36", where, std::to_string(value), "-34359738368 to 34359738367 (36 bits)");
  }
  return {ShortWord{static_cast<std::uint64_t>(value) & isa::kShortMask}};
}

Converted<LongWord> raw64to72(std::uint64_t value, HostElement /*where*/) { return {LongWord::from_bits(value)}; }

Converted<ShortWord> raw64to36(std::uint64_t value, HostElement where) {
  if (value > isa::kShortMask) refuse("raw64to36", where, std::to_string(value), "0 to 68719476735 (36 bits)");
  return {ShortWord{value}};
}

Converted<double> flt72to64(LongWord word, HostElement /*where*/) {
  const FloatValue value = value_of(word);
  if (value.infinite) return {std::bit_cast<double>(infinity(value.negative).value.high)};
  const FpResult result = rounded({value.negative, value.exponent, value.significand}, kDoubleSignificandBits);
  const auto event = result.event == FpEvent::overflow ? ConversionEvent::overflow : ConversionEvent::none;
  return {std::bit_cast<double>(result.value.high), event};
}

Converted<double> flt36to64(ShortWord word, HostElement where) { return flt72to64(isa::widen(word), where); }

Converted<std::int64_t> fix72to64(LongWord word, HostElement /*where*/) {
  // The value fits if the top 9 bits, from the sign of the long word to the sign of the host's word, are equal.
  const auto top = static_cast<unsigned>(word.high >> 55);
  if (top == 0 || top == 0x1ff) return {static_cast<std::int64_t>((word.high << 8) | word.low)};
  using Limits = std::numeric_limits<std::int64_t>;
  return {(word.high >> 63) != 0 ? Limits::min() : Limits::max(), ConversionEvent::saturated};
}

Converted<std::int64_t> fix36to64(ShortWord word, HostElement /*where*/) { return {sign_extended(word)}; }

Converted<std::uint64_t> raw72to64(LongWord word, HostElement /*where*/) { return {(word.high << 8) | word.low}; }

Converted<std::uint64_t> raw36to64(ShortWord word, HostElement /*where*/) { return {word.bits}; }

}  // namespace gdr::emulator
