// Level 3 of BLAS in the types and routines that boards do not compute. The host's library computes; the calls are
// counted, so that the report's share of the board is one of the whole.
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "integers.h"
#include "service.h"

namespace gdr::blas::host_faces {
namespace {

constexpr int kLeftOfC = 141;
/// Operations of a product and a sum of complex numbers beside those of real ones.
constexpr double kComplex = 4;

double real(std::int64_t size) { return static_cast<double>(size); }
bool is_left(const char* side) { return *side == 'L' || *side == 'l'; }
bool is_left(int side) { return side == kLeftOfC; }

double product(std::int64_t m, std::int64_t n, std::int64_t k) { return 2 * real(m) * real(n) * real(k); }
template <class Side>
double with_symmetric(Side side, std::int64_t m, std::int64_t n) {
  return product(m, n, is_left(side) ? m : n);
}
double own_product(std::int64_t n, std::int64_t k) { return real(n) * (real(n) + 1) * real(k); }
template <class Side>
double with_triangle(Side side, std::int64_t m, std::int64_t n) {
  return with_symmetric(side, m, n) / 2;
}

/// Whole numbers of a call from C or Fortran.
std::int64_t whole(const void* argument) { return at<Integers::as_host>(argument); }
std::int64_t whole(Word word) { return of<Integers::as_host>(word); }

/// Calls the host's routine. The lengths of Fortran's letters come at the end.
template <class... Arguments>
void forward(const char* name, BehindOurs& routine, Arguments... arguments) {
  void* const host = routine.get();
  if (host == nullptr) {
    std::fprintf(stderr, "libgdrblas: the host's BLAS has no %s\n", name);
    std::abort();
  }
  constexpr std::size_t kLetters = (std::size_t{std::is_same_v<Arguments, const char*>} + ...);
  // At most four. A callee that takes fewer or none does not look at them.
  if constexpr (kLetters == 0) {
    reinterpret_cast<void (*)(Arguments...)>(host)(arguments...);
  } else {
    using Function = void (*)(Arguments..., std::size_t, std::size_t, std::size_t, std::size_t);
    reinterpret_cast<Function>(host)(arguments..., 1, 1, 1, 1);
  }
}

}  // namespace

#define GDR_OF_HOST(ROUTINE, NAME, FLOPS, PARAMETERS, ...) \
  GDR_BLAS_FACE void NAME PARAMETERS {                     \
    constinit static BehindOurs host(#NAME);               \
    count_unserved(#ROUTINE, FLOPS);                       \
    forward(#NAME, host, __VA_ARGS__);                     \
  }

// LETTER of the type, its part of 1 or kComplex in operations, and how C passes a number of it.
#define GDR_GEMM(ROUTINE, PART, Alpha, Beta)                                                                           \
  GDR_OF_HOST(ROUTINE, ROUTINE##_, (product(whole(m), whole(n), whole(k))) * (PART),                                   \
              (const char* transa, const char* transb, const void* m, const void* n, const void* k, const void* alpha, \
               const void* a, const void* lda, const void* b, const void* ldb, const void* beta, const void* c,        \
               const void* ldc),                                                                                       \
              transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)                                            \
  GDR_OF_HOST(ROUTINE, cblas_##ROUTINE, (product(whole(m), whole(n), whole(k))) * (PART),                              \
              (int order, int transa, int transb, Word m, Word n, Word k, Alpha alpha, const void* a, Word lda,        \
               const void* b, Word ldb, Alpha beta, const void* c, Word ldc),                                          \
              order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define GDR_SYMM(ROUTINE, PART, Alpha, Beta)                                                                       \
  GDR_OF_HOST(ROUTINE, ROUTINE##_, (with_symmetric(side, whole(m), whole(n))) * (PART),                            \
              (const char* side, const char* uplo, const void* m, const void* n, const void* alpha, const void* a, \
               const void* lda, const void* b, const void* ldb, const void* beta, const void* c, const void* ldc), \
              side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)                                               \
  GDR_OF_HOST(ROUTINE, cblas_##ROUTINE, (with_symmetric(side, whole(m), whole(n))) * (PART),                       \
              (int order, int side, int uplo, Word m, Word n, Alpha alpha, const void* a, Word lda, const void* b, \
               Word ldb, Alpha beta, const void* c, Word ldc),                                                     \
              order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
#define GDR_SYRK(ROUTINE, PART, Alpha, Beta)                                                                        \
  GDR_OF_HOST(ROUTINE, ROUTINE##_, (own_product(whole(n), whole(k))) * (PART),                                      \
              (const char* uplo, const char* trans, const void* n, const void* k, const void* alpha, const void* a, \
               const void* lda, const void* beta, const void* c, const void* ldc),                                  \
              uplo, trans, n, k, alpha, a, lda, beta, c, ldc)                                                       \
  GDR_OF_HOST(ROUTINE, cblas_##ROUTINE, (own_product(whole(n), whole(k))) * (PART),                                 \
              (int order, int uplo, int trans, Word n, Word k, Alpha alpha, const void* a, Word lda, Alpha beta,    \
               const void* c, Word ldc),                                                                            \
              order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
#define GDR_SYR2K(ROUTINE, PART, Alpha, Beta)                                                                       \
  GDR_OF_HOST(ROUTINE, ROUTINE##_, (2 * own_product(whole(n), whole(k))) * (PART),                                  \
              (const char* uplo, const char* trans, const void* n, const void* k, const void* alpha, const void* a, \
               const void* lda, const void* b, const void* ldb, const void* beta, const void* c, const void* ldc),  \
              uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)                                               \
  GDR_OF_HOST(ROUTINE, cblas_##ROUTINE, (2 * own_product(whole(n), whole(k))) * (PART),                             \
              (int order, int uplo, int trans, Word n, Word k, Alpha alpha, const void* a, Word lda, const void* b, \
               Word ldb, Beta beta, const void* c, Word ldc),                                                       \
              order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define GDR_TRXM(ROUTINE, PART, Alpha, Beta)                                                                           \
  GDR_OF_HOST(ROUTINE, ROUTINE##_, (with_triangle(side, whole(m), whole(n))) * (PART),                                 \
              (const char* side, const char* uplo, const char* transa, const char* diag, const void* m, const void* n, \
               const void* alpha, const void* a, const void* lda, const void* b, const void* ldb),                     \
              side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)                                                   \
  GDR_OF_HOST(ROUTINE, cblas_##ROUTINE, (with_triangle(side, whole(m), whole(n))) * (PART),                            \
              (int order, int side, int uplo, int transa, int diag, Word m, Word n, Alpha alpha, const void* a,        \
               Word lda, const void* b, Word ldb),                                                                     \
              order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)

// Boards have the products of floats, and those of a matrix of floats with itself.
#define GDR_TYPE(LETTER, PART, Number)           \
  GDR_SYMM(LETTER##symm, PART, Number, Number)   \
  GDR_SYR2K(LETTER##syr2k, PART, Number, Number) \
  GDR_TRXM(LETTER##trmm, PART, Number, Number)   \
  GDR_TRXM(LETTER##trsm, PART, Number, Number)
GDR_TYPE(s, 1, float)
GDR_TYPE(c, kComplex, const void*)
GDR_TYPE(z, kComplex, const void*)
GDR_GEMM(cgemm, kComplex, const void*, const void*)
GDR_GEMM(zgemm, kComplex, const void*, const void*)
GDR_SYRK(csyrk, kComplex, const void*, const void*)
GDR_SYRK(zsyrk, kComplex, const void*, const void*)

// Hermitian matrices: the numbers of a matrix with its own conjugate are real.
GDR_SYMM(chemm, kComplex, const void*, const void*)
GDR_SYMM(zhemm, kComplex, const void*, const void*)
GDR_SYRK(cherk, kComplex, float, float)
GDR_SYRK(zherk, kComplex, double, double)
GDR_SYR2K(cher2k, kComplex, const void*, float)
GDR_SYR2K(zher2k, kComplex, const void*, double)

}  // namespace gdr::blas::host_faces
