// Symmetric and triangular matrices, triangles of products: every call sent to the board, against long double. Run once
// for each GDR_BLAS_PRECISION.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/blas.h"
#include "told_calls.h"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void dsymm_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            double*, const int*);
void dsyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const double*,
               const std::int64_t*, const double*, double*, const std::int64_t*);
void scipy_dsyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const double*,
                     const std::int64_t*, const double*, double*, const std::int64_t*);
void dsyr2k_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
             const int*, const double*, double*, const int*);
void dgemmtr_(const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*,
              const double*, const int*, const double*, double*, const int*);
void cblas_dgemmtr(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_dgemmtr_64(int, int, int, int, std::int64_t, std::int64_t, double, const double*, std::int64_t,
                      const double*, std::int64_t, double, double*, std::int64_t);
void cblas_dsyrk(int, int, int, int, int, double, const double*, int, double, double*, int);
void scipy_cblas_dsyrk64_(int, int, int, std::int64_t, std::int64_t, double, const double*, std::int64_t, double,
                          double*, std::int64_t);
// The handler of the names with 64-bit integers.
void xerbla_64_(const char* name, const std::int64_t* info, std::size_t length);
}

namespace {

std::string refused_wide_routine;
std::int64_t refused_wide_argument = 0;

constexpr double kUntouched = -12345.678;
const double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Square {
  int order;
  std::vector<double> values;
  Square(int n, double value) : order(n), values(static_cast<std::size_t>(n) * n, value) {}
  Square(int n, std::mt19937_64& random) : Square(n, 0.0) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : values) value = uniform(random);
  }
  double& at(int i, int j) { return values[static_cast<std::size_t>(j) * order + i]; }
  [[nodiscard]] double at(int i, int j) const { return values[static_cast<std::size_t>(j) * order + i]; }
};

/// 2^-48 or 2^-52 for each operand cut, 2^-60 for each sum, and three roundings of the host for each of the halves that
/// are added one after another.
double bound(int k) {
  const char* precision = std::getenv("GDR_BLAS_PRECISION");
  const bool full = precision != nullptr && std::string_view(precision) == "double";
  return (full ? 0x1p-52 : 0x1p-48) + 0x1p-50 + k * 0x1p-60;
}

bool in_triangle(char uplo, int i, int j) { return uplo == 'L' ? i >= j : i <= j; }

/// An element of op(A), a matrix that is stored as `triangle` says: 0 outside of a triangle, mirrored in a symmetric
/// one.
using Element = std::function<long double(int, int)>;

void expect_sum(const Element& a, const Element& b, int k, double alpha, double beta, double before, double found,
                int i, int j) {
  long double sum = 0;
  long double size = 0;
  for (int l = 0; l < k; ++l) {
    sum += a(i, l) * b(l, j);
    size += std::abs(a(i, l) * b(l, j));
  }
  const long double old = beta == 0 ? 0 : static_cast<long double>(beta) * before;
  ASSERT_LE(std::abs(found - (alpha * sum + old)), bound(k) * (std::abs(alpha) * size + std::abs(old)))
      << i << ',' << j;
}

Element plain(const Square& a, bool transposed = false) {
  return [&a, transposed](int i, int j) { return transposed ? a.at(j, i) : a.at(i, j); };
}

// Orders on both sides of the squares that are computed whole (512).
constexpr int kOrders[] = {1, 40, 530};

