// Pairs of floating-point operands that look for trouble: special values, cancellations, rounding ties and their
// neighbours, results at both ends of the exponent range. The sequence depends on family and seed alone.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gdr/isa/word.h"

namespace gdr::tests {

struct OperandPair {
  isa::LongWord a;
  isa::LongWord b;
};

/// Which operations the pairs are meant for.
enum class PairFamily {
  sum,            // adder: fadd, fsub, fpassa, fmax, fmin
  short_product,  // fmul: b is a widened short word
  long_product,   // fmulh, fmull
};

/// Every special value crossed with every other: exponent fields 0, 1, 2, 1023, 2045, 2046, 2047, both signs, fractions
/// zero, one, all ones, and around the places where short words and multiplier ports end.
[[nodiscard]] std::vector<OperandPair> special_pairs(PairFamily family);

/// An endless sequence: of eight pairs, five are random and three constructed (ties and their neighbours, carries, both
/// ends of the exponent range). Of the random ones three quarters have exponents at most 70 apart; in a sum a quarter
/// of those cancel to 1 to 60 bits.
class OperandPairs {
 public:
  explicit OperandPairs(PairFamily family, std::uint64_t seed = 1);
  [[nodiscard]] OperandPair next();

 private:
  struct Parts {  // of a finite number
    bool negative = false;
    int exponent = 0;               // field, 1 to 2046
    std::uint64_t significand = 0;  // 61 bits with the leading one
  };

  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] int between(int low, int high);
  [[nodiscard]] bool one_in(int chances) { return below(static_cast<std::uint64_t>(chances)) == 0; }
  [[nodiscard]] std::uint64_t random_bits(int count);
  [[nodiscard]] std::uint64_t random_significand();
  [[nodiscard]] std::uint64_t random_odd(int bits);
  [[nodiscard]] int width_of_b() const { return family_ == PairFamily::short_product ? 25 : 50; }

  [[nodiscard]] OperandPair random_sum();
  [[nodiscard]] OperandPair cancelling_sum();
  [[nodiscard]] OperandPair tie_in_sum();
  [[nodiscard]] OperandPair tie_in_operands();
  [[nodiscard]] OperandPair tiny_difference();
  [[nodiscard]] OperandPair random_product();
  [[nodiscard]] OperandPair short_tie_in_product();
  [[nodiscard]] OperandPair long_tie_in_product();
  [[nodiscard]] OperandPair product_below_power_of_two();

  /// Exponent fields of a product whose own is near `target`, the factors `gap` apart as far as the range allows.
  [[nodiscard]] static std::pair<int, int> exponents_of_product(int target, int gap);
  [[nodiscard]] int target_at_edge();
  /// A product of port significands: 50 bits and width_of_b() bits.
  [[nodiscard]] OperandPair product_of(std::uint64_t a, std::uint64_t b);

  static isa::LongWord word_of(const Parts& parts);

  PairFamily family_;
  std::mt19937_64 random_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      below_power_;  // port significands, product just below a power of two
};

}  // namespace gdr::tests
