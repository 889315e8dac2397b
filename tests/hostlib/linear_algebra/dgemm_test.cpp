// Products on the emulated board against long double, within the bound that the machine's arithmetic gives.
#include "gdr/hostlib/dgemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "gdr/emulator/machine.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/lu.h"
#include "largest.h"

namespace gdr {
namespace {

// A product of operands cut to 50 bits is off by less than 2^-48; a sum of k products in words of 61 bits by k 2^-60 of
// the sum of magnitudes, whatever its order; the host's rounding to 53 bits adds 2^-53 for each pass over k.
double bound_of(DgemmPrecision precision, std::size_t k) {
  const double product = precision == DgemmPrecision::paper ? 0x1p-48 + 0x1p-53 : 0x1p-52;
  return product + static_cast<double>(k) * 0x1p-60;
}

struct Shape {
  std::size_t m, n, k;
};

class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns, unsigned seed, bool wide) : rows_(rows), values_(rows * columns) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-40, 40);
    for (double& value : values_) value = std::ldexp(mantissa(random), wide ? exponent(random) : 0);
  }
  [[nodiscard]] MatrixView view() const { return {values_.data(), 1, static_cast<std::ptrdiff_t>(rows_)}; }

 private:
  std::size_t rows_;
  std::vector<double> values_;
};

double max_error(const Shape& shape, const MatrixView& a, const MatrixView& b, const std::vector<double>& c) {
  tests::Largest<long double> worst;
  for (std::size_t j = 0; j < shape.n; ++j) {
    for (std::size_t i = 0; i < shape.m; ++i) {
      long double sum = 0;
      long double magnitude = 0;
      for (std::size_t l = 0; l < shape.k; ++l) {
        const long double product = static_cast<long double>(a.at(i, l)) * static_cast<long double>(b.at(l, j));
        sum += product;
        magnitude += std::abs(product);
      }
      const long double error = std::abs(static_cast<long double>(c[j * shape.m + i]) - sum);
      worst.add(error == 0 ? 0 : error / magnitude);  // infinity where |A||B| is 0
    }
  }
  return static_cast<double>(worst.value());
}

DeviceOptions with(std::string_view engine, unsigned threads = 1) {
  DeviceOptions options;
  options.engine = engine;
  options.threads = threads;
  return options;
}

/// A product in which row 1 of A and column 0 of B are 0, with one element of C replaced.
struct Spoilt {
  static constexpr Shape kShape{97, 83, 20};  // more elements than product_error() compares one by one
  std::vector<double> a, b, c;

  Spoilt() : a(kShape.m * kShape.k), b(kShape.k * kShape.n), c(kShape.m * kShape.n) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : a) value = uniform(random);
    for (double& value : b) value = uniform(random);
    for (std::size_t l = 0; l < kShape.k; ++l) a[l * kShape.m + 1] = b[l] = 0;
    for (std::size_t at = 0; at < c.size(); ++at) {
      long double sum = 0;
      for (std::size_t l = 0; l < kShape.k; ++l) {
        sum += static_cast<long double>(a_view().at(at % kShape.m, l)) * b_view().at(l, at / kShape.m);
      }
      c[at] = static_cast<double>(sum);
    }
  }
  [[nodiscard]] MatrixView a_view() const { return {a.data(), 1, kShape.m}; }
  [[nodiscard]] MatrixView b_view() const { return {b.data(), 1, kShape.k}; }
  [[nodiscard]] double ours() const { return max_error(kShape, a_view(), b_view(), c); }
  [[nodiscard]] double product_error() const {
    return gdr::product_error(kShape.m, kShape.n, kShape.k, a_view(), b_view(), c);
  }
};

TEST(ProductError, IsThatOfRoundingWhereNothingIsWrong) {
  const Spoilt right;
  EXPECT_LE(right.ours(), 0x1p-53);
  EXPECT_LE(right.product_error(), 0x1p-53);
  EXPECT_GT(right.product_error(), 0x1p-58);
  EXPECT_EQ(product_error(0, 0, 4, {}, {}, {}), 0);
}

// Wherever it is: not all elements are compared one by one.
TEST(ProductError, SeesOneWrongElementOneNanAndOneInfinity) {
  Spoilt product;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double bound = bound_of(DgemmPrecision::paper, Spoilt::kShape.k);
  for (std::size_t at = 0; at < product.c.size(); at += 7) {
    const double right = product.c[at];
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, right + 1e-6}) {
      product.c[at] = wrong;
      ASSERT_FALSE(product.product_error() <= bound) << wrong << " at " << at;
      ASSERT_FALSE(product.ours() <= bound) << wrong << " at " << at;
    }
    product.c[at] = right;
  }
}