TEST(BlasLevel3, SymmetricRankKGivesOneTriangleAndLeavesTheOther) {
  std::mt19937_64 random(1);
  for (const int n : kOrders) {
    for (const char uplo : {'U', 'L'}) {
      for (const char trans : {'N', 'T'}) {
        const int k = n == 40 ? 70 : 20;
        const int ld = std::max(n, k);
        const Square a(ld, random);
        const Square b(ld, random);
        const double alpha = 0.7;
        const double beta = n == 1 ? 0 : -1.5;
        Square before(n, random);
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            if (!in_triangle(uplo, i, j)) before.at(i, j) = kUntouched;
          }
        }
        Square one = before;
        dsyrk_(&uplo, &trans, &n, &k, &alpha, a.values.data(), &ld, &beta, one.values.data(), &n);
        Square two = before;
        dsyr2k_(&uplo, &trans, &n, &k, &alpha, a.values.data(), &ld, b.values.data(), &ld, &beta, two.values.data(),
                &n);
        Square product = before;
        const char other = trans == 'N' ? 'T' : 'N';
        dgemmtr_(&uplo, &trans, &other, &n, &k, &alpha, a.values.data(), &ld, b.values.data(), &ld, &beta,
                 product.values.data(), &n);
        const Element left = plain(a, trans == 'T');
        const Element right = plain(b, trans == 'N');
        const auto both = [&](int i, int l) { return l < k ? left(i, l) : plain(b, trans == 'T')(i, l - k); };
        const auto both_turned = [&](int l, int j) { return l < k ? right(l, j) : plain(a, trans == 'N')(l - k, j); };
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            if (!in_triangle(uplo, i, j)) {
              ASSERT_EQ(one.at(i, j), kUntouched);
              ASSERT_EQ(two.at(i, j), kUntouched);
              ASSERT_EQ(product.at(i, j), kUntouched);
              continue;
            }
            const double old = before.at(i, j);
            ASSERT_NO_FATAL_FAILURE(expect_sum(left, plain(a, trans == 'N'), k, alpha, beta, old, one.at(i, j), i, j));
            ASSERT_NO_FATAL_FAILURE(expect_sum(left, right, k, alpha, beta, old, product.at(i, j), i, j));
            ASSERT_NO_FATAL_FAILURE(expect_sum(both, both_turned, 2 * k, alpha, beta, old, two.at(i, j), i, j));
          }
        }
      }
    }
  }
}

TEST(BlasLevel3, SymmetricAndTriangularMatricesMultiplyFromBothSides) {
  std::mt19937_64 random(2);
  for (const int order : kOrders) {
    for (const char side : {'L', 'R'}) {
      for (const char uplo : {'U', 'L'}) {
        for (const char trans : {'N', 'T'}) {
          const char diag = trans == 'N' ? 'U' : 'N';
          const int m = side == 'L' ? order : 9;
          const int n = side == 'L' ? 9 : order;
          const int ld = std::max(m, n);
          Square a(order, random);
          for (int j = 0; j < order; ++j) {
            for (int i = 0; i < order; ++i) {
              // Neither the other triangle nor a diagonal of ones is read.
              if (!in_triangle(uplo, i, j)) a.at(i, j) = kNaN;
            }
          }
          const Square b(ld, random);
          const Square before(ld, random);
          const double alpha = -0.7;
          const double beta = 0.5;
          Square c = before;
          dsymm_(&side, &uplo, &m, &n, &alpha, a.values.data(), &order, b.values.data(), &ld, &beta, c.values.data(),
                 &ld);
          for (int i = 0; diag == 'U' && i < order; ++i) a.at(i, i) = kNaN;
          const Square& kept = a;
          Square x = b;
          dtrmm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.values.data(), &order, x.values.data(), &ld);
          const Square original = b;
          const Element triangle = [&](int i, int j) -> long double {
            if (trans == 'T') std::swap(i, j);
            if (!in_triangle(uplo, i, j)) return 0;
            return i == j && diag == 'U' ? 1 : kept.at(i, j);
          };
          for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
              ASSERT_NO_FATAL_FAILURE(expect_sum(side == 'L' ? triangle : plain(original),
                                                 side == 'L' ? plain(original) : triangle, order, alpha, 0, 0,
                                                 x.at(i, j), i, j));
            }
          }
          if (diag == 'U') continue;
          const Element symmetric = [&](int i, int j) -> long double {
            return in_triangle(uplo, i, j) ? kept.at(i, j) : kept.at(j, i);
          };
          for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
              ASSERT_NO_FATAL_FAILURE(expect_sum(side == 'L' ? symmetric : plain(b), side == 'L' ? plain(b) : symmetric,
                                                 order, alpha, beta, before.at(i, j), c.at(i, j), i, j));
            }
          }
        }
      }
    }
  }
}

