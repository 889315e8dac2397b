// The sums of programs in C: one value for every split over ranks and every tree of partial sums.
#include "gdr/base/sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

extern "C" double gdr_tested_sum_of_ranks(const double* terms, size_t count, size_t ranks);  // sum_client.c

namespace gdr::base {
namespace {

std::vector<double> terms_of_many_sizes() {
  std::mt19937_64 random(5);
  std::vector<double> terms;
  for (int n = 0; n < 3000; ++n) {
    const double fraction = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    terms.push_back(std::ldexp(fraction, static_cast<int>(random() % 600) - 300));
  }
  return terms;
}

TEST(Sum, HasOneValueForEveryNumberOfRanks) {
  const std::vector<double> terms = terms_of_many_sizes();
  const auto one = std::bit_cast<std::uint64_t>(gdr_tested_sum_of_ranks(terms.data(), terms.size(), 1));
  for (const std::size_t ranks : {2U, 3U, 7U, 64U, 1000U, 5000U}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(gdr_tested_sum_of_ranks(terms.data(), terms.size(), ranks)), one) << ranks;
  }
}

TEST(Sum, HasOneValueForEveryTree) {
  const std::vector<double> terms = terms_of_many_sizes();
  gdr_sum in_order = {};
  gdr_sum_add(&in_order, terms.data(), terms.size());
  // Neighbours in pairs, then pairs of pairs.
  std::vector<gdr_sum> tree(terms.size(), gdr_sum{});
  for (std::size_t n = 0; n < terms.size(); ++n) gdr_sum_add(&tree[n], &terms[n], 1);
  for (std::size_t distance = 1; distance < tree.size(); distance *= 2) {
    for (std::size_t n = 0; n + distance < tree.size(); n += 2 * distance) gdr_sum_merge(&tree[n], &tree[n + distance]);
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(gdr_sum_value(&tree.front())),
            std::bit_cast<std::uint64_t>(gdr_sum_value(&in_order)));
}

TEST(Sum, IsTheExactSumRoundedOnce) {
  const std::vector<double> cancels{1e300, 1, -1e300, 0x1p-60};
  EXPECT_EQ(gdr_tested_sum_of_ranks(cancels.data(), cancels.size(), 4), 1.0);
  const std::vector<double> tie{1, 0x1p-53, 0x1p-1000};  // just above the tie between 1 and its successor
  EXPECT_EQ(gdr_tested_sum_of_ranks(tie.data(), tie.size(), 3), 1 + 0x1p-52);
  // The nearest float of the exact sum: rounding to double first would give the tie, and then 1.
  const std::vector<double> twice{1, 0x1p-24, 0x1p-60};
  gdr_sum sum = {};
  gdr_sum_add(&sum, twice.data(), twice.size());
  EXPECT_EQ(gdr_sum_value_float(&sum), 1 + 0x1p-23F);
  const float half = 0.5F;
  gdr_sum_add_float(&sum, &half, 1);
  EXPECT_EQ(gdr_sum_value_float(&sum), 1.5F + 0x1p-23F);
}

TEST(Sum, SpecialTermsAreThoseOfTheFormat) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto sum_of = [](std::span<const double> terms) {
    return gdr_tested_sum_of_ranks(terms.data(), terms.size(), 2);
  };
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_FALSE(std::signbit(sum_of(std::vector<double>{-0.0, -0.0})));
  EXPECT_EQ(sum_of(std::vector<double>{1, -kInfinity}), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of(std::vector<double>{kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(sum_of(std::vector<double>{1, std::nan("")})));
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of(std::vector<double>{kMost, kMost}), kInfinity);
  EXPECT_EQ(sum_of(std::vector<double>{kMost, kMost, -kMost}), kMost);
}

}  // namespace
}  // namespace gdr::base
