// Words to MPFR's numbers and back. The significand of 61 bits and the result's 61 or 25 fit one limb of 64.
#include "mpfr_oracle.h"

#include <climits>

namespace gdr::tests {
namespace {

using isa::LongWord;

static_assert(sizeof(unsigned long) * CHAR_BIT == 64 && GMP_NUMB_BITS == 64);

constexpr int kSignificandBits = 61;
constexpr int kBias = 1023;

/// `dropped` low bits of the significand are not seen.
void set(mpfr_t to, LongWord word, int dropped) {
  const auto field = static_cast<int>((word.high >> 52) & 2047);
  const int sign = (word.high >> 63) != 0 ? -1 : 1;
  if (field == 0) {
    mpfr_set_zero(to, 1);
  } else if (field == 2047) {
    mpfr_set_inf(to, sign);
  } else {
    const std::uint64_t whole = (std::uint64_t{1} << 60) | ((word.high << 8) & 0x0fff'ffff'ffff'ff00) | word.low;
    mpfr_set_ui_2exp(to, whole >> dropped << dropped, field - kBias - (kSignificandBits - 1), MPFR_RNDN);
    if (sign < 0) mpfr_neg(to, to, MPFR_RNDN);
  }
}

LongWord word_of(bool negative, std::uint64_t field, std::uint64_t fraction) {
  const std::uint64_t sign = negative ? 1 : 0;
  return {(sign << 63) | (field << 52) | (fraction >> 8), static_cast<std::uint8_t>(fraction)};
}

MpfrAnswer infinity(bool negative, WideEvent event) { return {word_of(negative, 2047, 0), negative, false, event}; }

}  // namespace

MpfrOracle::MpfrOracle(int precision) {
  mpfr_inits2(kSignificandBits, a_, b_, nullptr);
  mpfr_init2(result_, precision);
}

MpfrOracle::~MpfrOracle() { mpfr_clears(a_, b_, result_, nullptr); }

MpfrAnswer MpfrOracle::answer(FpOperation operation, LongWord a, LongWord b) {
  const bool product = operation == FpOperation::fmul || operation == FpOperation::fmul2;
  const int dropped = product ? 11 : 0;  // a port of the multiplier takes 50 bits
  set(a_, a, dropped);
  if (operation != FpOperation::fpassa) set(b_, b, dropped);
  switch (operation) {
    case FpOperation::fadd:
      mpfr_add(result_, a_, b_, MPFR_RNDN);
      break;
    case FpOperation::fsub:
      mpfr_sub(result_, a_, b_, MPFR_RNDN);
      break;
    case FpOperation::fpassa:
      mpfr_set(result_, a_, MPFR_RNDN);
      break;
    case FpOperation::fmax:
      mpfr_max(result_, a_, b_, MPFR_RNDN);
      break;
    case FpOperation::fmin:
      mpfr_min(result_, a_, b_, MPFR_RNDN);
      break;
    case FpOperation::fmul:
    case FpOperation::fmul2:
      mpfr_mul(result_, a_, b_, MPFR_RNDN);
      break;
  }

  const bool negative = mpfr_signbit(result_) != 0;
  if (mpfr_nan_p(result_) != 0) return infinity(false, WideEvent::invalid);
  if (mpfr_inf_p(result_) != 0) return infinity(negative, WideEvent::none);
  if (mpfr_zero_p(result_) != 0) return {{}, false, true, WideEvent::none};
  // MPFR's exponents end far beyond any that sums and products of words have; its significands lie in [1/2, 1).
  const long field = mpfr_get_exp(result_) - 1 + kBias;
  if (field > 2046) return infinity(negative, WideEvent::overflow);
  if (field < 1) return {{}, false, true, WideEvent::underflow};
  const std::uint64_t significand = *static_cast<const mp_limb_t*>(mpfr_custom_get_significand(result_));
  const std::uint64_t fraction = (significand >> (64 - kSignificandBits)) & ((std::uint64_t{1} << 60) - 1);
  return {word_of(negative, static_cast<std::uint64_t>(field), fraction), negative, false, WideEvent::none};
}

}  // namespace gdr::tests
