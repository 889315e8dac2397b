// Construction of operand pairs. Significands are 61-bit integers with the leading one at bit 60.
#include "operand_pairs.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gdr::tests {
namespace {

using isa::LongWord;
using isa::uint128;

constexpr int kFractionBits = 60;
constexpr std::uint64_t kHiddenOne = std::uint64_t{1} << kFractionBits;
constexpr int kLargestExponent = 2046;
constexpr int kPortBits = 50;
constexpr int kCutBits = 61 - kPortBits;  // what the multiplier's wide port drops
constexpr int kShortRest = 36;            // what a short result drops of a long significand

constexpr std::uint64_t low_ones(int count) { return (std::uint64_t{1} << count) - 1; }

LongWord word_from(bool negative, int exponent, std::uint64_t fraction) {
  return LongWord::from_bits((uint128{negative} << 71) | (static_cast<uint128>(exponent) << kFractionBits) | fraction);
}

/// Whether the product of two significands has exactly this many bits.
bool has_bits(uint128 product, int count) { return (product >> (count - 1)) == 1; }

/// The inverse of an odd number modulo 2^64: each step doubles the number of right bits, 3 to begin with.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
  return x;
}

std::vector<LongWord> special_words(bool short_words) {
  constexpr std::uint64_t kAllOnes = low_ones(kFractionBits);
  constexpr std::uint64_t kShortHalf = std::uint64_t{1} << (kShortRest - 1);
  constexpr std::uint64_t kLargestShort = kAllOnes - low_ones(kShortRest);
  constexpr std::uint64_t kPortHalf = std::uint64_t{1} << (kCutBits - 1);
  const std::vector<std::uint64_t> long_fractions = {0,
                                                     1,
                                                     kAllOnes,
                                                     kShortHalf,
                                                     kShortHalf - 1,
                                                     kShortHalf + 1,
                                                     kLargestShort | kShortHalf,
                                                     kPortHalf,
                                                     kLargestShort,
                                                     kPortHalf - 1,
                                                     kPortHalf + 1};
  const std::vector<std::uint64_t> short_fractions = {0, std::uint64_t{1} << kShortRest, std::uint64_t{1} << 59,
                                                      kLargestShort};
  std::vector<LongWord> words;
  for (const int exponent : {0, 1, 2, 1023, 2045, 2046, 2047}) {
    for (const bool negative : {false, true}) {
      for (const std::uint64_t fraction : short_words ? short_fractions : long_fractions) {
        words.push_back(word_from(negative, exponent, fraction));
      }
    }
  }
  return words;
}

}  // namespace

std::vector<OperandPair> special_pairs(PairFamily family) {
  std::vector<OperandPair> pairs;
  for (const LongWord a : special_words(false)) {
    for (const LongWord b : special_words(family == PairFamily::short_product)) pairs.push_back({a, b});
  }
  return pairs;
}

OperandPairs::OperandPairs(PairFamily family, std::uint64_t seed) : family_(family), random_(seed) {
  if (family == PairFamily::sum) return;
  // a x b = 2^(49 + n) - rest, n the width of b: rounds up to the power of two even in 61 bits.
  constexpr std::size_t kCount = 16;
  while (below_power_.size() < kCount) {
    const std::uint64_t b = random_odd(width_of_b());
    const uint128 power = uint128{1} << (kPortBits - 1 + width_of_b());
    const uint128 rest = power % b;
    if (rest <= (uint128{1} << (width_of_b() - 13))) {
      below_power_.emplace_back(static_cast<std::uint64_t>(power / b), b);
    }
  }
}

OperandPair OperandPairs::next() {
  if (family_ == PairFamily::sum) {
    switch (below(8)) {
      case 0:
        return tie_in_sum();
      case 1:
        return tie_in_operands();
      case 2:
        return tiny_difference();
      default:
        return random_sum();
    }
  }
  switch (below(8)) {
    case 0:
      return short_tie_in_product();
    case 1:
      return long_tie_in_product();
    case 2:
      return product_below_power_of_two();
    default:
      return random_product();
  }
}

// Plain remainders keep the sequence the same under every standard library; their bias is of no account here.
std::uint64_t OperandPairs::below(std::uint64_t bound) { return random_() % bound; }

int OperandPairs::between(int low, int high) {
  return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
}

std::uint64_t OperandPairs::random_bits(int count) { return random_() >> (64 - count); }

