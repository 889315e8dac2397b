// The host's own BLAS behind ours: the next library in the search order, or the one libgdrblas was linked with.
#pragma once

#include <cstdint>
#include <optional>

namespace gdr::blas {

/// dgemm's arguments, column major; letters are upper case N, T or C.
struct Gemm {
  char transa = 'N';
  char transb = 'N';
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  double alpha = 0;
  const double* a = nullptr;
  std::int64_t lda = 1;
  const double* b = nullptr;
  std::int64_t ldb = 1;
  double beta = 0;
  double* c = nullptr;
  std::int64_t ldc = 1;
};

/// dtrsm's arguments, column major, letters upper case.
struct Trsm {
  char side = 'L';
  char uplo = 'L';
  char transa = 'N';
  char diag = 'N';
  std::int64_t m = 0;
  std::int64_t n = 0;
  double alpha = 0;
  const double* a = nullptr;
  std::int64_t lda = 1;
  double* b = nullptr;
  std::int64_t ldb = 1;
};

/// By the host's routine, or, for sizes beyond its integers, by plain loops.
void host_gemm(const Gemm& call);
/// The same product where exponents leave the range of doubles on the way, which no BLAS computes well: plain loops on
/// the host's long doubles, of 15 bits of exponent and at least 64 of significand.
void host_gemm_of_long_range(const Gemm& call);
void host_trsm(const Trsm& call);

/// Hands a call from C with a bad argument to the host's cblas_dgemm or cblas_dtrsm, which says what it says without
/// us. False if the host has none, or its integers do not hold the sizes.
struct CblasGemm {
  int order;
  int transa;
  int transb;
  std::int64_t m, n, k;
  double alpha;
  const double* a;
  std::int64_t lda;
  const double* b;
  std::int64_t ldb;
  double beta;
  double* c;
  std::int64_t ldc;
};
struct CblasTrsm {
  int order;
  int side;
  int uplo;
  int transa;
  int diag;
  std::int64_t m, n;
  double alpha;
  const double* a;
  std::int64_t lda;
  double* b;
  std::int64_t ldb;
};
[[nodiscard]] bool refused_by_host(const CblasGemm& call);
[[nodiscard]] bool refused_by_host(const CblasTrsm& call);

/// Number of the first bad argument, as BLAS counts them; nothing if all are good.
[[nodiscard]] std::optional<int> bad_argument(const Gemm& call);
[[nodiscard]] std::optional<int> bad_argument(const Trsm& call);

}  // namespace gdr::blas
