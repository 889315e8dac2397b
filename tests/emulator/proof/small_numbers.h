// Doubles of widths::kDouble bits and widths::kExponent exponent bits, a host vector of them at a time.
// Each is held in an IEEE double.
// An operation is computed there rounded to odd, in 53 bits, and then rounded once more to the small format: the result
// is that of a single rounding [Boldo and Melquiond, Emulation of FMA and Correctly Rounded Sums: Proved Algorithms
// Using Rounding to Odd, 2008], because the small significand is at most half as long.
#pragma once

#include <cstdint>

#include "word/widths.h"

namespace gdr::emulator::simd {

/// What an instruction set does with doubles.
struct HostKind {
  bool directed = false;         // rounding in each instruction; classifies numbers
  bool fused = false;            // multiply-add
  bool flushes = false;          // subnormal operands count as zero
  bool flushes_results = false;  // results that would be subnormal are zero
};
inline constexpr HostKind kAvx512{true, true, true, false};
inline constexpr HostKind kAvx2{false, true, true, false};
inline constexpr HostKind kSse42{false, false, true, false};
inline constexpr HostKind kNeon{false, true, true, true};
inline constexpr HostKind kPortable{};
#ifndef GDR_PROOF_HOST
#define GDR_PROOF_HOST kAvx512
#endif
inline constexpr HostKind kHostKind = GDR_PROOF_HOST;

// As many as the compiler has registers for: it takes wider vectors apart lane by lane.
#ifdef __AVX2__
inline constexpr unsigned kLanes = 4;
#else
inline constexpr unsigned kLanes = 2;
#endif
typedef std::uint64_t Words __attribute__((vector_size(8 * kLanes)));  // an alias cannot have the attribute
typedef std::int64_t SignedWords __attribute__((vector_size(8 * kLanes)));
typedef double Numbers __attribute__((vector_size(8 * kLanes)));

inline Words words(Numbers a) { return reinterpret_cast<Words>(a); }
inline Words words(SignedWords a) { return reinterpret_cast<Words>(a); }
inline SignedWords signed_words(Words a) { return reinterpret_cast<SignedWords>(a); }
inline Numbers numbers(Words a) { return reinterpret_cast<Numbers>(a); }
inline Words all(std::uint64_t a) { return Words{} + a; }
inline Numbers all(double a) { return Numbers{} + a; }
inline Words choose(Words mask, Words a, Words b) { return (mask & a) | (~mask & b); }
inline Numbers choose(Words mask, Numbers a, Numbers b) { return numbers(choose(mask, words(a), words(b))); }
inline bool any_of(Words a) {
  std::uint64_t bits = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) bits |= a[lane];
  return bits != 0;
}

enum class To { nearest, zero, down, up };

