// The BLAS face as programs call it, every call sent to the board (GDR_BLAS_MIN_FLOPS=0 in CMake), against long double.
// Run once for each GDR_BLAS_PRECISION.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gdr/hostlib/blas.h"
#include "told_calls.h"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const double*,
               const double*, const std::int64_t*, const double*, const std::int64_t*, const double*, double*,
               const std::int64_t*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void dtrsm_64_(const char*, const char*, const char*, const char*, const std::int64_t*, const std::int64_t*,
               const double*, const double*, const std::int64_t*, double*, const std::int64_t*);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_dgemm_64(int, int, int, std::int64_t, std::int64_t, std::int64_t, double, const double*, std::int64_t,
                    const double*, std::int64_t, double, double*, std::int64_t);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double*, int, double*, int);
void cblas_dtrsm_64(int, int, int, int, int, std::int64_t, std::int64_t, double, const double*, std::int64_t, double*,
                    std::int64_t);
// Replaces the host library's handler, which would end the program.
void xerbla_(const char* name, const int* info, std::size_t length);
// The same for calls from C; in row-major order it has to exchange what that order exchanges, as the reference one
// does.
void cblas_xerbla(int position, const char* routine, const char* form, ...);
extern int RowMajorStrg;
}

namespace {

std::string refused_routine;
int refused_argument = 0;

constexpr double kCanary = -12345.678;
const double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Matrix {
  int rows;
  int columns;
  int ld;
  std::vector<double> values;

  Matrix(int r, int c, int padding, std::mt19937_64& random)
      : rows(r),
        columns(c),
        ld(std::max(1, r) + padding),
        values(static_cast<std::size_t>(ld * std::max(1, c)), kCanary) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int j = 0; j < c; ++j) {
      for (int i = 0; i < r; ++i) at(i, j) = uniform(random);
    }
  }
  double& at(int i, int j) { return values[static_cast<std::size_t>(j * ld + i)]; }
  [[nodiscard]] double at(int i, int j) const { return values[static_cast<std::size_t>(j * ld + i)]; }
  [[nodiscard]] bool canaries_live() const {
    for (int j = 0; j < columns; ++j) {
      for (int i = rows; i < ld; ++i) {
        if (at(i, j) != kCanary) return false;
      }
    }
    return true;
  }
};

// |C - R| <= bound * (|alpha| |A||B| + |beta| |C0|): products of 50-bit operands or of doubles, the host's three
// roundings.
bool in_double() {
  const char* precision = std::getenv("GDR_BLAS_PRECISION");
  return precision != nullptr && std::string_view(precision) == "double";
}
const double kBound = (in_double() ? 0x1p-52 : 0x1p-48) + 0x1p-51;

void expect_product(char ta, char tb, const Matrix& a, const Matrix& b, const Matrix& before, const Matrix& after,
                    int k, double alpha, double beta) {
  for (int j = 0; j < after.columns; ++j) {
    for (int i = 0; i < after.rows; ++i) {
      long double sum = 0;
      long double size = 0;
      for (int l = 0; l < k; ++l) {
        const long double product = static_cast<long double>(ta == 'N' ? a.at(i, l) : a.at(l, i)) *
                                    static_cast<long double>(tb == 'N' ? b.at(l, j) : b.at(j, l));
        sum += product;
        size += std::abs(product);
      }
      const long double old =
          beta == 0 ? 0 : static_cast<long double>(beta) * static_cast<long double>(before.at(i, j));
      const long double expected = static_cast<long double>(alpha) * sum + old;
      const long double bound = (kBound + k * 0x1p-60L) * (std::abs(alpha) * size + std::abs(old));
      ASSERT_LE(std::abs(static_cast<long double>(after.at(i, j)) - expected), bound) << i << ',' << j;
    }
  }
}

