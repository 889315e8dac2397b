// Batch invariance: an element of C has the same bits whatever it is computed together with. Every call goes to the
// board (GDR_BLAS_MIN_FLOPS=0 in CMake), once for each GDR_BLAS_PRECISION.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <type_traits>
#include <vector>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
}

namespace {

struct BatchShape {
  int m;
  int n;
  int k;
};
/// Up to one chip, several chips, and several passes deep, also of floats; tall and wide ones, whose transposed
/// products suit the board.
constexpr std::array<BatchShape, 5> kBatchShapes{
    {{70, 9, 300}, {20, 4, 700}, {3, 30, 600}, {9, 3, 2100}, {5, 3, 4200}}};

template <class Number>
void gemm(const char* transa, const char* transb, const int* m, const int* n, const int* k, const Number* alpha,
          const Number* a, const int* lda, const Number* b, const int* ldb, const Number* beta, Number* c,
          const int* ldc) {
  if constexpr (std::is_same_v<Number, double>) {
    dgemm_(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else {
    sgemm_(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
}

template <class Number>
class BatchInvariance : public testing::Test {};
using NumberTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchInvariance, NumberTypes);

template <class Number>
std::vector<Number> random_numbers(std::size_t count, std::mt19937_64& random) {
  std::uniform_real_distribution<Number> uniform(-0.5, 0.5);
  std::vector<Number> numbers(count);
  for (Number& number : numbers) number = uniform(random);
  return numbers;
}

/// C = A B, in parts of `rows` x `columns`.
template <class Number>
std::vector<Number> product_in_parts(const BatchShape& shape, const std::vector<Number>& a,
                                     const std::vector<Number>& b, int rows, int columns) {
  std::vector<Number> c(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
  const Number one = 1;
  const Number zero = 0;
  for (int i = 0; i < shape.m; i += rows) {
    for (int j = 0; j < shape.n; j += columns) {
      const int m = std::min(rows, shape.m - i);
      const int n = std::min(columns, shape.n - j);
      gemm("N", "N", &m, &n, &shape.k, &one, a.data() + i, &shape.m,
           b.data() + static_cast<std::ptrdiff_t>(j) * shape.k, &shape.k, &zero,
           c.data() + static_cast<std::ptrdiff_t>(j) * shape.m + i, &shape.m);
    }
  }
  return c;
}

/// The transposed product B^T A^T, transposed.
template <class Number>
std::vector<Number> transposed_product(const BatchShape& shape, const std::vector<Number>& a,
                                       const std::vector<Number>& b) {
  std::vector<Number> across(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
  const Number one = 1;
  const Number zero = 0;
  gemm("T", "T", &shape.n, &shape.m, &shape.k, &one, b.data(), &shape.k, a.data(), &shape.m, &zero, across.data(),
       &shape.n);
  std::vector<Number> c(across.size());
  for (int j = 0; j < shape.n; ++j) {
    for (int i = 0; i < shape.m; ++i) {
      c[static_cast<std::size_t>(j * shape.m + i)] = across[static_cast<std::size_t>(i * shape.n + j)];
    }
  }
  return c;
}

TYPED_TEST(BatchInvariance, AnElementHasTheSameBitsAloneAndInAnyProduct) {
  std::mt19937_64 random(5);
  for (const BatchShape& shape : kBatchShapes) {
    const auto words = [](int rows, int columns) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const std::vector<TypeParam> a = random_numbers<TypeParam>(words(shape.m, shape.k), random);
    const std::vector<TypeParam> b = random_numbers<TypeParam>(words(shape.k, shape.n), random);
    const std::vector<TypeParam> whole = product_in_parts(shape, a, b, shape.m, shape.n);
    EXPECT_EQ(whole, product_in_parts(shape, a, b, shape.m, 1)) << "column by column, m = " << shape.m;
    EXPECT_EQ(whole, product_in_parts(shape, a, b, 11, shape.n)) << "11 rows at a time, m = " << shape.m;
    EXPECT_EQ(whole, product_in_parts(shape, a, b, 30, 5)) << "in blocks, m = " << shape.m;
    EXPECT_EQ(whole, transposed_product(shape, a, b)) << "transposed, m = " << shape.m;
  }
}

TYPED_TEST(BatchInvariance, AMatrixTimesItsOwnTransposedIsSymmetric) {
  std::mt19937_64 random(1);
  for (const auto& [n, k] : {std::array{64, 64}, std::array{130, 300}, std::array{100, 2100}}) {
    const std::vector<TypeParam> a =
        random_numbers<TypeParam>(static_cast<std::size_t>(n) * static_cast<std::size_t>(k), random);
    std::vector<TypeParam> c(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    const TypeParam one = 1;
    const TypeParam zero = 0;
    gemm("N", "T", &n, &n, &k, &one, a.data(), &n, a.data(), &n, &zero, c.data(), &n);
    std::size_t differ = 0;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < j; ++i) {
        differ += c[static_cast<std::size_t>(j * n + i)] != c[static_cast<std::size_t>(i * n + j)];
      }
    }
    EXPECT_EQ(differ, 0U) << n << ' ' << k;
  }
}

}  // namespace