/// Mostly random bits; sometimes a short word, few ones, few zeros, or a run.
std::uint64_t OperandPairs::random_significand() {
  std::uint64_t fraction = random_bits(kFractionBits);
  switch (below(12)) {
    case 0:
    case 1:
      fraction &= ~low_ones(kShortRest);
      break;
    case 2:
      fraction = (std::uint64_t{1} << between(0, 59)) | (std::uint64_t{1} << between(0, 59));
      break;
    case 3:
      fraction = low_ones(kFractionBits) ^ (std::uint64_t{1} << between(0, 59));
      break;
    case 4:
      fraction = low_ones(between(1, 60));
      fraction &= ~low_ones(between(0, 59));
      break;
    case 5:  // around half of what a multiplier port drops
      fraction = (fraction & ~low_ones(kCutBits)) + (std::uint64_t{1} << (kCutBits - 1)) + below(3) - 1;
      break;
    default:
      break;
  }
  return kHiddenOne | fraction;
}

/// An odd number of exactly this many bits.
std::uint64_t OperandPairs::random_odd(int bits) { return (std::uint64_t{1} << (bits - 1)) | random_bits(bits) | 1; }

LongWord OperandPairs::word_of(const Parts& parts) {
  return word_from(parts.negative, parts.exponent, parts.significand & ~kHiddenOne);
}

OperandPair OperandPairs::random_sum() {
  const bool near = !one_in(4);
  if (near && one_in(4)) return cancelling_sum();
  int exponent_a = one_in(16) ? kLargestExponent - between(0, 1) : between(1, kLargestExponent);
  int exponent_b = between(1, kLargestExponent);
  if (near) {
    const int gap = between(-70, 70);
    exponent_a = std::clamp(exponent_a, 1 + std::max(0, gap), kLargestExponent + std::min(0, gap));
    exponent_b = exponent_a - gap;
  }
  return {word_of({one_in(2), exponent_a, random_significand()}),
          word_of({one_in(2), exponent_b, random_significand()})};
}

/// a + b leaves 1 to 60 bits: equal exponents, or b one exponent lower than a and a just above a power of two. Half of
/// the pairs have equal signs, for subtraction.
OperandPair OperandPairs::cancelling_sum() {
  const std::uint64_t left = random_odd(between(1, 60)) ^ (one_in(2) ? 0 : 1);
  const std::uint64_t difference = std::max<std::uint64_t>(left, 1);
  const int exponent = between(2, kLargestExponent);
  Parts a{one_in(2), exponent, random_significand()};
  Parts b = a;
  if (one_in(3)) {
    a.significand = kHiddenOne | below((difference + 1) / 2);
    b.exponent = exponent - 1;
    b.significand = 2 * a.significand - difference;
  } else {
    const bool up = a.significand + difference < 2 * kHiddenOne;
    const bool down = a.significand - difference >= kHiddenOne;
    if (!up && !down) a.significand = kHiddenOne;
    b.significand = up || !down ? a.significand + difference : a.significand - difference;
  }
  b.negative = one_in(2) ? a.negative : !a.negative;
  const OperandPair pair = {word_of(a), word_of(b)};
  return one_in(2) ? pair : OperandPair{pair.b, pair.a};
}

/// a has the destination's precision, b is half of a's last place, or the next number above or below that.
OperandPair OperandPairs::tie_in_sum() {
  const int precision = one_in(2) ? 61 : 25;
  const std::uint64_t kept = ~low_ones(61 - precision);
  const int exponent = one_in(8) ? kLargestExponent : between(precision + 2, kLargestExponent);
  const std::array<std::uint64_t, 4> shapes = {random_significand() & kept, kHiddenOne | (random_bits(60) & kept),
                                               (2 * kHiddenOne - 1) & kept, kHiddenOne};
  const Parts a{one_in(2), exponent, shapes.at(below(shapes.size()))};
  Parts b{one_in(2), exponent - precision, kHiddenOne};
  switch (below(4)) {
    case 0:
      b.significand += 1;
      break;
    case 1:
      b = {b.negative, b.exponent - 1, 2 * kHiddenOne - 1};
      break;
    default:
      break;
  }
  return one_in(2) ? OperandPair{word_of(a), word_of(b)} : OperandPair{word_of(b), word_of(a)};
}

/// Both operands lie halfway between two short words, or one last place beside it. The smaller may be so small that all
/// it does to the sum is to break the larger one's tie.
OperandPair OperandPairs::tie_in_operands() {
  const auto significand = [this] {
    const std::uint64_t upper = one_in(4) ? low_ones(24) : random_bits(24);
    const std::uint64_t half = std::uint64_t{1} << (kShortRest - 1);
    return kHiddenOne | (upper << kShortRest) | (half + below(3) - 1);
  };
  const int exponent = one_in(8) ? kLargestExponent : between(1, kLargestExponent);
  return {word_of({one_in(2), exponent, significand()}),
          word_of({one_in(2), std::max(1, exponent - between(0, 140)), significand()})};
}

