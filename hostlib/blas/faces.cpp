// The names that programs call: BLAS's Fortran face and CBLAS, with 32- and 64-bit integers. Everything else of BLAS
// comes from the host's library, with which this one is linked.
#include <dlfcn.h>

#include <cctype>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "service.h"

#define GDR_BLAS_FACE extern "C" [[gnu::visibility("default")]]

// The reference CBLAS tells its error handler by these what it was doing; programs that bring a handler of their own
// look for them. Weak where the host's library has them.
GDR_BLAS_FACE int RowMajorStrg;
GDR_BLAS_FACE int CBLAS_CallFromC;
int RowMajorStrg = 0;
int CBLAS_CallFromC = 0;

extern "C" void xerbla_(const char* name, const int* info, std::size_t length);

namespace gdr::blas {
namespace {

// CBLAS's enumerations.
constexpr int kRowMajor = 101;
constexpr int kColumnMajor = 102;

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

char letter_of(int code, int first, const char* letters) {
  const int index = code - first;
  for (int n = 0; letters[n] != '\0'; ++n) {
    if (n == index) return letters[n];
  }
  return '?';
}
char transpose_of(int code) { return letter_of(code, 111, "NTC"); }
char uplo_of(int code) { return letter_of(code, 121, "UL"); }
char diagonal_of(int code) { return letter_of(code, 131, "NU"); }
char side_of(int code) { return letter_of(code, 141, "LR"); }

/// Handler of errors that the program brings itself; null if it leaves that to its BLAS.
using Handler = void (*)(int, const char*, const char*, ...);
Handler handler_of_program() {
  void* first = dlsym(RTLD_DEFAULT, "cblas_xerbla");
  return first == dlsym(RTLD_NEXT, "cblas_xerbla") ? nullptr : reinterpret_cast<Handler>(first);
}

/// A bad argument of a C call: position `info` in it, column-major order of arguments, as the reference library counts.
/// The program's own handler is told, and exchanges what row-major order exchanges; without one the host's BLAS refuses
/// the call as it would without us. If that has no CBLAS either, xerbla_ is told.
template <class Call>
void refuse(const char* name, int info, bool row_major, const char* what, const Call& call) {
  if (const Handler handler = handler_of_program(); handler != nullptr) {
    RowMajorStrg = row_major ? 1 : 0;
    CBLAS_CallFromC = 1;
    handler(info, name, "%s", what);
    CBLAS_CallFromC = 0;
    RowMajorStrg = 0;
    return;
  }
  if (refused_by_host(call)) return;
  if (row_major) {
    constexpr bool kGemm = std::is_same_v<Call, CblasGemm>;
    constexpr std::pair<int, int> kSizes = kGemm ? std::pair(4, 5) : std::pair(6, 7);
    constexpr std::pair<int, int> kLeading = kGemm ? std::pair(9, 11) : std::pair(0, 0);
    for (const auto& [first, second] : {kSizes, kLeading}) {
      if (info == first) {
        info = second;
      } else if (info == second) {
        info = first;
      }
    }
  }
  xerbla_(name, &info, std::char_traits<char>::length(name));
}

template <class Integer>
void gemm_face(const char* transa, const char* transb, const Integer* m, const Integer* n, const Integer* k,
               const double* alpha, const double* a, const Integer* lda, const double* b, const Integer* ldb,
               const double* beta, double* c, const Integer* ldc) {
  const Gemm call{upper(*transa), upper(*transb), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc};
  if (const auto info = bad_argument(call)) return xerbla_("DGEMM ", &*info, 6);
  gemm(call);
}

template <class Integer>
void trsm_face(const char* side, const char* uplo, const char* transa, const char* diag, const Integer* m,
               const Integer* n, const double* alpha, const double* a, const Integer* lda, double* b,
               const Integer* ldb) {
  const Trsm call{upper(*side), upper(*uplo), upper(*transa), upper(*diag), *m, *n, *alpha, a, *lda, b, *ldb};
  if (const auto info = bad_argument(call)) return xerbla_("DTRSM ", &*info, 6);
  trsm(call);
}

template <class Integer>
void cblas_gemm(int order, int transa, int transb, Integer m, Integer n, Integer k, double alpha, const double* a,
                Integer lda, const double* b, Integer ldb, double beta, double* c, Integer ldc) {
  const bool row_major = order == kRowMajor;
  const auto bad = [&](int info, const char* what) {
    refuse("cblas_dgemm", info, row_major, what,
           CblasGemm{order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
  };
  if (!row_major && order != kColumnMajor) return bad(1, "illegal order");
  if (transpose_of(transa) == '?') return bad(2, "illegal transpose of A");
  if (transpose_of(transb) == '?') return bad(3, "illegal transpose of B");
  // Row major is the transposed product of the transposed matrices.
  const Gemm call =
      row_major ? Gemm{transpose_of(transb), transpose_of(transa), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc}
                : Gemm{transpose_of(transa), transpose_of(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  if (const auto info = bad_argument(call)) return bad(*info + 1, "");
  gemm(call);
}

template <class Integer>
void cblas_trsm(int order, int side, int uplo, int transa, int diag, Integer m, Integer n, double alpha,
                const double* a, Integer lda, double* b, Integer ldb) {
  const bool row_major = order == kRowMajor;
  const auto bad = [&](int info, const char* what) {
    refuse("cblas_dtrsm", info, row_major, what,
           CblasTrsm{order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb});
  };
  if (!row_major && order != kColumnMajor) return bad(1, "illegal order");
  if (side_of(side) == '?') return bad(2, "illegal side");
  if (uplo_of(uplo) == '?') return bad(3, "illegal triangle");
  if (transpose_of(transa) == '?') return bad(4, "illegal transpose of A");
  if (diagonal_of(diag) == '?') return bad(5, "illegal diagonal");
  Trsm call{side_of(side), uplo_of(uplo), transpose_of(transa), diagonal_of(diag), m, n, alpha, a, lda, b, ldb};
  if (row_major) {
    call.side = call.side == 'L' ? 'R' : 'L';
    call.uplo = call.uplo == 'L' ? 'U' : 'L';
    std::swap(call.m, call.n);
  }
  if (const auto info = bad_argument(call)) return bad(*info + 1, "");
  trsm(call);
}

}  // namespace
}  // namespace gdr::blas

#define GDR_BLAS_FORTRAN(SUFFIX, Integer)                                                                       \
  GDR_BLAS_FACE void dgemm_##SUFFIX(const char* transa, const char* transb, const Integer* m, const Integer* n, \
                                    const Integer* k, const double* alpha, const double* a, const Integer* lda, \
                                    const double* b, const Integer* ldb, const double* beta, double* c,         \
                                    const Integer* ldc) {                                                       \
    gdr::blas::gemm_face(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                         \
  }                                                                                                             \
  GDR_BLAS_FACE void dtrsm_##SUFFIX(const char* side, const char* uplo, const char* transa, const char* diag,   \
                                    const Integer* m, const Integer* n, const double* alpha, const double* a,   \
                                    const Integer* lda, double* b, const Integer* ldb) {                        \
    gdr::blas::trsm_face(side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);                                \
  }

#define GDR_BLAS_C(GEMM, TRSM, Integer)                                                                            \
  GDR_BLAS_FACE void GEMM(int order, int transa, int transb, Integer m, Integer n, Integer k, double alpha,        \
                          const double* a, Integer lda, const double* b, Integer ldb, double beta, double* c,      \
                          Integer ldc) {                                                                           \
    gdr::blas::cblas_gemm(order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                    \
  }                                                                                                                \
  GDR_BLAS_FACE void TRSM(int order, int side, int uplo, int transa, int diag, Integer m, Integer n, double alpha, \
                          const double* a, Integer lda, double* b, Integer ldb) {                                  \
    gdr::blas::cblas_trsm(order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb);                           \
  }

GDR_BLAS_FACE void gdr_blas_on_call(gdr_blas_hook hook, void* context) { gdr::blas::set_hook(hook, context); }

GDR_BLAS_FORTRAN(, std::int32_t)
GDR_BLAS_FORTRAN(64_, std::int64_t)
GDR_BLAS_C(cblas_dgemm, cblas_dtrsm, std::int32_t)
GDR_BLAS_C(cblas_dgemm_64, cblas_dtrsm_64, std::int64_t)
// OpenBLAS's spelling.
GDR_BLAS_C(cblas_dgemm64_, cblas_dtrsm64_, std::int64_t)