TEST(Blas, ShapesTransposesScalarsAndPaddingGiveTheProductAndTouchNothingElse) {
  std::mt19937_64 random(1);
  const int sizes[] = {0, 1, 2, 7, 33, 70};
  const double scalars[] = {0, 1, -1, 0.7};
  std::uniform_int_distribution<std::size_t> size(0, 5);
  std::uniform_int_distribution<std::size_t> scalar(0, 3);
  for (int round = 0; round < 60; ++round) {
    for (const char ta : {'N', 'T', 'c'}) {
      const char tb = "NTC"[round % 3];
      const int m = sizes[size(random)];
      const int n = sizes[size(random)];
      const int k = sizes[size(random)];
      const double alpha = scalars[scalar(random)];
      const double beta = scalars[scalar(random)];
      Matrix a(ta == 'N' ? m : k, ta == 'N' ? k : m, round % 4, random);
      Matrix b(tb == 'N' ? k : n, tb == 'N' ? n : k, round % 3, random);
      const Matrix a_before = a;
      const Matrix b_before = b;
      const Matrix before(m, n, 2, random);
      Matrix c = before;
      dgemm_(&ta, &tb, &m, &n, &k, &alpha, a.values.data(), &a.ld, b.values.data(), &b.ld, &beta, c.values.data(),
             &c.ld);
      EXPECT_EQ(a.values, a_before.values);
      EXPECT_EQ(b.values, b_before.values);
      expect_product(ta, tb, a, b, before, c, k, alpha, beta);
      EXPECT_TRUE(c.canaries_live());
    }
  }
}

TEST(Blas, BetaZeroNeverReadsC) {
  std::mt19937_64 random(2);
  const int n = 9;
  const double one = 1;
  const double zero = 0;
  const Matrix a(n, n, 0, random);
  const Matrix b(n, n, 0, random);
  for (const double alpha : {one, zero}) {
    Matrix c(n, n, 0, random);
    for (double& value : c.values) value = kNaN;
    dgemm_("N", "N", &n, &n, &n, &alpha, a.values.data(), &n, b.values.data(), &n, &zero, c.values.data(), &n);
    for (const double value : c.values) EXPECT_FALSE(std::isnan(value));
  }
}

TEST(Blas, NaNAndInfinityComeOutAsInIeee) {
  std::mt19937_64 random(3);
  const int n = 5;
  const double one = 1;
  const double zero = 0;
  Matrix a(n, n, 0, random);
  const Matrix b(n, n, 0, random);
  a.at(2, 1) = kNaN;
  a.at(3, 1) = std::numeric_limits<double>::infinity();
  Matrix c(n, n, 0, random);
  dgemm_("N", "N", &n, &n, &n, &one, a.values.data(), &n, b.values.data(), &n, &zero, c.values.data(), &n);
  for (int j = 0; j < n; ++j) {
    EXPECT_TRUE(std::isnan(c.at(2, j)));
    EXPECT_TRUE(std::isinf(c.at(3, j)));
    EXPECT_TRUE(std::isfinite(c.at(0, j)));
  }
  dgemm_("N", "N", &n, &n, &n, &kNaN, b.values.data(), &n, b.values.data(), &n, &zero, c.values.data(), &n);
  EXPECT_TRUE(std::isnan(c.at(0, 0)));
}

TEST(Blas, ZeroAlphaReadsNeitherOperandAndNaNBetaReachesAllOfC) {
  std::mt19937_64 random(11);
  const int n = 4;
  const double zero = 0;
  const double two = 2;
  const double one = 1;
  const std::vector<double> poison(n * n, kNaN);
  const Matrix before(n, n, 0, random);
  Matrix c = before;
  dgemm_("N", "N", &n, &n, &n, &zero, poison.data(), &n, poison.data(), &n, &two, c.values.data(), &n);
  for (std::size_t at = 0; at < c.values.size(); ++at) EXPECT_EQ(c.values[at], 2 * before.values[at]);
  dgemm_("N", "T", &n, &n, &n, &one, before.values.data(), &n, before.values.data(), &n, &kNaN, c.values.data(), &n);
  for (const double value : c.values) EXPECT_TRUE(std::isnan(value));
  // Also without a product: C is scaled all the same.
  c = before;
  dgemm_("N", "N", &n, &n, &n, &zero, poison.data(), &n, poison.data(), &n, &kNaN, c.values.data(), &n);
  for (const double value : c.values) EXPECT_TRUE(std::isnan(value));
}

