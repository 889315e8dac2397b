// Sums of floating-point numbers that are rounded once, at the end: no order of terms or of partial sums changes a bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gdr::base {

/// A sum of doubles without rounding: an integer in units of 2^-1074, in digits of 32 bits, each in a word of 64.
/// Adding a term and adding another sum are additions of integers. Infinities and NaN are counted beside it.
class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);

  /// The sum, rounded once, to nearest even; 0 if there are no terms. NaN if a term is NaN or if both infinities are
  /// terms.
  [[nodiscard]] double to_double() const;
  [[nodiscard]] float to_float() const;

  /// The words of the sum. Adding them word by word to those of fewer than 2^30 other sums (MPI_SUM of int64) gives the
  /// words of the sum of sums, for take_words(). Throws nothing.
  [[nodiscard]] std::span<const std::int64_t> words();
  static constexpr std::size_t kWords = 68 + 3;
  /// `words` as words() gave them, or their sums. shape: [kWords]
  void take_words(std::span<const std::int64_t> words);

 private:
  /// Carries: all digits but the highest are in 0 ... 2^32 - 1 afterwards.
  void settle();
  /// Rounded to `bits` bits, the lowest of them at least 2^lowest.
  [[nodiscard]] double rounded(int bits, int lowest) const;

  static constexpr std::size_t kDigits = 68;  // 2098 bits of doubles, 64 for carries
  // Digits, lowest first, then the numbers of NaN, +infinity and -infinity.
  std::array<std::int64_t, kWords> words_{};
  std::uint32_t unsettled_ = 0;  // terms since the last carries
};

}  // namespace gdr::base