TEST(ProductError, SeesElementsThatMustBeZero) {
  Spoilt product;
  for (const std::size_t at : {std::size_t{1}, 1 + 4 * Spoilt::kShape.m, std::size_t{0}}) {
    ASSERT_EQ(product.c[at], 0);
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), 1e-300}) {
      product.c[at] = wrong;
      EXPECT_FALSE(product.product_error() <= 1) << wrong << " at " << at;
      EXPECT_FALSE(product.ours() <= 1) << wrong << " at " << at;
    }
    product.c[at] = -0.0;
    EXPECT_LE(product.product_error(), 0x1p-53);
    product.c[at] = 0;
  }
}

TEST(ProductError, SeesTwoElementsOfARowThatAreExchanged) {
  Spoilt product;
  std::swap(product.c[5 + 3 * Spoilt::kShape.m], product.c[5 + 4 * Spoilt::kShape.m]);
  EXPECT_GT(product.product_error(), 1e-4);
}

TEST(HplResidual, IsThatOfBothVersionsOfHpl) {
  // Columns (4, -1) and (2, 3): ||A||_1 = 5, ||A||_oo = 6; ||x||_oo = 2.
  const std::vector<double> a{4, -1, 2, 3};
  const std::vector<double> x{1, 2};
  const std::vector<double> b{8, 5.5};
  const HplResiduals residuals = hpl_residuals_of({a.data(), 1, 2}, x, b);
  // A x = (8, 5), so ||A x - b||_oo = 0.5; ||b||_oo = 8.
  EXPECT_DOUBLE_EQ(residuals.first, 0.5 / (0x1p-53 * 5 * 2));
  EXPECT_DOUBLE_EQ(residuals.scaled, 0.5 / (0x1p-53 * (6 * 2 + 8) * 2));
  const HplResiduals none = hpl_residuals_of({a.data(), 1, 2}, std::vector<double>{1, NAN}, b);
  EXPECT_TRUE(std::isnan(none.first));
  EXPECT_TRUE(std::isnan(none.scaled));
}

TEST(HplResidual, SeesWhatOneElementOfAProductDoes) {
  constexpr std::size_t n = 40;
  constexpr std::size_t nb = 8;
  EXPECT_LT(hpl_residual(n, nb, 1, host_product), 1.0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 0.25}) {
    for (const std::size_t call : {0U, 1U, 3U}) {
      for (const bool all : {false, true}) {
        std::size_t calls = 0;
        const HplResiduals residuals = hpl_residuals(
            n, nb, 1,
            [&](std::size_t rows, std::size_t columns, std::size_t k, const MatrixView& a, const MatrixView& b) {
              std::vector<double> c = host_product(rows, columns, k, a, b);
              if (calls++ != call) return c;
              if (all) std::ranges::fill(c, wrong);
              c[c.size() / 2 + 1] = wrong;
              return c;
            });
        EXPECT_FALSE(residuals.first < kHplThreshold) << wrong << " in call " << call << (all ? ", everywhere" : "");
        EXPECT_FALSE(residuals.scaled < kHplThreshold) << wrong << " in call " << call << (all ? ", everywhere" : "");
      }
    }
  }
}

class DgemmShapes : public testing::TestWithParam<std::tuple<DgemmPrecision, Shape>> {};