TEST(Blas, OperandsMayBeOneMatrixOrOverlap) {
  std::mt19937_64 random(12);
  const int n = 21;
  const double one = 1;
  const double zero = 0;
  const Matrix both(n, 2 * n, 0, random);
  const Matrix left(both);
  for (const int shift : {0, 1, n / 2}) {  // columns between A and B
    Matrix a(n, n, 0, random);
    Matrix b(n, n, 0, random);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        a.at(i, j) = both.at(i, j);
        b.at(i, j) = both.at(i, j + shift);
      }
    }
    const Matrix before(n, n, 0, random);
    Matrix c = before;
    const double* shifted = both.values.data() + static_cast<std::ptrdiff_t>(shift) * n;
    dgemm_("T", "N", &n, &n, &n, &one, both.values.data(), &n, shifted, &n, &zero, c.values.data(), &n);
    expect_product('T', 'N', a, b, before, c, n, 1, 0);
  }
  EXPECT_EQ(both.values, left.values);
}

TEST(Blas, SubnormalNumbersAreNotLost) {
  const int n = 1;
  const double one = 1;
  const double zero = 0;
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double large = 0x1p60;
  double c = 0;
  dgemm_("N", "N", &n, &n, &n, &one, &tiny, &n, &large, &n, &zero, &c, &n);
  EXPECT_EQ(c, tiny * large);
}

TEST(Blas, SumsBeyondTheBoardsRangeAreTheHosts) {
  const int n = 1;
  const int k = 2;
  const double one = 1;
  const double zero = 0;
  const double large = 0x1p1023;
  const double a[] = {large, large};
  const double b[] = {1, 1};
  double c = 0;
  dgemm_("N", "N", &n, &n, &k, &one, a, &n, b, &k, &zero, &c, &n);
  EXPECT_TRUE(std::isinf(c));
}

/// Random numbers times 2^e, e of every row and column of its own, so that entries, products and sums lie anywhere
/// between the smallest subnormal number and infinity.
TEST(Blas, TheBoundHoldsForEveryFiniteScale) {
  std::mt19937_64 random(21);
  for (const int spread : {0, 40, 470, 800}) {  // of the exponents within a row
    for (const int a_scale : {-1022, -900, -540, 0, 500, 1000}) {
      for (const int b_scale : {-1022, -480, 0, 900}) {
        for (const int alpha_scale : {-1000, 0, 33, 1000}) {
          const int m = 9;
          const int n = 7;
          const int k = 12;
          const auto exponent = [&](int scale) {
            std::uniform_int_distribution<int> distance(-spread / 2, spread / 2);
            return std::clamp(scale + distance(random), -1060, 1020);
          };
          Matrix a(m, k, 1, random);
          Matrix b(k, n, 0, random);
          for (int l = 0; l < k; ++l) {
            for (int i = 0; i < m; ++i) a.at(i, l) = std::ldexp(a.at(i, l), exponent(a_scale));
            for (int j = 0; j < n; ++j) b.at(l, j) = std::ldexp(b.at(l, j), exponent(b_scale));
          }
          const double alpha = std::ldexp(-0.7, alpha_scale);
          const double beta = 1.25;
          Matrix before(m, n, 2, random);
          for (double& value : before.values) {
            value = std::ldexp(value, std::clamp(a_scale + b_scale + alpha_scale, -1000, 1000));
          }
          Matrix c = before;
          dgemm_("N", "N", &m, &n, &k, &alpha, a.values.data(), &a.ld, b.values.data(), &b.ld, &beta, c.values.data(),
                 &c.ld);
          for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
              long double sum = 0;
              long double size = 0;
              for (int l = 0; l < k; ++l) {
                const long double product = static_cast<long double>(a.at(i, l)) * b.at(l, j);
                sum += product;
                size += std::abs(product);
              }
              const long double old = static_cast<long double>(beta) * before.at(i, j);
              const long double expected = static_cast<long double>(alpha) * sum + old;
              if (std::abs(expected) > static_cast<long double>(std::numeric_limits<double>::max()) / 2) {
                EXPECT_GT(std::abs(c.at(i, j)), std::numeric_limits<double>::max() / 4);
                continue;
              }
              // Results below the normal numbers have a last bit of 2^-1074, and two of the host's steps may round
              // there.
              const long double bound =
                  (kBound + k * 0x1p-60L) * (std::abs(static_cast<long double>(alpha)) * size + std::abs(old)) +
                  0x1p-1073L;
              ASSERT_LE(std::abs(c.at(i, j) - expected), bound)
                  << i << ',' << j << ": " << spread << ' ' << a_scale << ' ' << b_scale << ' ' << alpha_scale;
            }
          }
        }
      }
    }
  }
}