namespace small {

// The format of the small doubles.
#ifdef GDR_PROOF_FLOAT  // that of IEEE floats, to compare with them
inline constexpr int kBits = 24;
inline constexpr int kExponent = 8;
#else
inline constexpr int kBits = widths::kDouble;
inline constexpr int kExponent = widths::kExponent;
#endif
inline constexpr int kFraction = kBits - 1;
inline constexpr int kWidth = kBits + kExponent;
inline constexpr std::uint64_t kInfinite = widths::ones(kExponent);  // exponent field
inline constexpr std::uint64_t kBias = kInfinite / 2;
static_assert(2 * kBits <= 53, "products of two small numbers are exact in IEEE doubles");

constexpr std::uint64_t kIeeeBias = 1023;
constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
constexpr int kDropped = 53 - kBits;
constexpr std::uint64_t kLast = std::uint64_t{1} << kDropped;
inline constexpr double kSmallest = widths::power_of_two(1 - static_cast<int>(kBias));
inline constexpr double kBeyond = widths::power_of_two(static_cast<int>(kBias) + 1);
inline constexpr double kLargest = kBeyond * (1.0 - widths::power_of_two(-kBits));
inline constexpr double kUnit = kSmallest * widths::power_of_two(1 - kBits);  // of subnormal numbers
inline constexpr std::uint64_t kWord = ~std::uint64_t{0} >> (64 - kWidth);

inline Numbers size(Numbers a) { return numbers(words(a) & ~kTop); }
inline Words less(Numbers a, Numbers b) { return words(SignedWords(a < b)); }
inline Words less(Numbers a, double b) { return less(a, all(b)); }

/// The number as an operand.
inline Numbers operand(Numbers a) {
  if constexpr (!kHostKind.flushes) return a;
  return choose(less(size(a), kSmallest), numbers(words(a) & kTop), a);
}

/// Rounds a number of 53 bits that is exact or, if not, rounded to odd.
template <To to>
inline Numbers rounded(Numbers odd) {
  const Words bits = words(odd);
  const Words negative = words(SignedWords(signed_words(bits) < 0));
  Words up{};
  if constexpr (to == To::nearest) up = (kLast / 2 - 1) + ((bits >> kDropped) & 1);
  if constexpr (to == To::down) up = negative & (kLast - 1);
  if constexpr (to == To::up) up = ~negative & (kLast - 1);
  Numbers result = numbers((bits + up) & ~(kLast - 1));
  const Numbers magnitude = size(odd);
  const Words below = less(magnitude, kSmallest);
  if (!any_of(below | less(all(kLargest), size(result)))) return result;

  const Numbers magic = all(0x1p52 * kUnit);  // its last place is that of subnormal numbers
  Numbers tiny = (magnitude + magic) - magic;
  if constexpr (to != To::nearest) {
    Words away{};
    if constexpr (to == To::down) away = negative;
    if constexpr (to == To::up) away = ~negative;
    tiny = choose(less(magnitude, tiny) & ~away, tiny - kUnit, tiny);
    tiny = choose(less(tiny, magnitude) & away, tiny + kUnit, tiny);
  }
  if constexpr (kHostKind.flushes_results) tiny = Numbers{};
  result = choose(below, numbers(words(tiny) | (bits & kTop)), result);

  Words infinite = ~Words{};  // instead of the largest number; infinities stay
  if constexpr (to == To::zero) infinite = Words{};
  if constexpr (to == To::down) infinite = negative;
  if constexpr (to == To::up) infinite = ~negative;
  infinite |= words(SignedWords(magnitude == __builtin_inf()));
  const Numbers end = choose(infinite, all(__builtin_inf()), all(kLargest));
  return choose(less(all(kLargest), size(result)), numbers(words(end) | (bits & kTop)), result);
}

/// a + b rounded to odd in 53 bits. The error tells on which side the exact sum is [Knuth, The Art of Computer
/// Programming 2, section 4.2.2].
inline Numbers odd_sum(Numbers a, Numbers b) {
  const Numbers sum = a + b;
  const Numbers of_b = sum - a;
  const Numbers error = (a - (sum - of_b)) + (b - of_b);
  const Words even = ~(Words{} - (words(sum) & 1));
  const Words inexact = less(error, 0.0) | less(all(0.0), error);
  const Words outward = words(SignedWords(signed_words(words(error) ^ words(sum)) >= 0));
  return numbers(words(sum) + (choose(outward, all(std::uint64_t{1}), ~Words{}) & even & inexact));
}

template <To to>
inline Numbers add(Numbers first, Numbers second) {
  const Numbers a = operand(first);
  const Numbers b = operand(second);
  Numbers sum = rounded<to>(odd_sum(a, b));
  if constexpr (to == To::down) {  // an exact zero of a sum is -0, but not that of +0 and +0
    const Words both_plus = words(SignedWords(a == 0.0)) & words(SignedWords(signed_words(words(a) | words(b)) >= 0));
    sum = choose(words(SignedWords(a == -b)) & ~both_plus, numbers(words(sum) | kTop), sum);
  }
  return sum;
}
template <To to>
inline Numbers multiply(Numbers a, Numbers b) {
  return rounded<to>(operand(a) * operand(b));
}
/// a b + c, rounded once.
template <To to>
inline Numbers multiply_add(Numbers a, Numbers b, Numbers c) {
  return rounded<to>(odd_sum(operand(a) * operand(b), operand(c)));
}

/// The word with the small double's bits.
inline Words bits_of(Numbers a) {
  const Words sign = (words(a) >> 63) << (kWidth - 1);
  const Numbers magnitude = size(a);
  Words finite = (words(magnitude) >> kDropped) - ((kIeeeBias - kBias) << kFraction);
  const Words tiny = less(magnitude, kSmallest);
  if (any_of(tiny)) finite = choose(tiny, __builtin_convertvector(magnitude * (1.0 / kUnit), Words), finite);
  const std::uint64_t infinity = kInfinite << kFraction;
  const std::uint64_t no_number = infinity | widths::bit(kFraction - 1);
  finite = choose(words(SignedWords(magnitude == __builtin_inf())), all(infinity), finite);
  return sign | choose(words(SignedWords(a != a)), all(no_number), finite);
}

inline Numbers number_of(Words a) {
  const Words sign = (a >> (kWidth - 1)) << 63;
  const Words magnitude = a & (kWord >> 1);
  const Words field = magnitude >> kFraction;
  Words number = (magnitude + ((kIeeeBias - kBias) << kFraction)) << kDropped;
  const Words zero = words(SignedWords(field == 0));
  if (any_of(zero)) number = choose(zero, words(__builtin_convertvector(magnitude, Numbers) * kUnit), number);
  const Words is_infinity = words(SignedWords((magnitude & widths::ones(kFraction)) == 0));
  const Words special = choose(is_infinity, words(all(__builtin_inf())), words(all(__builtin_nan(""))));
  return numbers(choose(words(SignedWords(field == kInfinite)), special, number) | sign);
}

}  // namespace small
}  // namespace gdr::emulator::simd
