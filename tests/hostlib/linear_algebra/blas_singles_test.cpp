// Products of floats, every call sent to the board, against long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/blas.h"
#include "told_calls.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void sgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const float*,
               const float*, const std::int64_t*, const float*, const std::int64_t*, const float*, float*,
               const std::int64_t*);
void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*, const int*, const float*,
            float*, const int*);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
void scipy_cblas_sgemm64_(int, int, int, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                          const float*, std::int64_t, float, float*, std::int64_t);
void cblas_ssyrk(int, int, int, int, int, float, const float*, int, float, float*, int);
}

namespace {

constexpr float kUntouched = -12345.5F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Column major, with some rows of padding.
struct Matrix {
  int rows;
  int ld;
  std::vector<float> values;
  Matrix(int m, int n, int padding, float value)
      : rows(m), ld(m + padding), values(static_cast<std::size_t>(ld) * n, kUntouched) {
    for (int j = 0; j < n; ++j) std::fill_n(values.begin() + std::ptrdiff_t{j} * ld, m, value);
  }
  Matrix(int m, int n, int padding, std::mt19937_64& random) : Matrix(m, n, padding, 0) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& value : values) value = value == kUntouched ? value : uniform(random);
  }
  float& at(int i, int j) { return values[static_cast<std::size_t>(j) * ld + i]; }
  [[nodiscard]] float at(int i, int j) const { return values[static_cast<std::size_t>(j) * ld + i]; }
};

struct Sums {
  long double sum = 0;
  long double size = 0;  // of the magnitudes
};

template <class A, class B>
Sums sums_of(int k, const A& a, const B& b) {
  Sums sums;
  for (int l = 0; l < k; ++l) {
    const long double product = static_cast<long double>(a(l)) * b(l);
    sums.sum += product;
    sums.size += std::abs(product);
  }
  return sums;
}

/// Sums in long words have 60 bits, and C is rounded to a float once.
void expect_near(float found, const Sums& sums, int k, float alpha, float beta, float before) {
  const long double old = beta == 0 ? 0 : static_cast<long double>(beta) * before;
  const long double expected = alpha * sums.sum + old;
  const long double bound = (k * 0x1p-60L + 0x1p-52L) * (std::abs(alpha) * sums.size + std::abs(old)) +
                            0x1p-24L * std::abs(expected) + 0x1p-150L;
  // As a comparison that a NaN fails.
  ASSERT_TRUE(std::abs(found - expected) <= bound) << found << " instead of " << static_cast<double>(expected);
}

TEST(BlasSingles, ShapesTransposesScalarsAndPaddingGiveTheProductAndTouchNothingElse) {
  std::mt19937_64 random(3);
  gdr::tests::ToldCalls told;
  std::size_t calls = 0;
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {5, 3, 7}, {70, 2, 130}, {33, 41, 600}, {300, 5, 1500}}) {
    for (const char transa : {'N', 'T'}) {
      for (const char transb : {'N', 'C'}) {
        const Matrix a = transa == 'N' ? Matrix(m, k, 2, random) : Matrix(k, m, 2, random);
        const Matrix b = transb == 'N' ? Matrix(k, n, 1, random) : Matrix(n, k, 1, random);
        const Matrix before(m, n, 3, random);
        Matrix c = before;
        const float alpha = transa == 'N' ? 1 : -0.3F;
        const float beta = transb == 'N' ? 0 : 1.7F;
        sgemm_(&transa, &transb, &m, &n, &k, &alpha, a.values.data(), &a.ld, b.values.data(), &b.ld, &beta,
               c.values.data(), &c.ld);
        ++calls;
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < m; ++i) {
            const Sums sums = sums_of(
                k, [&](int l) { return transa == 'N' ? a.at(i, l) : a.at(l, i); },
                [&](int l) { return transb == 'N' ? b.at(l, j) : b.at(j, l); });
            expect_near(c.at(i, j), sums, k, alpha, beta, before.at(i, j));
          }
          for (int i = m; i < c.ld; ++i) ASSERT_EQ(c.at(i, j), kUntouched);
        }
      }
    }
  }
  ASSERT_EQ(told.calls.size(), calls);
  for (const gdr_blas_call& call : told.calls) {
    EXPECT_STREQ(call.routine, "sgemm");
    EXPECT_EQ(call.boards, 1);
    EXPECT_GT(call.emulated_seconds, 0);
    EXPECT_EQ(call.host_seconds, 0);
  }
}