TEST(Blas, OneTinyEntrySendsOnlyItsRowAndItsColumnToTheHost) {
  std::mt19937_64 random(22);
  const int n = 24;
  const double one = 1;
  Matrix a(n, n, 0, random);
  Matrix b(n, n, 0, random);
  a.at(3, 5) = 1e-290;
  b.at(7, 11) = 0x1p-1070;
  const Matrix before(n, n, 0, random);
  Matrix c = before;
  gdr::tests::ToldCalls told;
  dgemm_("N", "N", &n, &n, &n, &one, a.values.data(), &n, b.values.data(), &n, &one, c.values.data(), &n);
  expect_product('N', 'N', a, b, before, c, n, 1, 1);
  ASSERT_EQ(told.calls.size(), 1U);
  EXPECT_EQ(told.calls[0].boards, 1);
  EXPECT_GT(told.calls[0].host_seconds, 0);
}

TEST(Blas, ACallIsToldWithItsSizesAndWhoComputedIt) {
  std::mt19937_64 random(23);
  const int m = 20;
  const int n = 12;
  const int k = 30;
  const double one = 1;
  const double zero = 0;
  Matrix a(m, k, 0, random);
  const Matrix b(k, n, 0, random);
  Matrix c(m, n, 0, random);
  Matrix triangle(n, n, 0, random);
  for (int i = 0; i < n; ++i) triangle.at(i, i) = 3;
  gdr::tests::ToldCalls told;
  dgemm_("N", "N", &m, &n, &k, &one, a.values.data(), &m, b.values.data(), &k, &zero, c.values.data(), &m);
  dtrsm_("R", "U", "N", "N", &m, &n, &one, triangle.values.data(), &n, c.values.data(), &m);
  a.at(0, 0) = kNaN;
  dgemm_("N", "N", &m, &n, &k, &one, a.values.data(), &m, b.values.data(), &k, &zero, c.values.data(), &m);
  const int none = 0;
  dgemm_("N", "N", &none, &n, &k, &one, a.values.data(), &m, b.values.data(), &k, &zero, c.values.data(), &m);
  ASSERT_EQ(told.calls.size(), 3U);
  EXPECT_STREQ(told.calls[0].routine, "dgemm");
  EXPECT_EQ(told.calls[0].m, m);
  EXPECT_EQ(told.calls[0].n, n);
  EXPECT_EQ(told.calls[0].k, k);
  EXPECT_EQ(told.calls[0].boards, 1);
  EXPECT_GT(told.calls[0].emulated_seconds, 0);
  EXPECT_EQ(told.calls[0].host_seconds, 0);
  EXPECT_STREQ(told.calls[1].routine, "dtrsm");
  EXPECT_EQ(told.calls[1].k, n);
  EXPECT_GT(told.calls[1].emulated_seconds, 0);
  EXPECT_GT(told.calls[1].host_seconds, 0);
  EXPECT_EQ(told.calls[2].boards, 0);
  EXPECT_EQ(told.calls[2].emulated_seconds, 0);
  EXPECT_GT(told.calls[2].host_seconds, 0);
}

