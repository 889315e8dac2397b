#include "gdr/base/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gdr::base {
namespace {

constexpr int kDigitBits = 32;
constexpr std::int64_t kDigit = std::int64_t{1} << kDigitBits;
constexpr int kLowestBit = -1074;  // of a double
/// A term changes a digit by less than 2^32, so that this many cannot overflow a word.
constexpr std::uint32_t kMostUnsettled = 1U << 30;

}  // namespace

void ExactSum::add(double term) {
  if (!std::isfinite(term)) {
    ++words_[kDigits + (std::isnan(term) ? 0 : term > 0 ? 1 : 2)];
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<unsigned>(bits >> 52 & 2047);
  const std::uint64_t fraction = (bits & 0xfffffffffffffU) | (exponent != 0 ? std::uint64_t{1} << 52 : 0);
  const unsigned shift = exponent != 0 ? exponent - 1 : 0;
  // Up to 53 + 31 bits, in three digits.
  const std::uint64_t low = (fraction & (kDigit - 1)) << shift % kDigitBits;
  const std::uint64_t high = (fraction >> kDigitBits << shift % kDigitBits) + (low >> kDigitBits);
  const std::int64_t sign = bits >> 63 != 0 ? -1 : 1;
  std::int64_t* const at = &words_[shift / kDigitBits];
  at[0] += sign * static_cast<std::int64_t>(low & (kDigit - 1));
  at[1] += sign * static_cast<std::int64_t>(high & (kDigit - 1));
  at[2] += sign * static_cast<std::int64_t>(high >> kDigitBits);
  if (++unsettled_ >= kMostUnsettled) settle();
}

void ExactSum::add(const ExactSum& other) {
  ExactSum settled = other;
  settled.settle();
  settle();
  for (std::size_t w = 0; w < kWords; ++w) words_[w] += settled.words_[w];
  settle();
}

void ExactSum::settle() {
  for (std::size_t d = 0; d + 1 < kDigits; ++d) {
    const std::int64_t carry = words_[d] >> kDigitBits;
    words_[d] -= carry * kDigit;
    words_[d + 1] += carry;
  }
  unsettled_ = 0;
}

std::span<const std::int64_t> ExactSum::words() {
  settle();
  return words_;
}

void ExactSum::take_words(std::span<const std::int64_t> words) {
  std::ranges::copy(words.first(kWords), words_.begin());
  settle();
}

double ExactSum::rounded(int bits, int lowest) const {
  const bool plus = words_[kDigits + 1] > 0;
  const bool minus = words_[kDigits + 2] > 0;
  if (words_[kDigits] > 0 || (plus && minus)) return std::numeric_limits<double>::quiet_NaN();
  if (plus || minus) return plus ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  ExactSum of = *this;
  of.settle();
  const bool negative = of.words_[kDigits - 1] < 0;
  if (negative) {
    for (std::size_t d = 0; d < kDigits; ++d) of.words_[d] = -of.words_[d];
    of.settle();
  }
  const auto bit = [&](int n) {
    return n >= 0 && (of.words_[static_cast<std::size_t>(n / kDigitBits)] >> n % kDigitBits & 1) != 0;
  };
  int top = static_cast<int>(kDigits) * kDigitBits - 1;
  while (top >= 0 && !bit(top)) --top;
  if (top < 0) return 0;
  const int last = std::max(top - bits + 1, lowest - kLowestBit);  // the lowest bit that stays
  std::uint64_t kept = 0;
  for (int n = top; n >= last; --n) kept = kept << 1 | (bit(n) ? 1 : 0);
  bool below = false;
  for (int n = std::min(last - 2, top); n >= 0 && !below; --n) below = bit(n);
  if (bit(last - 1) && (below || (kept & 1) != 0)) ++kept;
  const double value = std::ldexp(static_cast<double>(kept), last + kLowestBit);
  return negative ? -value : value;
}

double ExactSum::to_double() const { return rounded(std::numeric_limits<double>::digits, kLowestBit); }

float ExactSum::to_float() const {
  constexpr int kLowestFloat = -149;
  return static_cast<float>(rounded(std::numeric_limits<float>::digits, kLowestFloat));
}

}  // namespace gdr::base
