// Widths of the formats. The forms of sums and products in src/simd/kernels/ and src/loop/ take every mask, shift and
// limit from here. They therefore stand for any widths, and the tests in tests/emulator/proof/ compile them for formats
// so small that all pairs of words can be tried.
#pragma once

#include <cstdint>

namespace gdr::emulator {

/// The three widths that the others follow from, in bits, and limits of exponents, whose reasons are where they are
/// used.
struct Widths {
  int of_short;               // significand of a short word
  int low;                    // low plane of a long word
  int exponent;               // exponent field
  int spare_low = 16;         // exponents that kLowest of float_batch.h leaves unused,
  int spare_high = 19;        // that kHighest leaves unused
  int input_exponent = 80;    // kInputExponent of number_facts.h
  int lowest_checked = -420;  // kLowestChecked
  int highest_checked = 220;  // kHighestChecked
};

#ifdef GDR_WIDTHS  // only in tests
inline constexpr Widths kWidths{GDR_WIDTHS};
#else
inline constexpr Widths kWidths{25, 8, 11};
#endif

/// In bits; what they are on the machine is in the comments.
namespace widths {
inline constexpr int kShort = kWidths.of_short;                                  // 25, significand of a short word
inline constexpr int kPort = 2 * kShort;                                         // 50, what a multiplier port takes
inline constexpr int kDouble = 2 * kShort + 3;                                   // 53, significand of a double
inline constexpr int kFraction = kDouble - 1;                                    // 52, fraction of a double
inline constexpr int kLow = kWidths.low;                                         // 8, low plane of a long word
inline constexpr int kLong = kDouble + kLow;                                     // 61, significand of a long word
inline constexpr int kExponent = kWidths.exponent;                               // 11
inline constexpr int kHigh = kExponent + kDouble;                                // 64, high plane of a long word
inline constexpr int kBelowShort = kDouble - kShort;                             // 28, of a double below a short word
inline constexpr std::uint64_t kInfinite = (std::uint64_t{1} << kExponent) - 1;  // 2047, exponent field of infinity
inline constexpr std::uint64_t kLargest = kInfinite - 1;                         // 2046, that of the largest numbers
inline constexpr std::uint64_t kBias = kInfinite / 2;                            // 1023

[[nodiscard]] constexpr std::uint64_t bit(int place) { return std::uint64_t{1} << place; }
/// The lowest bits of a word; less than 64 of them.
[[nodiscard]] constexpr std::uint64_t ones(int count) { return bit(count) - 1; }
[[nodiscard]] constexpr double power_of_two(int exponent) {
  double power = 1.0;
  for (; exponent > 0; --exponent) power *= 2.0;
  for (; exponent < 0; ++exponent) power /= 2.0;
  return power;
}
}  // namespace widths

}  // namespace gdr::emulator