TEST_P(DgemmShapes, ProductsStayWithinTheBoundOfTheMachinesArithmetic) {
  const auto [precision, shape] = GetParam();
  BoardDgemm board(with(emulator::Engine::simd, 2), dgemm_program(precision));
  for (const bool wide : {false, true}) {
    const Matrix a(shape.m, shape.k, 1, wide);
    const Matrix b(shape.k, shape.n, 2, wide);
    const auto c = board.multiply(shape.m, shape.n, shape.k, a.view(), b.view());
    EXPECT_LE(max_error(shape, a.view(), b.view(), c), bound_of(precision, shape.k));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DgemmShapes,
                         testing::Combine(testing::Values(DgemmPrecision::paper, DgemmPrecision::full),
                                          testing::Values(Shape{1, 1, 1}, Shape{5, 3, 2}, Shape{256, 4, 33},
                                                          Shape{257, 5, 513}, Shape{300, 19, 700}, Shape{40, 7, 2049},
                                                          Shape{1030, 2, 100})));

TEST(Dgemm, EnginesAgreeToTheLastBit) {
  const Shape shape{37, 5, 1100};
  const Matrix a(shape.m, shape.k, 3, true);
  const Matrix b(shape.k, shape.n, 4, true);
  for (const DgemmPrecision precision : {DgemmPrecision::paper, DgemmPrecision::full}) {
    BoardDgemm reference(with(emulator::Engine::reference, 2), dgemm_program(precision));
    BoardDgemm simd(with(emulator::Engine::simd), dgemm_program(precision));
    const auto expected = reference.multiply(shape.m, shape.n, shape.k, a.view(), b.view());
    EXPECT_EQ(simd.multiply(shape.m, shape.n, shape.k, a.view(), b.view()), expected);
    EXPECT_EQ(simd.counters().fp.underflow, reference.counters().fp.underflow);
    EXPECT_EQ(simd.counters().odp_words, reference.counters().odp_words);
  }
}

TEST(Dgemm, InLockstepTheProductIsThatOfEachEngine) {
  const Shape shape{64, 8, 256};
  const Matrix a(shape.m, shape.k, 8, false);
  const Matrix b(shape.k, shape.n, 9, false);
  BoardDgemm lockstep(with(emulator::Engine::lockstep, 2), dgemm_program(DgemmPrecision::paper));
  BoardDgemm simd(with(emulator::Engine::simd), dgemm_program(DgemmPrecision::paper));
  const auto expected = simd.multiply(shape.m, shape.n, shape.k, a.view(), b.view());
  EXPECT_EQ(lockstep.multiply(shape.m, shape.n, shape.k, a.view(), b.view()), expected);
}

TEST(Dgemm, ThreadsAndEarlierProductsDoNotChangeAResult) {
  const Shape shape{130, 40, 600};
  const Matrix a(shape.m, shape.k, 5, false);
  const Matrix b(shape.k, shape.n, 6, false);
  BoardDgemm one(with(emulator::Engine::simd, 1), dgemm_program(DgemmPrecision::paper));
  BoardDgemm four(with(emulator::Engine::simd, 4), dgemm_program(DgemmPrecision::paper));
  const auto expected = one.multiply(shape.m, shape.n, shape.k, a.view(), b.view());
  (void)four.multiply(40, 40, 40, b.view(), a.view());
  EXPECT_EQ(four.multiply(shape.m, shape.n, shape.k, a.view(), b.view()), expected);
}

TEST(Dgemm, ProductOf50BitOperandsIsExactToItsRounding) {
  // Operands of 26 bits: products and their sums are exact, so the result is.
  const Shape shape{64, 8, 96};
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> whole(-(1 << 20), 1 << 20);
  std::vector<double> a(shape.m * shape.k);
  std::vector<double> b(shape.k * shape.n);
  for (double& value : a) value = whole(random);
  for (double& value : b) value = whole(random);
  BoardDgemm board(with(emulator::Engine::simd), dgemm_program(DgemmPrecision::paper));
  const MatrixView a_view{a.data(), 1, 64};
  const MatrixView b_view{b.data(), 1, 96};
  EXPECT_EQ(max_error(shape, a_view, b_view, board.multiply(shape.m, shape.n, shape.k, a_view, b_view)), 0);
}

TEST(Dgemm, NaNIsRefusedByName) {
  std::vector<double> a{1, std::nan("")};
  BoardDgemm board(with(emulator::Engine::simd), dgemm_program(DgemmPrecision::paper));
  EXPECT_THROW((void)board.multiply(2, 1, 1, {a.data(), 1, 2}, {a.data(), 1, 1}), Error);
}

TEST(Dgemm, DeviceRunsTurnsAndGivesWordsInTheOrderOfCollecting) {
  // A is 1 at row 8 p + 4 v + e, column 512 chip + 32 block + k, for one of each; B's word there goes through alone.
  DeviceOptions options = with(emulator::Engine::simd);
  Device device(options);
  device.load(dgemm_program(DgemmPrecision::paper));
  const std::size_t i_fields = device.fields(isa::Transfer::hlt);
  const std::size_t j_fields = device.fields(isa::Transfer::elt);
  const std::size_t chips = 4;
  std::vector<std::uint64_t> particles(chips * 2048 * i_fields);
  const std::size_t chip = 2;
  const std::size_t block = 5;
  const std::size_t pe = 9;
  const std::size_t element = 3;
  const std::size_t k = 17;
  const std::size_t vector = 1;
  const std::size_t record = chip * 2048 + block * 128 + pe * 4 + element;
  particles[record * i_fields + k * 2 + vector] = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::size_t kTurns = 3;
  std::vector<std::uint64_t> b(kTurns * 16 * chips * j_fields);
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (std::size_t column = 0; column < 2; ++column) {
      b[((turn * 16 + block) * chips + chip) * j_fields + column * 32 + k] =
          std::bit_cast<std::uint64_t>(10.0 * static_cast<double>(turn) + static_cast<double>(column) + 1);
    }
  }
  device.write_j(0, b);
  device.start(particles, kTurns);
  const auto words = device.wait();
  ASSERT_EQ(words.size(), kTurns * 512);
  for (std::size_t n = 0; n < words.size(); ++n) {
    const std::size_t column = n / 256;
    const bool here = n % 256 == pe * 8 + vector * 4 + element;
    const double expected = here ? 10.0 * static_cast<double>(column / 2) + static_cast<double>(column % 2) + 1 : 0;
    ASSERT_EQ(std::bit_cast<double>(words[n]), expected) << n;
  }
}

