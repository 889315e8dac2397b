// Floating-point adder and multiplier.
#include "gdr/emulator/arithmetic.h"

#include <utility>

#include "float_value.h"
#include "gdr/base/error.h"
#include "widths.h"

namespace gdr::emulator {
namespace {

// Significant bits of the multiplier's wide port; the narrow one takes 25, a short word [Koike et al. 2009,
// section 2.2].
constexpr int kPortBits = 50;

// The definition here shares no number with the forms of the other engines, which take theirs from widths.h.
static_assert(widths::kPort == kPortBits && widths::kShort == kShortSignificandBits);
static_assert(widths::kLong == kSignificandBits && widths::kBias == kExponentBias);
static_assert(widths::kHigh + widths::kLow == isa::kLongBits && widths::kShort + widths::kExponent == isa::kShortBits);

// Bits kept below the larger operand of a sum. A smaller operand is therefore exact unless it lies wholly below the
// last bit of the larger one; then one sticky bit leads to the same rounding as all of its bits.
constexpr int kGuardBits = 64;

FpResult invalid() {
  FpResult result = infinity(false);
  result.event = FpEvent::invalid;
  return result;
}

bool magnitude_less(const FloatValue& a, const FloatValue& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

bool less(const FloatValue& a, const FloatValue& b) {
  if (a.negative != b.negative) return a.negative;
  return a.negative ? magnitude_less(b, a) : magnitude_less(a, b);
}

uint128 shift_right_sticky(uint128 value, int count) {
  if (count >= 128) return value != 0 ? 1 : 0;
  const uint128 quotient = value >> count;
  return quotient | ((quotient << count) != value ? 1 : 0);
}

ExactValue exact_sum(FloatValue larger, FloatValue smaller) {
  if (magnitude_less(larger, smaller)) std::swap(larger, smaller);
  const uint128 large = uint128{larger.significand} << kGuardBits;
  const uint128 small =
      shift_right_sticky(uint128{smaller.significand} << kGuardBits, larger.exponent - smaller.exponent);
  const bool subtract = larger.negative != smaller.negative;
  return {larger.negative, larger.exponent - kGuardBits, subtract ? large - small : large + small};
}

/// The part of an operand that a multiplier port takes: the top bits of its significand; the rest is cut off.
FloatValue at_port(LongWord word, int bits) {
  FloatValue value = value_of(word);
  value.significand >>= kSignificandBits - bits;
  value.exponent += kSignificandBits - bits;
  return value;
}

FpResult product(const FloatValue& a, const FloatValue& b, Width destination) {
  const bool negative = a.negative != b.negative;
  if (a.infinite || b.infinite) {
    return a.significand == 0 || b.significand == 0 ? invalid() : infinity(negative);
  }
  return rounded({negative, a.exponent + b.exponent, uint128{a.significand} * b.significand},
                 precision_of(destination));
}

}  // namespace

FpEvents& FpEvents::operator+=(FpEvent event) {
  invalid += event == FpEvent::invalid ? 1 : 0;
  overflow += event == FpEvent::overflow ? 1 : 0;
  underflow += event == FpEvent::underflow ? 1 : 0;
  return *this;
}

FpEvents& FpEvents::operator+=(const FpEvents& other) {
  invalid += other.invalid;
  overflow += other.overflow;
  underflow += other.underflow;
  return *this;
}

LongWord negate(LongWord a) { return {a.high ^ (std::uint64_t{1} << 63), a.low}; }

FpResult fadd(LongWord a, LongWord b, Width destination) {
  const FloatValue x = value_of(a);
  const FloatValue y = value_of(b);
  if (x.infinite && y.infinite && x.negative != y.negative) return invalid();
  if (x.infinite) return infinity(x.negative);
  if (y.infinite) return infinity(y.negative);
  return rounded(exact_sum(x, y), precision_of(destination));
}

FpResult fsub(LongWord a, LongWord b, Width destination) { return fadd(a, negate(b), destination); }

FpResult fpassa(LongWord a, Width destination) {
  const FloatValue x = value_of(a);
  if (x.infinite) return infinity(x.negative);
  return rounded({x.negative, x.exponent, x.significand}, precision_of(destination));
}

FpResult fmax(LongWord a, LongWord b, Width destination) {
  return fpassa(less(value_of(a), value_of(b)) ? b : a, destination);
}

FpResult fmin(LongWord a, LongWord b, Width destination) {
  return fpassa(less(value_of(b), value_of(a)) ? b : a, destination);
}

FpResult fmul(LongWord a, LongWord b, Width destination) {
  GDR_ASSERT(b.lower().bits == 0, "the second operand of fmul is a short word");
  return product(at_port(a, kPortBits), at_port(b, kShortSignificandBits), destination);
}

FpResult fmul2(LongWord a, LongWord b, Width destination) {
  return product(at_port(a, kPortBits), at_port(b, kPortBits), destination);
}

}  // namespace gdr::emulator