TEST(Blas, AWideMatrixTakesTheBoardNoLongerThanTheTallOneOfTheSameSize) {
  std::mt19937_64 random(24);
  const int few = 1;
  const int many = 500;
  const int k = 64;
  const double one = 1;
  const double zero = 0;
  const Matrix row(few, k, 0, random);
  const Matrix b(k, many, 0, random);
  Matrix wide(few, many, 0, random);
  Matrix tall(many, few, 0, random);
  gdr::tests::ToldCalls told;
  dgemm_("N", "N", &few, &many, &k, &one, row.values.data(), &few, b.values.data(), &k, &zero, wide.values.data(),
         &few);
  dgemm_("T", "T", &many, &few, &k, &one, b.values.data(), &k, row.values.data(), &few, &zero, tall.values.data(),
         &many);
  ASSERT_EQ(told.calls.size(), 2U);
  EXPECT_EQ(told.calls[0].emulated_seconds, told.calls[1].emulated_seconds);
  EXPECT_EQ(wide.values, tall.values);
}

TEST(Blas, LargeAndSmallIntegersAreTheSameRoutine) {
  std::mt19937_64 random(4);
  const std::int64_t n = 20;
  const int n32 = 20;
  const double one = 1;
  const Matrix a(n32, n32, 0, random);
  const Matrix b(n32, n32, 0, random);
  Matrix c(n32, n32, 0, random);
  Matrix d = c;
  dgemm_64_("N", "T", &n, &n, &n, &one, a.values.data(), &n, b.values.data(), &n, &one, c.values.data(), &n);
  dgemm_("N", "T", &n32, &n32, &n32, &one, a.values.data(), &n32, b.values.data(), &n32, &one, d.values.data(), &n32);
  EXPECT_EQ(c.values, d.values);
}

TEST(Blas, EveryFaceOf64BitIntegersIsItsRoutineOf32) {
  std::mt19937_64 random(8);
  constexpr int n = 12;
  const std::int64_t wide = n;
  const double one = 1;
  Matrix a(n, n, 0, random);
  for (int i = 0; i < n; ++i) a.at(i, i) = 3;
  const Matrix b(n, n, 0, random);
  Matrix narrow_product = b;
  Matrix wide_product = b;
  cblas_dgemm(101, 112, 111, n, n, n, 0.5, a.values.data(), n, b.values.data(), n, 2, narrow_product.values.data(), n);
  cblas_dgemm_64(101, 112, 111, n, n, n, 0.5, a.values.data(), n, b.values.data(), n, 2, wide_product.values.data(), n);
  EXPECT_EQ(narrow_product.values, wide_product.values);
  Matrix narrow_x = b;
  Matrix wide_x = b;
  Matrix row_major_x = b;
  dtrsm_("L", "U", "N", "N", &n, &n, &one, a.values.data(), &n, narrow_x.values.data(), &n);
  dtrsm_64_("L", "U", "N", "N", &wide, &wide, &one, a.values.data(), &wide, wide_x.values.data(), &wide);
  EXPECT_EQ(narrow_x.values, wide_x.values);
  cblas_dtrsm_64(102, 141, 121, 111, 131, n, n, 1, a.values.data(), n, row_major_x.values.data(), n);
  EXPECT_EQ(narrow_x.values, row_major_x.values);
}

TEST(Blas, LeadingDimensionsBeyond32BitsAreNotCut) {
  // One column each, so nothing lies that far away.
  const std::int64_t n = 3;
  const std::int64_t single = 1;
  const std::int64_t far = (std::int64_t{1} << 32) + 3;
  const double one = 1;
  const double zero = 0;
  double a[] = {1, 2, 3};
  const double b[] = {4};
  for (const bool on_host : {false, true}) {
    if (on_host) a[2] = std::numeric_limits<double>::infinity();
    double c[] = {0, 0, 0};
    dgemm_64_("N", "N", &n, &single, &single, &one, a, &far, b, &far, &zero, c, &far);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c[i], 4 * a[i]);
  }
}

TEST(Blas, RowMajorTriangularSystemIsTheTransposedOne) {
  std::mt19937_64 random(9);
  constexpr int m = 9;
  constexpr int n = 5;
  Matrix a(m, m, 0, random);  // read row by row: the transposed
  for (int i = 0; i < m; ++i) a.at(i, i) = 4;
  const Matrix b(n, m, 0, random);  // m x n, row major
  Matrix x = b;
  cblas_dtrsm(101, 141, 122, 111, 131, m, n, 1, a.values.data(), m, x.values.data(), n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l <= i; ++l) sum += a.at(l, i) * x.at(j, l);
      EXPECT_NEAR(sum, b.at(j, i), m * 0x1p-46);
    }
  }
}

