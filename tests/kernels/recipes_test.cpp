// The kernels of docs/kernels/recipes.md against plain C++ on the same numbers, which are such that no result is
// rounded but where a tolerance says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "testing.h"

namespace gdr::kernels::testing {
namespace {

/// The block of the page that holds `kernel NAME`.
std::string recipe(const std::string& name) {
  const std::string text = base::read_file(GDR_RECIPES_PAGE);
  const std::size_t at = text.find("\nkernel " + name + "\n");
  if (at == std::string::npos) throw Error("the page has no kernel " + name);
  const std::size_t begin = text.rfind("```vsm\n", at) + 7;
  return text.substr(begin, text.find("\n```", begin) - begin + 1);
}

constexpr std::size_t kI = 50;
constexpr std::size_t kJ = 37;  // no multiple of the blocks

/// Whole eighths in -4..4: their products and sums are exact.
std::vector<double> eighths(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(static_cast<int>(random() % 65) - 32) / 8;
  return values;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Runs the recipe; records are given field by field.
std::vector<std::uint64_t> run(const std::string& name, const std::vector<std::uint64_t>& i,
                               const std::vector<std::uint64_t>& j, std::size_t records) {
  const assembler::AssembleResult result = assembler::assemble(recipe(name), name);
  EXPECT_THAT(result.diagnostics, ::testing::IsEmpty()) << format_diagnostics(result);
  if (!result.program) throw Error(name + ": not assembled");
  Device device(options("simd"));
  device.load(*result.program);
  device.write_j(0, j);
  return device.run(i, records);
}

std::vector<std::uint64_t> all_bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> words;
  for (const double value : values) words.push_back(bits(value));
  return words;
}

const std::vector<double> kXi = eighths(kI, 1);
const std::vector<double> kXj = eighths(kJ, 2);

TEST(Recipes, CutoffAddsPairsWithinTheRadius) {
  const auto results = run("cutoff", all_bits(kXi), all_bits(kXj), kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    double sum = 0;
    for (const double xj : kXj) {
      const double r2 = (xj - kXi[i]) * (xj - kXi[i]);
      if (r2 <= 1) sum += r2;
    }
    EXPECT_EQ(results[i], bits(sum)) << i;
  }
}

TEST(Recipes, ExclusionLeavesOutPairsOfOneNumber) {
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  for (std::size_t i = 0; i < kI; ++i) i_fields.insert(i_fields.end(), {bits(kXi[i]), i % 5});
  for (std::size_t j = 0; j < kJ; ++j) j_fields.insert(j_fields.end(), {bits(kXj[j]), j % 7});
  const auto results = run("exclusion", i_fields, j_fields, kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kJ; ++j) sum += i % 5 == j % 7 ? 0 : kXj[j] - kXi[i];
    EXPECT_EQ(results[i], bits(sum)) << i;
  }
}

TEST(Recipes, TableTakesEachElementsOwnEntry) {
  std::vector<std::uint64_t> i_fields = all_bits(eighths(8 * kI, 3));
  std::vector<std::uint64_t> kinds;
  for (std::size_t j = 0; j < kJ; ++j) kinds.push_back(j * j % 8);
  const auto results = run("table", i_fields, kinds, kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    double sum = 0;
    for (const std::uint64_t kind : kinds) sum += std::bit_cast<double>(i_fields[8 * i + kind]);
    EXPECT_EQ(results[i], bits(sum)) << i;
  }
}

TEST(Recipes, PairsAddBothParticlesOfARecord) {
  const std::vector<double> masses = eighths(kJ + 1, 4);
  std::vector<std::uint64_t> j_fields;
  for (std::size_t j = 0; j < kJ + 1; j += 2) {
    const bool last = j + 1 >= kJ;
    j_fields.insert(j_fields.end(),
                    {bits(kXj[j]), bits(last ? 0 : kXj[j + 1]), bits(masses[j]), bits(last ? 0 : masses[j + 1])});
  }
  const auto results = run("pairs", all_bits(kXi), j_fields, (kJ + 1) / 2);
  for (std::size_t i = 0; i < kI; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kJ; ++j) sum += masses[j] * (kXj[j] - kXi[i]) * (kXj[j] - kXi[i]);
    EXPECT_EQ(results[i], bits(sum)) << i;
  }
}

TEST(Recipes, NeighbourIsTheNearestAndOfTwoTheOneWithTheSmallerNumber) {
  std::vector<std::uint64_t> j_fields;
  for (std::size_t j = 0; j < kJ; ++j) j_fields.insert(j_fields.end(), {bits(kXj[j]), 1000 - j});
  const auto results = run("neighbour", all_bits(kXi), j_fields, kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    std::pair<double, std::size_t> best{1e9, 0};
    for (std::size_t j = 0; j < kJ; ++j) {
      best = std::min(best, std::pair<double, std::size_t>{(kXj[j] - kXi[i]) * (kXj[j] - kXi[i]), 1000 - j});
    }
    EXPECT_EQ(results[i] & 0xfffffff, best.second) << i;
    EXPECT_EQ(std::bit_cast<double>(results[i] >> 28 << 28), best.first) << i;
  }
}

TEST(Recipes, HistogramCountsEveryPairOnce) {
  const auto results = run("histogram", all_bits(kXi), all_bits(kXj), kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    std::vector<std::uint64_t> counts(8);
    for (const double xj : kXj)
      ++counts[static_cast<std::size_t>(std::min(7.0, std::nearbyint(std::abs(xj - kXi[i]))))];
    EXPECT_EQ(std::vector<std::uint64_t>(results.begin() + static_cast<std::ptrdiff_t>(8 * i),
                                         results.begin() + static_cast<std::ptrdiff_t>(8 * i + 8)),
              counts)
        << i;
  }
}

TEST(Recipes, FunctionsWorkInALoop) {
  std::vector<double> xi;
  for (std::size_t i = 0; i < kI; ++i) xi.push_back(static_cast<double>(i) / 8 + 0.0625);  // never on a j-particle
  const std::vector<double> charges = eighths(kJ, 5);
  std::vector<std::uint64_t> j_fields;
  for (std::size_t j = 0; j < kJ; ++j) j_fields.insert(j_fields.end(), {bits(kXj[j]), bits(charges[j])});
  const auto results = run("yukawa", all_bits(xi), j_fields, kJ);
  for (std::size_t i = 0; i < kI; ++i) {
    double sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < kJ; ++j) {
      const double r = std::abs(kXj[j] - xi[i]);
      sum += charges[j] * std::exp(-r) / r;
      magnitude += std::abs(charges[j]) * std::exp(-r) / r;
    }
    // Three roundings of short words a pair: of exp and div, one unit and half a one of 2^-24.
    EXPECT_NEAR(std::bit_cast<double>(results[i]), sum, 2 * magnitude * 0x1p-24) << i;
  }
}

}  // namespace
}  // namespace gdr::kernels::testing