TEST(BlasSingles, AMatrixWithItsOwnTransposedHasTheBitsOfTheProductInOneTriangle) {
  std::mt19937_64 random(4);
  // Orders on both sides of the squares that are computed whole (512).
  for (const int n : {1, 37, 530}) {
    for (const char uplo : {'L', 'U'}) {
      for (const char trans : {'N', 'T'}) {
        const int k = n == 37 ? 90 : 24;
        const Matrix a = trans == 'N' ? Matrix(n, k, 1, random) : Matrix(k, n, 1, random);
        const char other = trans == 'N' ? 'T' : 'N';
        const float alpha = 0.7F;
        const float beta = uplo == 'L' ? 0 : -1.5F;
        Matrix product(n, n, 0, random);
        Matrix c = product;
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            if (uplo == 'L' ? i < j : i > j) c.at(i, j) = kNaN;
          }
        }
        ssyrk_(&uplo, &trans, &n, &k, &alpha, a.values.data(), &a.ld, &beta, c.values.data(), &n);
        sgemm_(&trans, &other, &n, &n, &k, &alpha, a.values.data(), &a.ld, a.values.data(), &a.ld, &beta,
               product.values.data(), &n);
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            if (uplo == 'L' ? i < j : i > j) {
              ASSERT_TRUE(std::isnan(c.at(i, j)));
            } else {
              ASSERT_EQ(c.at(i, j), product.at(i, j)) << n << uplo << trans << ' ' << i << ',' << j;
            }
          }
        }
      }
    }
  }
}

TEST(BlasSingles, EndsOfTheRangeAreThoseOfFloats) {
  const int one = 1;
  const int two = 2;
  const float alpha = 1;
  const float beta = 0;
  const auto product = [&](std::vector<float> a, std::vector<float> b) {
    float c = kNaN;  // which beta = 0 never reads
    sgemm_("N", "N", &one, &one, &two, &alpha, a.data(), &one, b.data(), &two, &beta, &c, &one);
    return c;
  };
  EXPECT_EQ(product({0x1p-149F, 0x1p-148F}, {1, 1}), 0x1.8p-148F);
  EXPECT_EQ(product({0x1p-80F, 0x1p-75F}, {0x1p-75F, 0x1p-75F}), 0x1p-149F) << "rounded once, from 2^-150 + 2^-155";
  EXPECT_EQ(product({0x1p127F, 0x1p127F}, {1, 1}), kInfinity);
  EXPECT_EQ(product({0x1p127F, 0x1p127F}, {2, -1.5F}), 0x1p126F) << "nothing overflows on the way";
  EXPECT_EQ(product({0x1p100F, 0x1p-100F}, {0x1p-100F, 0x1p-10F}), 1);
  EXPECT_EQ(product({kInfinity, 1}, {1, 1}), kInfinity);
  EXPECT_TRUE(std::isnan(product({kInfinity, 1}, {0, 1})));
  EXPECT_TRUE(std::isnan(product({kNaN, 1}, {0, 1})));
}

TEST(BlasSingles, FacesOfCAndOf64BitIntegersAreTheSameRoutines) {
  std::mt19937_64 random(5);
  const int m = 9;
  const int n = 6;
  const int k = 11;
  const std::int64_t wide[] = {m, n, k};
  const float alpha = 0.6F;
  const float beta = -2;
  const Matrix a(m, k, 0, random);
  const Matrix b(k, n, 0, random);
  const Matrix before(m, n, 0, random);
  const float* left = a.values.data();
  const float* right = b.values.data();
  const auto computed = [&](const auto& call) {
    std::vector<float> c = before.values;
    call(c.data());
    return c;
  };
  const std::vector<float> expected =
      computed([&](float* c) { sgemm_("N", "N", &m, &n, &k, &alpha, left, &m, right, &k, &beta, c, &m); });
  EXPECT_NE(expected, before.values);
  EXPECT_EQ(expected, computed([&](float* c) {
              sgemm_64_("N", "N", &wide[0], &wide[1], &wide[2], &alpha, left, &wide[0], right, &wide[2], &beta, c,
                        &wide[0]);
            }));
  EXPECT_EQ(expected,
            computed([&](float* c) { cblas_sgemm(102, 111, 111, m, n, k, alpha, left, m, right, k, beta, c, m); }));
  // Row by row it is the transposed product.
  EXPECT_EQ(expected, computed([&](float* c) {
              scipy_cblas_sgemm64_(101, 111, 111, n, m, k, alpha, right, k, left, m, beta, c, m);
            }));
  const auto square = [&](const auto& call) {
    std::vector<float> c(static_cast<std::size_t>(m) * m, 1);
    call(c.data());
    return c;
  };
  EXPECT_EQ(square([&](float* c) { ssyrk_("L", "N", &m, &k, &alpha, left, &m, &beta, c, &m); }),
            square([&](float* c) { cblas_ssyrk(101, 121, 112, m, k, alpha, left, m, beta, c, m); }));
}

TEST(BlasSingles, ACallThatChangesNothingTouchesNothing) {
  static const float constant[] = {1, 2, 3, 4};  // cannot be written to
  auto* const c = const_cast<float*>(constant);
  const int n = 2;
  const int none = 0;
  const float zero = 0;
  const float one = 1;
  sgemm_("N", "N", &n, &n, &n, &zero, nullptr, &n, nullptr, &n, &one, c, &n);
  sgemm_("N", "N", &n, &n, &none, &one, nullptr, &n, nullptr, &n, &one, c, &n);
  ssyrk_("L", "N", &n, &n, &zero, nullptr, &n, &one, c, &n);
  ssyrk_("L", "N", &n, &none, &one, nullptr, &n, &one, c, &n);
}

}  // namespace