TEST(Blas, BadArgumentsReachXerblaAndChangeNothing) {
  const int n = 2;
  const int one_row = 1;
  const double one = 1;
  double c[] = {1, 2, 3, 4};
  dgemm_("N", "X", &n, &n, &n, &one, c, &n, c, &n, &one, c, &n);
  EXPECT_EQ(refused_argument, 2);
  dgemm_("N", "N", &n, &n, &n, &one, c, &n, c, &n, &one, c, &one_row);
  EXPECT_EQ(refused_argument, 13);
  EXPECT_EQ(refused_routine, "DGEMM ");
  dtrsm_("L", "U", "N", "N", &n, &n, &one, c, &n, c, &one_row);
  EXPECT_EQ(refused_argument, 11);
  EXPECT_EQ(c[3], 4);
}

TEST(Blas, BadArgumentsFromCAreNumberedAsTheCallerWroteThem) {
  double c[] = {1, 2, 3, 4, 5, 6};
  for (const int order : {101, 102}) {
    cblas_dgemm(order, 0, 111, 2, 2, 2, 1, c, 2, c, 2, 1, c, 2);
    EXPECT_EQ(refused_argument, 2);
    EXPECT_EQ(refused_routine, "cblas_dgemm");
    cblas_dgemm(order, 111, 111, -1, 2, 2, 1, c, 2, c, 2, 1, c, 2);
    EXPECT_EQ(refused_argument, 4);
    cblas_dgemm(order, 111, 111, 2, -1, 2, 1, c, 2, c, 2, 1, c, 2);
    EXPECT_EQ(refused_argument, 5);
    cblas_dgemm(order, 111, 111, 2, 2, 2, 1, c, 1, c, 2, 1, c, 2);
    EXPECT_EQ(refused_argument, 9);
    cblas_dgemm(order, 111, 111, 2, 2, 2, 1, c, 2, c, 1, 1, c, 2);
    EXPECT_EQ(refused_argument, 11);
    cblas_dgemm(order, 111, 111, 2, 2, 2, 1, c, 2, c, 2, 1, c, 1);
    EXPECT_EQ(refused_argument, 14);
    cblas_dtrsm(order, 141, 121, 111, 131, -1, 2, 1, c, 2, c, 2);
    EXPECT_EQ(refused_argument, 6);
    EXPECT_EQ(refused_routine, "cblas_dtrsm");
    cblas_dtrsm(order, 141, 121, 111, 131, 2, -1, 1, c, 2, c, 2);
    EXPECT_EQ(refused_argument, 7);
    cblas_dtrsm(order, 141, 121, 111, 131, 2, 2, 1, c, 1, c, 2);
    EXPECT_EQ(refused_argument, 10);
    cblas_dtrsm(order, 141, 121, 111, 131, 2, 2, 1, c, 2, c, 1);
    EXPECT_EQ(refused_argument, 12);
  }
  cblas_dgemm(100, 111, 111, 2, 2, 2, 1, c, 2, c, 2, 1, c, 2);
  EXPECT_EQ(refused_argument, 1);
  for (int at = 0; at < 6; ++at) EXPECT_EQ(c[at], at + 1);
}

