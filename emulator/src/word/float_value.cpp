// Unpacking and rounding of floating-point words.
#include "float_value.h"

#include <bit>

#include "gdr/base/error.h"

namespace gdr::emulator {
namespace {

int bit_length(uint128 value) {
  const auto upper = static_cast<std::uint64_t>(value >> 64);
  return upper != 0 ? 64 + static_cast<int>(std::bit_width(upper))
                    : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// value / 2^count, rounded to nearest, ties to even.
uint128 divide_by_power_of_two(uint128 value, int count) {
  const uint128 quotient = value >> count;
  const uint128 rest = value - (quotient << count);
  const uint128 half = uint128{1} << (count - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

/// Assembles a canonical result from its parts. The leading one of the significand becomes the hidden bit.
FpResult assemble(bool negative, int exponent_field, std::uint64_t significand, FpEvent event) {
  const uint128 fraction = significand & ((std::uint64_t{1} << kFractionBits) - 1);
  const uint128 bits =
      (uint128{negative} << (isa::kLongBits - 1)) | (static_cast<uint128>(exponent_field) << kFractionBits) | fraction;
  return {LongWord::from_bits(bits), negative, bits == 0, event};
}

}  // namespace

FloatValue value_of(LongWord word) {
  const uint128 bits = word.bits();
  const bool negative = (bits >> (isa::kLongBits - 1)) != 0;
  const int exponent_field = static_cast<int>((bits >> kFractionBits) & kInfinityExponent);
  const auto fraction = static_cast<std::uint64_t>(bits) & ((std::uint64_t{1} << kFractionBits) - 1);
  constexpr std::uint64_t kHiddenOne = std::uint64_t{1} << kFractionBits;

  const int exponent = exponent_field - kExponentBias - kFractionBits;
  if (exponent_field == 0) return {false, false, exponent, 0};
  if (exponent_field == kInfinityExponent) return {negative, true, exponent, kHiddenOne};
  return {negative, false, exponent, kHiddenOne | fraction};
}

FpResult rounded(const ExactValue& exact, int precision) {
  GDR_ASSERT(precision <= kSignificandBits, "a result has at most 61 significant bits");
  if (exact.significand == 0) return assemble(false, 0, 0, FpEvent::none);

  const int surplus = bit_length(exact.significand) - precision;
  uint128 significand = exact.significand;
  if (surplus > 0) {
    significand = divide_by_power_of_two(exact.significand, surplus) << (kSignificandBits - precision);
  } else {
    significand <<= kSignificandBits - precision - surplus;
  }
  int exponent = exact.exponent + surplus + precision - 1;  // of the leading one
  if ((significand >> kSignificandBits) != 0) {             // rounded up to the next power of two
    significand >>= 1;
    ++exponent;
  }

  const int exponent_field = exponent + kExponentBias;
  if (exponent_field < 1) return assemble(false, 0, 0, FpEvent::underflow);
  if (exponent_field >= kInfinityExponent) return assemble(exact.negative, kInfinityExponent, 0, FpEvent::overflow);
  return assemble(exact.negative, exponent_field, static_cast<std::uint64_t>(significand), FpEvent::none);
}

FpResult infinity(bool negative) { return assemble(negative, kInfinityExponent, 0, FpEvent::none); }

}  // namespace gdr::emulator
