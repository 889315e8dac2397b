// Words to MPFR's numbers and back. The significand of 61 bits and the result's 61 or 25 fit one limb of 64.
#include "mpfr_oracle.h"

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <string>

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

/// Correctly rounded by MPFR.
struct Row {
  isa::Op op;
  int dropped;  // low bits that the unit's ports do not see
  void (*form)(mpfr_t result, mpfr_t a, mpfr_t b);
};

constexpr int kPortDrops = 11;  // a port of the multiplier takes 50 bits
void multiply(mpfr_t result, mpfr_t a, mpfr_t b) { mpfr_mul(result, a, b, MPFR_RNDN); }

constexpr Row kRows[] = {
    {isa::Op::FADD, 0, [](mpfr_t result, mpfr_t a, mpfr_t b) { mpfr_add(result, a, b, MPFR_RNDN); }},
    {isa::Op::FSUB, 0, [](mpfr_t result, mpfr_t a, mpfr_t b) { mpfr_sub(result, a, b, MPFR_RNDN); }},
    {isa::Op::FPASSA, 0, [](mpfr_t result, mpfr_t a, mpfr_t) { mpfr_set(result, a, MPFR_RNDN); }},
    {isa::Op::FMAX, 0, [](mpfr_t result, mpfr_t a, mpfr_t b) { mpfr_max(result, a, b, MPFR_RNDN); }},
    {isa::Op::FMIN, 0, [](mpfr_t result, mpfr_t a, mpfr_t b) { mpfr_min(result, a, b, MPFR_RNDN); }},
    {isa::Op::FMUL, kPortDrops, multiply},
    {isa::Op::FMULL, kPortDrops, multiply},
};

const Row& row_of(isa::Op op) {
  const auto row = std::ranges::find(kRows, op, &Row::op);
  if (row == std::end(kRows)) {
    throw std::logic_error("the MPFR oracle has no row for " + std::string(isa::info_of(op).mnemonic));
  }
  return *row;
}

MpfrAnswer infinity(bool negative, WideEvent event) { return {word_of(negative, 2047, 0), negative, false, event}; }

}  // namespace

MpfrOracle::MpfrOracle(int precision) {
  mpfr_inits2(kSignificandBits, a_, b_, nullptr);
  mpfr_init2(result_, precision);
}

MpfrOracle::~MpfrOracle() { mpfr_clears(a_, b_, result_, nullptr); }

MpfrAnswer MpfrOracle::answer(isa::Op op, LongWord a, LongWord b) {
  const Row& row = row_of(op);
  set(a_, a, row.dropped);
  if (isa::info_of(op).sources == 2) set(b_, b, row.dropped);
  row.form(result_, a_, b_);

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