TEST(BlasLevel3, InfinityStaysInTheRowsThatATriangleSendsItTo) {
  const int n = 6;
  const double one = 1;
  Square a(n, 2.0);
  Square b(n, 1.0);
  b.at(4, 0) = std::numeric_limits<double>::infinity();
  dtrmm_("L", "L", "N", "N", &n, &n, &one, a.values.data(), &n, b.values.data(), &n);
  for (int i = 0; i < n; ++i) EXPECT_EQ(b.at(i, 0), i < 4 ? 2.0 * (i + 1) : std::numeric_limits<double>::infinity());
}

TEST(BlasLevel3, TheBoardComputesEachOfThemAndTheCallIsTold) {
  std::mt19937_64 random(3);
  const int n = 30;
  const double one = 1;
  const Square a(n, random);
  Square c(n, random);
  gdr::tests::ToldCalls told;
  const double* in = a.values.data();
  double* out = c.values.data();
  dsyrk_("L", "N", &n, &n, &one, in, &n, &one, out, &n);
  dsyr2k_("L", "N", &n, &n, &one, in, &n, in, &n, &one, out, &n);
  dsymm_("L", "L", &n, &n, &one, in, &n, in, &n, &one, out, &n);
  dtrmm_("R", "U", "N", "N", &n, &n, &one, in, &n, out, &n);
  dgemmtr_("L", "N", "N", &n, &n, &one, in, &n, in, &n, &one, out, &n);
  const std::vector<gdr_blas_call>& calls = told.calls;
  const char* const names[] = {"dsyrk", "dsyr2k", "dsymm", "dtrmm", "dgemmtr"};
  ASSERT_EQ(calls.size(), std::size(names));
  for (std::size_t at = 0; at < calls.size(); ++at) {
    EXPECT_STREQ(calls[at].routine, names[at]);
    EXPECT_EQ(calls[at].boards, 1) << names[at];
    EXPECT_GT(calls[at].emulated_seconds, 0);
    EXPECT_EQ(calls[at].host_seconds, 0);
    EXPECT_EQ(calls[at].n, n);
    EXPECT_EQ(calls[at].k, n);
  }
  EXPECT_EQ(calls[1].emulated_seconds, 2 * calls[0].emulated_seconds);
}

TEST(BlasLevel3, AMatrixWithItsOwnTransposedHasTheBitsOfTheProduct) {
  std::mt19937_64 random(4);
  const int n = 600;
  const int k = 10;
  const double one = 1;
  const double zero = 0;
  const Square a(n, random);
  Square whole(n, 0.0);
  dgemm_("N", "T", &n, &n, &k, &one, a.values.data(), &n, a.values.data(), &n, &zero, whole.values.data(), &n);
  Square half(n, kNaN);
  dsyrk_("U", "N", &n, &k, &one, a.values.data(), &n, &zero, half.values.data(), &n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      ASSERT_EQ(half.at(i, j), whole.at(i, j));
      ASSERT_EQ(whole.at(i, j), whole.at(j, i));
    }
  }
}