/// The difference lies just below 2^-1022, the smallest number: 2^60 - d in units of 2^-1082, d below 2^59.
OperandPair OperandPairs::tiny_difference() {
  const std::uint64_t d = random_odd(between(1, 59)) ^ (one_in(2) ? 0 : 1);
  const std::uint64_t fraction = below((kHiddenOne - d) / 2);
  const bool negative = one_in(2);
  const LongWord a = word_of({negative, 2, kHiddenOne | fraction});
  const LongWord b = word_of({one_in(2) ? negative : !negative, 1, kHiddenOne | (2 * fraction + d)});
  return one_in(2) ? OperandPair{a, b} : OperandPair{b, a};
}

std::pair<int, int> OperandPairs::exponents_of_product(int target, int gap) {
  const int sum = target + 1023;
  const int a = std::clamp((sum + gap) / 2, 1, kLargestExponent);
  return {a, std::clamp(sum - a, 1, kLargestExponent)};
}

int OperandPairs::target_at_edge() {
  static constexpr std::array<int, 8> kEdges = {-1, 0, 1, 2, 2045, 2046, 2047, 2048};
  return one_in(2) ? kEdges.at(below(kEdges.size())) : between(-30, 2080);
}

OperandPair OperandPairs::random_product() {
  const bool near = !one_in(4);
  const int gap = near ? between(-70, 70) : between(-1000, 1000);
  const auto [exponent_a, exponent_b] = exponents_of_product(one_in(8) ? target_at_edge() : between(-30, 2080), gap);
  std::uint64_t b = random_significand();
  if (family_ == PairFamily::short_product) b &= ~low_ones(kShortRest);
  return {word_of({one_in(2), exponent_a, random_significand()}), word_of({one_in(2), exponent_b, b})};
}

OperandPair OperandPairs::product_of(std::uint64_t a, std::uint64_t b) {
  const int target = target_at_edge();
  const auto [exponent_a, exponent_b] = exponents_of_product(target, between(-70, 70));
  // Bits that the ports drop must not matter: half of the pairs have some.
  const std::uint64_t rest_a = one_in(2) ? 0 : random_bits(kCutBits);
  const std::uint64_t rest_b = family_ == PairFamily::short_product || one_in(2) ? 0 : random_bits(kCutBits);
  return {word_of({one_in(2), exponent_a, (a << kCutBits) | rest_a}),
          word_of({one_in(2), exponent_b, (b << (61 - width_of_b())) | rest_b})};
}

/// Odd factors whose product has 26 bits are a tie in 25; one last place of the port more or less is just beside it.
OperandPair OperandPairs::short_tie_in_product() {
  for (;;) {
    const int bits_a = between(2, 24);
    const int bits_b = between(26, 27) - bits_a;
    const std::uint64_t a = random_odd(bits_a);
    const std::uint64_t b = random_odd(bits_b);
    if (!has_bits(uint128{a} * b, 26)) continue;
    std::uint64_t port_a = a << (kPortBits - bits_a);
    if (one_in(2)) port_a += one_in(2) ? 1 : ~std::uint64_t{0};
    return product_of(port_a, b << (width_of_b() - bits_b));
  }
}

/// The product's bits below the 61st are half of its last place, or one more or less: a is chosen modulo 2^dropped.
OperandPair OperandPairs::long_tie_in_product() {
  for (;;) {
    const int product_bits = kPortBits + width_of_b() - between(0, 1);
    const int dropped = product_bits - 61;
    const std::uint64_t b = random_odd(width_of_b());
    std::uint64_t rest = std::uint64_t{1} << (dropped - 1);
    if (one_in(2)) rest += one_in(2) ? 1 : ~std::uint64_t{0};
    const std::uint64_t upper_a = random_odd(kPortBits - dropped) << dropped;
    const std::uint64_t a = upper_a | ((rest * inverse(b)) & low_ones(dropped));
    if (has_bits(uint128{a} * b, product_bits)) return product_of(a, b);
  }
}

OperandPair OperandPairs::product_below_power_of_two() {
  const auto& [a, b] = below_power_.at(below(below_power_.size()));
  return product_of(a, b);
}

}  // namespace gdr::tests
