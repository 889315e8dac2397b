// Sums that are rounded once: against the C library's arithmetic where that is exact, and against themselves in other
// orders and parts.
#include "gdr/base/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gdr::base {
namespace {

std::vector<double> random_terms(std::size_t count) {
  std::mt19937_64 random(48);
  std::vector<double> terms;
  for (std::size_t n = 0; n < count; ++n) {
    const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
    const int exponent = static_cast<int>(random() % 200) - 100;
    terms.push_back(std::ldexp((random() & 1) != 0 ? fraction : -fraction, exponent));
  }
  return terms;
}

ExactSum sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

TEST(ExactSum, KeepsWhatRoundingAfterEachTermLoses) {
  EXPECT_EQ(sum_of({1e300, 1, -1e300}).to_double(), 1);
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-53}).to_double(), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({}).to_double(), 0);
  EXPECT_EQ(sum_of({-3.5}).to_double(), -3.5);
}

TEST(ExactSum, RoundsOnceToNearestEven) {
  EXPECT_EQ(sum_of({1, 0x1p-53}).to_double(), 1);                      // a tie
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}).to_double(), 1 + 0x1p-51);  // a tie, from an odd number
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-1000}).to_double(), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({-1, -0x1p-53, -0x1p-1000}).to_double(), -1 - 0x1p-52);
  // To a double first, this would become a tie of floats, and then 1.
  EXPECT_EQ(sum_of({1, 0x1p-24, 0x1p-60}).to_float(), 1 + 0x1p-23F);
}

TEST(ExactSum, CoversTheWholeRange) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of({least, least, least}).to_double(), 3 * least);
  EXPECT_EQ(sum_of({most, most, -most}).to_double(), most);
  EXPECT_EQ(sum_of({most, most}).to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum_of({-0x1p128}).to_float(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum_of({0x1p-149, 0x1p-151}).to_float(), 0x1p-149F);
  EXPECT_EQ(sum_of({0x1p-150, 0x1p-200}).to_float(), 0x1p-149F);
}

TEST(ExactSum, TellsInfinitiesAndNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({infinity, 1}).to_double(), infinity);
  EXPECT_EQ(sum_of({-infinity, 1e300}).to_double(), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity}).to_double()));
  EXPECT_TRUE(std::isnan(sum_of({std::nan(""), 1}).to_double()));
}

TEST(ExactSum, NoOrderAndNoSplitChangesABit) {
  std::vector<double> terms = random_terms(5000);
  const auto bits = std::bit_cast<std::uint64_t>(sum_of(terms).to_double());
  std::ranges::reverse(terms);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_of(terms).to_double()), bits);
  for (const std::size_t parts : {2, 3, 16}) {
    ExactSum by_sums;
    std::vector<std::int64_t> words(ExactSum::kWords);
    for (std::size_t part = 0; part < parts; ++part) {
      ExactSum sum;
      for (std::size_t n = part; n < terms.size(); n += parts) sum.add(terms[n]);
      by_sums.add(sum);
      const auto own = sum.words();
      for (std::size_t w = 0; w < words.size(); ++w) words[w] += own[w];
    }
    ExactSum by_words;
    by_words.take_words(words);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(by_sums.to_double()), bits);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(by_words.to_double()), bits);
  }
}

}  // namespace
}  // namespace gdr::base