TEST(BlasLevel3, FacesOfCAndOf64BitIntegersAreTheSameRoutines) {
  std::mt19937_64 random(5);
  constexpr int n = 14;
  constexpr int k = 5;
  const std::int64_t wide_n = n;
  const std::int64_t wide_k = k;
  const double one = 1;
  const Square a(n, random);
  const Square b(n, random);
  const Square before(n, random);
  const auto computed = [&](const auto& call) {
    Square c = before;
    call(c.values.data());
    return c.values;
  };
  const double* in = a.values.data();
  const double* other = b.values.data();
  const std::vector<double> expected =
      computed([&](double* c) { dsyrk_("L", "T", &n, &k, &one, in, &n, &one, c, &n); });
  EXPECT_NE(expected, before.values);
  EXPECT_EQ(expected,
            computed([&](double* c) { dsyrk_64_("L", "T", &wide_n, &wide_k, &one, in, &wide_n, &one, c, &wide_n); }));
  EXPECT_EQ(expected, computed([&](double* c) {
              scipy_dsyrk_64_("L", "T", &wide_n, &wide_k, &one, in, &wide_n, &one, c, &wide_n);
            }));
  EXPECT_EQ(expected, computed([&](double* c) { cblas_dsyrk(102, 122, 112, n, k, 1, in, n, 1, c, n); }));
  EXPECT_EQ(expected, computed([&](double* c) { scipy_cblas_dsyrk64_(102, 122, 112, n, k, 1, in, n, 1, c, n); }));
  // Row by row it is the other triangle of the other order.
  EXPECT_EQ(expected, computed([&](double* c) { cblas_dsyrk(101, 121, 111, n, k, 1, in, n, 1, c, n); }));
  const std::vector<double> triangle =
      computed([&](double* c) { dgemmtr_("U", "N", "T", &n, &k, &one, in, &n, other, &n, &one, c, &n); });
  EXPECT_EQ(triangle,
            computed([&](double* c) { cblas_dgemmtr(102, 121, 111, 112, n, k, 1, in, n, other, n, 1, c, n); }));
  EXPECT_EQ(triangle,
            computed([&](double* c) { cblas_dgemmtr_64(101, 122, 112, 111, n, k, 1, other, n, in, n, 1, c, n); }));
}

TEST(BlasLevel3, BadArgumentsOf64BitIntegersReachTheirOwnHandler) {
  const std::int64_t n = 3;
  const std::int64_t short_ld = 2;
  const double one = 1;
  double c[9] = {};
  dsyrk_64_("L", "X", &n, &n, &one, c, &n, &one, c, &n);
  EXPECT_EQ(refused_wide_argument, 2);
  dsyrk_64_("L", "N", &n, &n, &one, c, &n, &one, c, &short_ld);
  EXPECT_EQ(refused_wide_argument, 10);
  EXPECT_EQ(refused_wide_routine, "DSYRK ");
}

TEST(BlasLevel3, ACallThatChangesNothingTouchesNothing) {
  // These cannot be written to.
  static const double constant[] = {1, 2, 3, 4};
  auto* const c = const_cast<double*>(constant);
  const int n = 2;
  const int none = 0;
  const double zero = 0;
  const double one = 1;
  dgemm_("N", "N", &n, &n, &n, &zero, nullptr, &n, nullptr, &n, &one, c, &n);
  dgemm_("N", "N", &n, &n, &none, &one, nullptr, &n, nullptr, &n, &one, c, &n);
  dsyrk_("L", "N", &n, &n, &zero, nullptr, &n, &one, c, &n);
  dsyrk_("L", "N", &n, &none, &one, nullptr, &n, &one, c, &n);
  dsyr2k_("L", "N", &n, &n, &zero, nullptr, &n, nullptr, &n, &one, c, &n);
  dsymm_("L", "L", &n, &n, &zero, nullptr, &n, nullptr, &n, &one, c, &n);
  dgemmtr_("L", "N", "N", &n, &n, &zero, nullptr, &n, nullptr, &n, &one, c, &n);
}

TEST(BlasLevel3, ZerosHaveTheSignOfTheReference) {
  const int n = 8;
  const double minus = -1;
  const double zero = 0;
  const Square nothing(n, 0.0);
  const Square b(n, 3.0);
  for (const char* transa : {"N", "T"}) {
    Square c(n, kNaN);
    dgemm_(transa, "N", &n, &n, &n, &minus, nothing.values.data(), &n, b.values.data(), &n, &zero, c.values.data(), &n);
    // The reference adds to +0 if A is not transposed, and multiplies the sum by alpha if it is.
    for (const double value : c.values) EXPECT_EQ(std::signbit(value), *transa == 'T');
  }
}

}  // namespace

void xerbla_64_(const char* name, const std::int64_t* info, std::size_t length) {
  refused_wide_routine.assign(name, length);
  refused_wide_argument = *info;
}
