// The definition of docs/machine/arithmetic.md for words of any widths, in integers of 128 bits. It shares nothing with
// the engines.
#pragma once

#include <bit>
#include <cstdint>

#include "counts.h"
#include "word/widths.h"

namespace gdr::proof {

__extension__ typedef unsigned __int128 uint128;
namespace widths = emulator::widths;

enum class Event : unsigned char { none = 0, invalid = 1, overflow = 2, underflow = 4 };

struct Result {
  Word word;
  Event event = Event::none;
};

inline constexpr int kTopField = static_cast<int>(widths::kInfinite);
inline constexpr int kFieldBias = static_cast<int>(widths::kBias);
inline constexpr int kLongFraction = widths::kLong - 1;

/// A number (-1)^negative significand 2^(field - bias - kLongFraction). Zero has the field 0, infinity kTopField.
struct Operand {
  bool negative;
  int field;
  std::uint64_t significand;

  [[nodiscard]] bool is_infinite() const { return field == kTopField; }
  [[nodiscard]] bool is_zero() const { return field == 0; }
};

inline Operand value_of(Word w) {
  const int field = static_cast<int>((w.high >> widths::kFraction) & widths::kInfinite);
  if (field == 0) return {false, 0, 0};
  const bool negative = (w.high >> (widths::kHigh - 1)) != 0;
  if (field == kTopField) return {negative, field, widths::bit(kLongFraction)};
  const std::uint64_t fraction = ((w.high & widths::ones(widths::kFraction)) << widths::kLow) | w.low;
  return {negative, field, fraction | widths::bit(kLongFraction)};
}

inline std::uint64_t sign_bit(bool negative) { return std::uint64_t{negative} << (widths::kHigh - 1); }
inline Word infinity(bool negative) { return {sign_bit(negative) | (widths::kInfinite << widths::kFraction), 0}; }

/// (-1)^negative m 2^exponent, rounded to `precision` bits. m is exact, or it has many more bits than the precision and
/// its lowest bit is sticky.
inline Result rounded(bool negative, uint128 m, int exponent, int precision) {
  if (m == 0) return {{0, 0}};
  const auto upper = static_cast<std::uint64_t>(m >> 64);
  const int length = upper != 0 ? 64 + static_cast<int>(std::bit_width(upper))
                                : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m)));
  int surplus = length - precision;
  uint128 quotient = m;
  if (surplus > 0) {
    quotient = m >> surplus;
    const uint128 rest = m - (quotient << surplus);
    const uint128 half = uint128{1} << (surplus - 1);
    if (rest > half || (rest == half && (quotient & 1) != 0)) ++quotient;
    if ((quotient >> precision) != 0) {
      quotient >>= 1;
      ++surplus;
    }
  } else {
    quotient <<= -surplus;
  }
  const int field = exponent + surplus + precision - 1 + kFieldBias;
  if (field < 1) return {{0, 0}, Event::underflow};
  if (field >= kTopField) return {infinity(negative), Event::overflow};
  const std::uint64_t fraction =
      (static_cast<std::uint64_t>(quotient) << (widths::kLong - precision)) & widths::ones(kLongFraction);
  return {{sign_bit(negative) | (std::uint64_t(field) << widths::kFraction) | (fraction >> widths::kLow),
           fraction & widths::ones(widths::kLow)}};
}

inline Result sum(Operand a, Operand b, int precision) {
  if (a.is_infinite() && b.is_infinite() && a.negative != b.negative) return {infinity(false), Event::invalid};
  if (a.is_infinite()) return {infinity(a.negative)};
  if (b.is_infinite()) return {infinity(b.negative)};
  if (a.field < b.field || (a.field == b.field && a.significand < b.significand)) {
    const Operand larger = b;
    b = a;
    a = larger;
  }
  if (a.is_zero()) return {{0, 0}};
  constexpr int kRoom = 127 - widths::kLong - 1;  // below a significand, with a bit for a carry
  const int distance = b.is_zero() ? 0 : a.field - b.field;
  const int exponent = a.field - kFieldBias - kLongFraction;
  const bool same = a.negative == b.negative;
  if (distance > kRoom - 2) {
    const uint128 large = uint128{a.significand} << kRoom;
    return rounded(a.negative, same ? large + 1 : large - 1, exponent - kRoom, precision);
  }
  const uint128 large = uint128{a.significand} << distance;
  return rounded(a.negative, same ? large + b.significand : large - b.significand, exponent - distance, precision);
}

/// The ports of the multiplier cut both significands.
inline Result product(Operand a, Operand b, int precision) {
  const bool negative = a.negative != b.negative;
  if (a.is_infinite() || b.is_infinite()) {
    if (a.is_zero() || b.is_zero()) return {infinity(false), Event::invalid};
    return {infinity(negative)};
  }
  constexpr int kCut = widths::kLong - widths::kPort;
  const uint128 m = uint128{a.significand >> kCut} * (b.significand >> kCut);
  return rounded(negative, m, a.field + b.field - 2 * kFieldBias - 2 * (widths::kPort - 1), precision);
}

inline Result pass(Operand a, int precision) {
  if (a.is_infinite()) return {infinity(a.negative)};
  return rounded(a.negative, a.significand, a.field - kFieldBias - kLongFraction, precision);
}

inline bool is_less(Operand a, Operand b) {
  if (a.negative != b.negative) return a.negative;
  const bool smaller = a.field != b.field ? a.field < b.field : a.significand < b.significand;
  const bool equal = a.field == b.field && a.significand == b.significand;
  return !equal && smaller != a.negative;
}
inline Result larger(Operand a, Operand b, int precision) { return pass(is_less(a, b) ? b : a, precision); }
inline Result smaller(Operand a, Operand b, int precision) { return pass(is_less(b, a) ? b : a, precision); }

}  // namespace gdr::proof