TEST(BoardDgemm, PassesThatOverflowToBothSidesGiveInfinityWithAnEvent) {
  const std::size_t k = 2049;  // a chip more than one pass of a board takes
  const DgemmSharing sharing = share_dgemm(dgemm_blocking(dgemm_program(DgemmPrecision::paper)), 1, k, 4, 1);
  ASSERT_EQ(sharing.passes, 2U);
  // Products that overflow to +inf in the first pass and to -inf in the second.
  std::vector<double> a(k, 0.0);
  std::vector<double> b(k, 0.0);
  a[0] = b[0] = a[k - 1] = 1e200;
  b[k - 1] = -1e200;
  BoardDgemm board(with("simd"), dgemm_program(DgemmPrecision::paper));
  const std::vector<double> c =
      board.multiply(1, 1, k, {a.data(), 1, 1}, {b.data(), 1, static_cast<std::ptrdiff_t>(k)});
  EXPECT_EQ(c.front(), HUGE_VAL);
  EXPECT_EQ(board.counters().fp.invalid, 1U);
}

TEST(DgemmSharing, SmallDepthsLeaveChipsToOtherRows) {
  const DgemmBlocking blocking{32, 2, 2};
  constexpr std::size_t kRows = 32768;
  EXPECT_EQ(share_dgemm(blocking, kRows, 512, 4, 1).rings, 4U);
  EXPECT_EQ(share_dgemm(blocking, kRows, 513, 4, 1).rings, 2U);
  EXPECT_EQ(share_dgemm(blocking, kRows, 2048, 4, 1).rings, 1U);
  EXPECT_EQ(share_dgemm(blocking, kRows, 2048, 4, 2).rings, 2U);
  for (const std::size_t k : {1u, 31u, 64u, 700u, 2048u, 2049u, 5000u}) {
    const DgemmSharing sharing = share_dgemm(blocking, kRows, k, 4, 1);
    EXPECT_GE(sharing.k_per_pass * sharing.passes, k);
    EXPECT_LE(sharing.live_blocks, emulator::kBlocks);
  }
}

TEST(DgemmSharing, BoardsWithoutRowsTakeNoPart) {
  const DgemmBlocking blocking{32, 2, 2};  // 256 rows to a ring
  // Four rings of a board take 1024 rows at this depth.
  EXPECT_EQ(share_dgemm(blocking, 300, 512, 4, 64).boards, 1U);
  EXPECT_EQ(share_dgemm(blocking, 300, 512, 4, 64).rings, 4U);
  EXPECT_EQ(share_dgemm(blocking, 1024, 512, 4, 64).boards, 1U);
  EXPECT_EQ(share_dgemm(blocking, 1025, 512, 4, 64).boards, 2U);
  EXPECT_EQ(share_dgemm(blocking, 1025, 2048, 4, 64).boards, 5U);
  EXPECT_EQ(share_dgemm(blocking, 1 << 20, 2048, 4, 64).boards, 64U);
}

TEST(DgemmModel, BoardsWithoutRowsCostNoTime) {
  const isa::Program program = dgemm_program(DgemmPrecision::paper);
  const emulator::MachineDescription machine = emulator::load_machine("model1800");
  const DgemmTimes one = DgemmModel(program, machine, 1).times(300, 4096, 512, {});
  for (const unsigned boards : {2U, 64U}) {
    const DgemmTimes more = DgemmModel(program, machine, boards).times(300, 4096, 512, {});
    EXPECT_EQ(more.total(), one.total()) << boards;
    EXPECT_EQ(more.executed_flops, one.executed_flops) << boards;
  }
}

}  // namespace
}  // namespace gdr