TEST(Blas, TriangularSystemsOfEveryKindAreSolved) {
  std::mt19937_64 random(5);
  const int m = 40;
  const int n = 30;
  const double alpha = 0.5;
  for (const char side : {'L', 'R'}) {
    for (const char uplo : {'U', 'L'}) {
      for (const char trans : {'N', 'T'}) {
        for (const char diag : {'N', 'U'}) {
          const int order = side == 'L' ? m : n;
          Matrix a(order, order, 1, random);
          for (int j = 0; j < order; ++j) {
            for (int i = 0; i < order; ++i) a.at(i, j) *= 1.0 / order;
            a.at(j, j) = 1 + std::abs(a.at(j, j));
          }
          const Matrix b(m, n, 2, random);
          Matrix x = b;
          dtrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.values.data(), &a.ld, x.values.data(), &x.ld);
          EXPECT_TRUE(x.canaries_live());
          const auto entry = [&](int i, int j) -> long double {
            if (trans == 'T') std::swap(i, j);
            if (i == j) return diag == 'U' ? 1 : a.at(i, i);
            return (uplo == 'U') == (i < j) ? a.at(i, j) : 0;
          };
          for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
              long double sum = 0;
              for (int l = 0; l < order; ++l) {
                sum += side == 'L' ? entry(i, l) * static_cast<long double>(x.at(l, j))
                                   : static_cast<long double>(x.at(i, l)) * entry(l, j);
              }
              // Well conditioned; each of the steps before adds products to 50 bits.
              ASSERT_NEAR(static_cast<double>(sum), alpha * b.at(i, j), order * 0x1p-46)
                  << side << uplo << trans << diag;
            }
          }
        }
      }
    }
  }
}

TEST(Blas, RowMajorIsTheTransposedProblem) {
  std::mt19937_64 random(6);
  const Matrix a(7, 5, 0, random);  // row major 5 x 7
  const Matrix b(4, 7, 0, random);  // 7 x 4
  Matrix c(4, 5, 0, random);        // 5 x 4
  cblas_dgemm(101, 111, 111, 5, 4, 7, 1, a.values.data(), 7, b.values.data(), 4, 0, c.values.data(), 4);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int l = 0; l < 7; ++l) sum += a.at(l, i) * b.at(j, l);
      EXPECT_NEAR(c.at(j, i), sum, 0x1p-45);
    }
  }
}

TEST(Blas, TriangularSystemsOfNoOrderOrWithoutRightSidesReturnAtOnce) {
  const int none = 0;
  const int single = 1;
  const double zero = 0;
  const double one = 1;
  double a = 2;
  double b = 6;
  dtrsm_("L", "U", "N", "N", &none, &single, &one, &a, &single, &b, &single);
  dtrsm_("R", "U", "N", "N", &single, &none, &one, &a, &single, &b, &single);
  EXPECT_EQ(b, 6);
  dtrsm_("R", "L", "T", "N", &single, &single, &one, &a, &single, &b, &single);
  EXPECT_EQ(b, 3);
  dtrsm_("L", "U", "N", "N", &single, &single, &zero, &a, &single, &b, &single);
  EXPECT_EQ(b, 0);
}

TEST(Blas, ManyCallersAtOnceEachGetTheirOwnProduct) {
  constexpr int kCallers = 64;
  const int n = 24;
  const double one = 1;
  const double zero = 0;
  std::vector<int> wrong(kCallers);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      std::vector<double> a(n * n);
      std::vector<double> unit(n * n);
      std::vector<double> c(n * n, kNaN);
      for (int i = 0; i < n * n; ++i) a[static_cast<std::size_t>(i)] = caller * 1000 + i;
      for (int i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * n + i)] = 1;
      dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, unit.data(), &n, &zero, c.data(), &n);
      wrong[static_cast<std::size_t>(caller)] = c != a;
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const int differs : wrong) EXPECT_EQ(differs, 0);
}

}  // namespace

void xerbla_(const char* name, const int* info, std::size_t length) {
  refused_routine.assign(name, length);
  refused_argument = *info;
}

void cblas_xerbla(int position, const char* routine, const char* /*form*/, ...) {
  refused_routine = routine;
  const bool gemm = refused_routine == "cblas_dgemm";
  const std::vector<std::pair<int, int>> exchanged =
      gemm ? std::vector<std::pair<int, int>>{{4, 5}, {9, 11}} : std::vector<std::pair<int, int>>{{6, 7}};
  refused_argument = position;
  for (const auto& [one, other] : exchanged) {
    if (RowMajorStrg == 0) break;
    if (position == one) refused_argument = other;
    if (position == other) refused_argument = one;
  }
}
