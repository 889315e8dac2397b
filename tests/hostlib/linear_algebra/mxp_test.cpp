// LINPACK in short words, refined in doubles.
#include "gdr/hostlib/mxp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gdr/base/error.h"

namespace gdr {
namespace {

Product on(BoardDgemm& board) {
  return [&board](std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b) {
    return board.multiply(m, n, k, a, b);
  };
}

/// A number of 24 bits.
double short_number(std::size_t i) { return static_cast<double>(static_cast<float>(std::sin(double(i)))); }

TEST(ShortProducts, AreExactUpToTheSumsOfTheMachine) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                {5, 3, 2},
                                {256, 4, 64},
                                {300, 7, 130},
                                {40, 5, 1024},
                                {30, 4, 2100},
                                {20, 3, 5000}}) {
    std::vector<double> a(m * k);
    std::vector<double> b(k * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = short_number(i + 1);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = short_number(7 * i + 3);
    const MatrixView a_view{a.data(), 1, static_cast<std::ptrdiff_t>(m)};
    const MatrixView b_view{b.data(), 1, static_cast<std::ptrdiff_t>(k)};
    BoardDgemm board({}, sgemm_program());
    const std::vector<double> c = board.multiply(m, n, k, a_view, b_view);
    // Products of 48 bits are exact, sums have 61 bits, and the host's doubles 53.
    EXPECT_LE(product_error(m, n, k, a_view, b_view, c), 0x1p-53 + static_cast<double>(k) * 0x1p-60)
        << m << ' ' << n << ' ' << k;
  }
}

TEST(ShortProducts, RoundTheirOperandsTo25Bits) {
  BoardDgemm board({}, sgemm_program());
  const double fine = 1 + 0x1p-24 + 0x1p-30;
  const std::vector<double> c = board.multiply(1, 1, 1, {&fine, 1, 1}, {&fine, 1, 1});
  EXPECT_EQ(c[0], (1 + 0x1p-24) * (1 + 0x1p-24));
}

TEST(ShortProducts, AreTheSameOnTheReferenceEngine) {
  std::vector<double> a(70 * 90);
  std::vector<double> b(90 * 6);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = short_number(i + 1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = short_number(5 * i);
  const auto product = [&](const std::string& engine) {
    DeviceOptions options;
    options.engine = engine;
    BoardDgemm board(options, sgemm_program());
    return board.multiply(70, 6, 90, {a.data(), 1, 70}, {b.data(), 1, 90});
  };
  EXPECT_EQ(product("simd"), product("reference"));
}

TEST(Mxp, RefinementPassesTheCheckThatTheFactorsFail) {
  BoardDgemm board({}, sgemm_program());
  for (const MxpRefinement refinement : {MxpRefinement::gmres, MxpRefinement::classical}) {
    const MxpResult result = mxp_solve(200, 64, 1, on(board), refinement);
    EXPECT_GT(result.before, 1e4);  // 2^-24 / 2^-53 is 5e8, divided by the order and by norms
    EXPECT_LT(result.residual, kHplThreshold);
    EXPECT_GE(result.steps, 1U);
    EXPECT_LE(result.steps, 5U);
  }
}

TEST(Mxp, RefinementMendsAFewWrongBitsButNoNan) {
  const auto solve = [](double spoilt, MxpRefinement refinement) {
    std::size_t calls = 0;
    return mxp_solve(
        60, 16, 1,
        [&](std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b) {
          std::vector<double> c = host_product(m, n, k, a, b);
          if (calls++ == 1) c[c.size() / 2] += spoilt;
          return c;
        },
        refinement);
  };
  for (const MxpRefinement refinement : {MxpRefinement::gmres, MxpRefinement::classical}) {
    const MxpResult right = solve(0, refinement);
    // A wrong element costs steps; the check is one of doubles and holds all the same.
    const MxpResult wrong = solve(0.5, refinement);
    EXPECT_LT(wrong.residual, kHplThreshold);
    EXPECT_GT(wrong.steps, right.steps);
    for (const double no_number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      EXPECT_FALSE(solve(no_number, refinement).residual < kHplThreshold) << no_number;
    }
  }
}

TEST(Mxp, SystemsWithoutRowsOrPanelsAreRefused) {
  EXPECT_THROW(static_cast<void>(mxp_solve(0, 4, 1, host_product, MxpRefinement::gmres)), Error);
  EXPECT_THROW(static_cast<void>(mxp_solve(4, 0, 1, host_product, MxpRefinement::gmres)), Error);
  EXPECT_LT(mxp_solve(1, 4, 1, host_product, MxpRefinement::gmres).residual, kHplThreshold);
}

TEST(MxpModel, ShortWordsAreFasterThanLongOnesAndEachPartHasItsTime) {
  const HostDescription host = load_host("core-i7-920");
  const emulator::MachineDescription machine = emulator::load_machine("model1800");
  const DgemmModel short_words(sgemm_program(), machine, 1);
  const DgemmModel long_words(dgemm_program(DgemmPrecision::paper), machine, 1);
  // 384 lines of four clocks for 1,024 x 256 x 2 products of each of four chips; results that leave take broadcast
  // memory from a few lines.
  EXPECT_GE(short_words.clocks_per_turn(), 1536U);
  EXPECT_LE(short_words.clocks_per_turn(), 1536U + 1536U / 50);
  EXPECT_GT(short_words.kernel_gflops() / long_words.kernel_gflops(), 1.45);
  for (const std::uint64_t n : {1024U, 8192U, 30720U}) {
    const MxpStages three = mxp_with_board(host, short_words, {}, ProductRule::faster, n, 1024, 3);
    const MxpStages none = mxp_with_board(host, short_words, {}, ProductRule::faster, n, 1024, 0);
    EXPECT_LT(three.total(), hpl_with_board(host, long_words, {}, ProductRule::faster, n, 1024).total());
    EXPECT_EQ(three.panel, none.panel);
    EXPECT_EQ(three.update, none.update);
    // 4 bytes of each element for the factors; in each step 8 more for A.
    const double pass = static_cast<double>(n) * static_cast<double>(n) / (host.memory_mb * 1e6);
    EXPECT_DOUBLE_EQ(none.refinement, 4 * pass);
    EXPECT_DOUBLE_EQ(three.refinement, 40 * pass);
    EXPECT_LE(three.board, three.panel + three.update);
  }
}

}  // namespace
}  // namespace gdr
