// The names of the routines that boards compute: BLAS's Fortran face and CBLAS, with 32- and 64-bit integers. The rest
// of level 3 is in host_faces.cpp; everything else of BLAS comes from the host's library.
#include <dlfcn.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "integers.h"
#include "service.h"

// The reference CBLAS tells its error handler by these what it was doing; programs that bring a handler of their own
// look for them. Weak where the host's library has them.
GDR_BLAS_FACE int RowMajorStrg;
GDR_BLAS_FACE int CBLAS_CallFromC;
int RowMajorStrg = 0;
int CBLAS_CallFromC = 0;

extern "C" {
void xerbla_(const char* name, const void* info, std::size_t length);
// Those of the names with 64-bit integers, which few libraries have. Programs may bring their own.
[[gnu::weak]] void xerbla_64_(const char* name, const std::int64_t* info, std::size_t length);
[[gnu::weak]] void cblas_xerbla_64(std::int64_t info, const char* name, const char* form, ...);
}

namespace gdr::blas {
namespace {

// CBLAS's enumerations.
constexpr int kRowMajor = 101;
constexpr int kColumnMajor = 102;

char upper(const char* letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter))); }

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

// What row-major order makes of a triangle, a side, and a matrix that is multiplied with its own transposed.
char other_triangle(char uplo) { return uplo == 'L' ? 'U' : 'L'; }
char other_side(char side) { return side == 'L' ? 'R' : 'L'; }
char other_transpose(char trans) { return trans == 'N' ? 'T' : 'N'; }

/// Tells a bad argument of a Fortran call. Names with 64-bit integers have a handler of their own.
template <Integers kind>
void refuse(const std::string& name, int info) {
  const std::int64_t wide = info;
  if (kind == Integers::wide && xerbla_64_ != nullptr) return xerbla_64_(name.c_str(), &wide, name.size());
  if (host_has_wide_integers()) return xerbla_(name.c_str(), &wide, name.size());
  const std::int32_t narrow = info;
  xerbla_(name.c_str(), &narrow, name.size());
}

/// Handler of errors that the program brings itself; null if it leaves that to its BLAS.
template <class Integer>
using Handler = void (*)(Integer, const char*, const char*, ...);
template <class Integer>
Handler<Integer> handler_of_program(const char* name) {
  void* first = dlsym(RTLD_DEFAULT, name);
  return first == dlsym(RTLD_NEXT, name) ? nullptr : reinterpret_cast<Handler<Integer>>(first);
}

/// Positions that row-major order exchanges in the arguments of a routine.
using Exchanges = std::pair<std::pair<int, int>, std::pair<int, int>>;
constexpr Exchanges kNothing{{0, 0}, {0, 0}};

/// Refuses calls from C. `arguments` are those of the call.
template <Integers kind, class Arguments>
class Refusal {
 public:
  Refusal(const char* name, int order, const Exchanges& exchanges, const Arguments& arguments)
      : name_(name), row_major_(order == kRowMajor), exchanges_(exchanges), arguments_(arguments) {}

  /// A bad argument: position `info` in the call, in the column-major order of arguments, as the reference library
  /// counts. The program's own handler is told, and exchanges what row-major order exchanges; without one the host's
  /// BLAS refuses the call as it would without us. If that has no CBLAS either, xerbla_ is told.
  void operator()(int info, const char* what = "") const {
    // A program with wide integers has only wide ones, under either name.
    using Integer = std::conditional_t<kind == Integers::wide, std::int64_t, int>;
    Handler<Integer> handler = kind == Integers::wide ? handler_of_program<Integer>("cblas_xerbla_64") : nullptr;
    if (handler == nullptr) handler = handler_of_program<Integer>("cblas_xerbla");
    if (handler != nullptr) {
      RowMajorStrg = row_major_ ? 1 : 0;
      CBLAS_CallFromC = 1;
      handler(info, name_, "%s", what);
      CBLAS_CallFromC = 0;
      RowMajorStrg = 0;
      return;
    }
    if (call_c_behind_ours(name_, arguments_)) return;
    if (row_major_) {
      for (const auto& [first, second] : {exchanges_.first, exchanges_.second}) {
        if (info == first) {
          info = second;
        } else if (info == second) {
          info = first;
        }
      }
    }
    refuse<kind>(name_, info);
  }

 private:
  const char* name_;
  bool row_major_;
  Exchanges exchanges_;
  Arguments arguments_;
};

template <Integers kind, class... Arguments>
auto refusal(const char* name, int order, const Exchanges& exchanges, Arguments... arguments) {
  const std::tuple all(order, arguments...);
  return Refusal<kind, std::remove_const_t<decltype(all)>>(name, order, exchanges, all);
}

/// Order and letters of a call from C; a letter that is none is refused under its position. True if all are good.
struct Letter {
  char letter;
  int position;
  const char* what;
};
template <class Refuse>
bool are_good(const Refuse& refuse, int order, std::initializer_list<Letter> letters) {
  if (order != kRowMajor && order != kColumnMajor) {
    refuse(1, "illegal order");
    return false;
  }
  for (const auto& [letter, position, what] : letters) {
    if (letter != '?') continue;
    refuse(position, what);
    return false;
  }
  return true;
}

/// The call if its arguments are good; positions in a call from C are one higher than in one from Fortran.
template <class Call, class Routine, class Refuse>
void run(const Call& call, const Routine& routine, const Refuse& refuse, int shift) {
  if (const auto info = bad_argument(call)) return refuse(*info + shift);
  routine(call);
}

// --- Fortran ---

template <Integers kind, class Number>
void gemm_face(const char* name, const char* transa, const char* transb, const void* m, const void* n, const void* k,
               const Number* alpha, const Number* a, const void* lda, const Number* b, const void* ldb,
               const Number* beta, Number* c, const void* ldc) {
  run(
      GemmOf<Number>{upper(transa), upper(transb), at<kind>(m), at<kind>(n), at<kind>(k), *alpha, a, at<kind>(lda), b,
                     at<kind>(ldb), *beta, c, at<kind>(ldc)},
      [](const GemmOf<Number>& call) { gemm(call); }, [name](int info) { refuse<kind>(name, info); }, 0);
}
template <Integers kind, class... Arguments>
void dgemm_face(Arguments... arguments) {
  gemm_face<kind, double>("DGEMM ", arguments...);
}
template <Integers kind, class... Arguments>
void sgemm_face(Arguments... arguments) {
  gemm_face<kind, float>("SGEMM ", arguments...);
}

template <Integers kind>
void dtrsm_face(const char* side, const char* uplo, const char* transa, const char* diag, const void* m, const void* n,
                const double* alpha, const double* a, const void* lda, double* b, const void* ldb) {
  run(
      Trsm{upper(side), upper(uplo), upper(transa), upper(diag), at<kind>(m), at<kind>(n), *alpha, a, at<kind>(lda), b,
           at<kind>(ldb)},
      [](const Trsm& call) { trsm(call); }, [](int info) { refuse<kind>("DTRSM ", info); }, 0);
}

template <Integers kind>
void dtrmm_face(const char* side, const char* uplo, const char* transa, const char* diag, const void* m, const void* n,
                const double* alpha, const double* a, const void* lda, double* b, const void* ldb) {
  run(
      Trmm{{upper(side), upper(uplo), upper(transa), upper(diag), at<kind>(m), at<kind>(n), *alpha, a, at<kind>(lda), b,
            at<kind>(ldb)}},
      trmm, [](int info) { refuse<kind>("DTRMM ", info); }, 0);
}

template <Integers kind>
void dsymm_face(const char* side, const char* uplo, const void* m, const void* n, const double* alpha, const double* a,
                const void* lda, const double* b, const void* ldb, const double* beta, double* c, const void* ldc) {
  run(
      Symm{upper(side), upper(uplo), at<kind>(m), at<kind>(n), *alpha, a, at<kind>(lda), b, at<kind>(ldb), *beta, c,
           at<kind>(ldc)},
      symm, [](int info) { refuse<kind>("DSYMM ", info); }, 0);
}

template <Integers kind, class Number>
void syrk_face(const char* name, const char* uplo, const char* trans, const void* n, const void* k, const Number* alpha,
               const Number* a, const void* lda, const Number* beta, Number* c, const void* ldc) {
  run(
      SyrkOf<Number>{upper(uplo), upper(trans), at<kind>(n), at<kind>(k), *alpha, a, at<kind>(lda), *beta, c,
                     at<kind>(ldc)},
      [](const SyrkOf<Number>& call) { syrk(call); }, [name](int info) { refuse<kind>(name, info); }, 0);
}
template <Integers kind, class... Arguments>
void dsyrk_face(Arguments... arguments) {
  syrk_face<kind, double>("DSYRK ", arguments...);
}
template <Integers kind, class... Arguments>
void ssyrk_face(Arguments... arguments) {
  syrk_face<kind, float>("SSYRK ", arguments...);
}

template <Integers kind>
void dsyr2k_face(const char* uplo, const char* trans, const void* n, const void* k, const double* alpha,
                 const double* a, const void* lda, const double* b, const void* ldb, const double* beta, double* c,
                 const void* ldc) {
  run(
      Syr2k{upper(uplo), upper(trans), at<kind>(n), at<kind>(k), *alpha, a, at<kind>(lda), b, at<kind>(ldb), *beta, c,
            at<kind>(ldc)},
      syr2k, [](int info) { refuse<kind>("DSYR2K", info); }, 0);
}

template <Integers kind>
void dgemmtr_face(const char* uplo, const char* transa, const char* transb, const void* n, const void* k,
                  const double* alpha, const double* a, const void* lda, const double* b, const void* ldb,
                  const double* beta, double* c, const void* ldc) {
  run(
      Gemmtr{upper(uplo), upper(transa), upper(transb), at<kind>(n), at<kind>(k), *alpha, a, at<kind>(lda), b,
             at<kind>(ldb), *beta, c, at<kind>(ldc)},
      gemmtr, [](int info) { refuse<kind>("DGEMMTR", info); }, 0);
}

// --- C ---

template <Integers kind, class Number>
void cblas_gemm_face(const char* name, int order, int transa, int transb, Word m_word, Word n_word, Word k_word,
                     Number alpha, const Number* a, Word lda_word, const Number* b, Word ldb_word, Number beta,
                     Number* c, Word ldc_word) {
  const auto [m, n, k] = std::tuple(of<kind>(m_word), of<kind>(n_word), of<kind>(k_word));
  const auto [lda, ldb, ldc] = std::tuple(of<kind>(lda_word), of<kind>(ldb_word), of<kind>(ldc_word));
  const auto refuse =
      refusal<kind>(name, order, {{4, 5}, {9, 11}}, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  const char ta = transpose_of(transa);
  const char tb = transpose_of(transb);
  if (!are_good(refuse, order, {{ta, 2, "illegal transpose of A"}, {tb, 3, "illegal transpose of B"}})) return;
  // Row major is the transposed product of the transposed matrices.
  run(
      order == kRowMajor ? GemmOf<Number>{tb, ta, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc}
                         : GemmOf<Number>{ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
      [](const GemmOf<Number>& call) { gemm(call); }, refuse, 1);
}
template <Integers kind, class... Arguments>
void cblas_dgemm_face(Arguments... arguments) {
  cblas_gemm_face<kind, double>("cblas_dgemm", arguments...);
}
template <Integers kind, class... Arguments>
void cblas_sgemm_face(Arguments... arguments) {
  cblas_gemm_face<kind, float>("cblas_sgemm", arguments...);
}

/// dtrsm and dtrmm.
template <Integers kind, class Call, class Routine>
void triangular(const char* name, const Routine& routine, int order, int side_code, int uplo_code, int transa_code,
                int diag_code, Word m_word, Word n_word, double alpha, const double* a, Word lda_word, double* b,
                Word ldb_word) {
  const auto [m, n] = std::tuple(of<kind>(m_word), of<kind>(n_word));
  const auto [lda, ldb] = std::tuple(of<kind>(lda_word), of<kind>(ldb_word));
  const auto refuse = refusal<kind>(name, order, {{6, 7}, {0, 0}}, side_code, uplo_code, transa_code, diag_code, m, n,
                                    alpha, a, lda, b, ldb);
  Call call;
  call.side = side_of(side_code);
  call.uplo = uplo_of(uplo_code);
  call.transa = transpose_of(transa_code);
  call.diag = diagonal_of(diag_code);
  if (!are_good(refuse, order,
                {{call.side, 2, "illegal side"},
                 {call.uplo, 3, "illegal triangle"},
                 {call.transa, 4, "illegal transpose of A"},
                 {call.diag, 5, "illegal diagonal"}})) {
    return;
  }
  call.m = m;
  call.n = n;
  call.alpha = alpha;
  call.a = a;
  call.lda = lda;
  call.b = b;
  call.ldb = ldb;
  if (order == kRowMajor) {
    call.side = other_side(call.side);
    call.uplo = other_triangle(call.uplo);
    std::swap(call.m, call.n);
  }
  run(call, routine, refuse, 1);
}

template <Integers kind, class... Arguments>
void cblas_dtrsm_face(Arguments... arguments) {
  triangular<kind, Trsm>("cblas_dtrsm", [](const Trsm& call) { trsm(call); }, arguments...);
}

template <Integers kind, class... Arguments>
void cblas_dtrmm_face(Arguments... arguments) {
  triangular<kind, Trmm>("cblas_dtrmm", trmm, arguments...);
}

template <Integers kind>
void cblas_dsymm_face(int order, int side_code, int uplo_code, Word m_word, Word n_word, double alpha, const double* a,
                      Word lda_word, const double* b, Word ldb_word, double beta, double* c, Word ldc_word) {
  const auto [m, n] = std::tuple(of<kind>(m_word), of<kind>(n_word));
  const auto [lda, ldb, ldc] = std::tuple(of<kind>(lda_word), of<kind>(ldb_word), of<kind>(ldc_word));
  const auto refuse = refusal<kind>("cblas_dsymm", order, {{4, 5}, {0, 0}}, side_code, uplo_code, m, n, alpha, a, lda,
                                    b, ldb, beta, c, ldc);
  const char side = side_of(side_code);
  const char uplo = uplo_of(uplo_code);
  if (!are_good(refuse, order, {{side, 2, "illegal side"}, {uplo, 3, "illegal triangle"}})) return;
  run(order == kRowMajor ? Symm{other_side(side), other_triangle(uplo), n, m, alpha, a, lda, b, ldb, beta, c, ldc}
                         : Symm{side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc},
      symm, refuse, 1);
}

template <Integers kind, class Number>
void cblas_syrk_face(const char* name, int order, int uplo_code, int trans_code, Word n_word, Word k_word, Number alpha,
                     const Number* a, Word lda_word, Number beta, Number* c, Word ldc_word) {
  const auto [n, k, lda, ldc] = std::tuple(of<kind>(n_word), of<kind>(k_word), of<kind>(lda_word), of<kind>(ldc_word));
  const auto refuse = refusal<kind>(name, order, kNothing, uplo_code, trans_code, n, k, alpha, a, lda, beta, c, ldc);
  const char uplo = uplo_of(uplo_code);
  const char trans = transpose_of(trans_code);
  if (!are_good(refuse, order, {{uplo, 2, "illegal triangle"}, {trans, 3, "illegal transpose of A"}})) return;
  run(
      order == kRowMajor
          ? SyrkOf<Number>{other_triangle(uplo), other_transpose(trans), n, k, alpha, a, lda, beta, c, ldc}
          : SyrkOf<Number>{uplo, trans, n, k, alpha, a, lda, beta, c, ldc},
      [](const SyrkOf<Number>& call) { syrk(call); }, refuse, 1);
}
template <Integers kind, class... Arguments>
void cblas_dsyrk_face(Arguments... arguments) {
  cblas_syrk_face<kind, double>("cblas_dsyrk", arguments...);
}
template <Integers kind, class... Arguments>
void cblas_ssyrk_face(Arguments... arguments) {
  cblas_syrk_face<kind, float>("cblas_ssyrk", arguments...);
}

template <Integers kind>
void cblas_dsyr2k_face(int order, int uplo_code, int trans_code, Word n_word, Word k_word, double alpha,
                       const double* a, Word lda_word, const double* b, Word ldb_word, double beta, double* c,
                       Word ldc_word) {
  const auto [n, k] = std::tuple(of<kind>(n_word), of<kind>(k_word));
  const auto [lda, ldb, ldc] = std::tuple(of<kind>(lda_word), of<kind>(ldb_word), of<kind>(ldc_word));
  const auto refuse =
      refusal<kind>("cblas_dsyr2k", order, kNothing, uplo_code, trans_code, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  const char uplo = uplo_of(uplo_code);
  const char trans = transpose_of(trans_code);
  if (!are_good(refuse, order, {{uplo, 2, "illegal triangle"}, {trans, 3, "illegal transpose of A"}})) return;
  run(order == kRowMajor
          ? Syr2k{other_triangle(uplo), other_transpose(trans), n, k, alpha, a, lda, b, ldb, beta, c, ldc}
          : Syr2k{uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
      syr2k, refuse, 1);
}

template <Integers kind>
void cblas_dgemmtr_face(int order, int uplo_code, int transa, int transb, Word n_word, Word k_word, double alpha,
                        const double* a, Word lda_word, const double* b, Word ldb_word, double beta, double* c,
                        Word ldc_word) {
  const auto [n, k] = std::tuple(of<kind>(n_word), of<kind>(k_word));
  const auto [lda, ldb, ldc] = std::tuple(of<kind>(lda_word), of<kind>(ldb_word), of<kind>(ldc_word));
  const auto refuse = refusal<kind>("cblas_dgemmtr", order, {{9, 11}, {0, 0}}, uplo_code, transa, transb, n, k, alpha,
                                    a, lda, b, ldb, beta, c, ldc);
  const char uplo = uplo_of(uplo_code);
  const char ta = transpose_of(transa);
  const char tb = transpose_of(transb);
  if (!are_good(
          refuse, order,
          {{uplo, 2, "illegal triangle"}, {ta, 3, "illegal transpose of A"}, {tb, 4, "illegal transpose of B"}})) {
    return;
  }
  run(order == kRowMajor ? Gemmtr{other_triangle(uplo), tb, ta, n, k, alpha, b, ldb, a, lda, beta, c, ldc}
                         : Gemmtr{uplo, ta, tb, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
      gemmtr, refuse, 1);
}

}  // namespace
}  // namespace gdr::blas

using gdr::blas::Integers;
using gdr::blas::Word;

// Suffixes: _64 of the reference library, 64_ of OpenBLAS for names of C; prefix: that of OpenBLAS in the wheels of
// NumPy and SciPy.
#define GDR_NAMES(PREFIX, ROUTINE, UNSUFFIXED, WIDE, ALSO_WIDE, PARAMETERS, ARGUMENTS)                                 \
  GDR_BLAS_FACE void PREFIX##ROUTINE##UNSUFFIXED PARAMETERS {                                                          \
    gdr::blas::PREFIX##ROUTINE##_face<Integers::as_host> ARGUMENTS;                                                    \
  }                                                                                                                    \
  GDR_BLAS_FACE void PREFIX##ROUTINE##WIDE PARAMETERS { gdr::blas::PREFIX##ROUTINE##_face<Integers::wide> ARGUMENTS; } \
  GDR_BLAS_FACE void scipy_##PREFIX##ROUTINE##UNSUFFIXED PARAMETERS {                                                  \
    gdr::blas::PREFIX##ROUTINE##_face<Integers::narrow> ARGUMENTS;                                                     \
  }                                                                                                                    \
  GDR_BLAS_FACE void scipy_##PREFIX##ROUTINE##ALSO_WIDE PARAMETERS {                                                   \
    gdr::blas::PREFIX##ROUTINE##_face<Integers::wide> ARGUMENTS;                                                       \
  }
#define GDR_FORTRAN(ROUTINE, PARAMETERS, ARGUMENTS) GDR_NAMES(, ROUTINE, _, _64_, _64_, PARAMETERS, ARGUMENTS)
#define GDR_C(ROUTINE, PARAMETERS, ARGUMENTS)                   \
  GDR_NAMES(cblas_, ROUTINE, , _64, 64_, PARAMETERS, ARGUMENTS) \
  GDR_BLAS_FACE void cblas_##ROUTINE##64_ PARAMETERS { gdr::blas::cblas_##ROUTINE##_face<Integers::wide> ARGUMENTS; }

GDR_BLAS_FACE void gdr_blas_on_call(gdr_blas_hook hook, void* context) { gdr::blas::set_hook(hook, context); }

GDR_FORTRAN(dgemm,
            (const char* transa, const char* transb, const void* m, const void* n, const void* k, const double* alpha,
             const double* a, const void* lda, const double* b, const void* ldb, const double* beta, double* c,
             const void* ldc),
            (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_FORTRAN(sgemm,
            (const char* transa, const char* transb, const void* m, const void* n, const void* k, const float* alpha,
             const float* a, const void* lda, const float* b, const void* ldb, const float* beta, float* c,
             const void* ldc),
            (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_FORTRAN(ssyrk,
            (const char* uplo, const char* trans, const void* n, const void* k, const float* alpha, const float* a,
             const void* lda, const float* beta, float* c, const void* ldc),
            (uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
GDR_FORTRAN(dtrsm,
            (const char* side, const char* uplo, const char* transa, const char* diag, const void* m, const void* n,
             const double* alpha, const double* a, const void* lda, double* b, const void* ldb),
            (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb))
GDR_FORTRAN(dtrmm,
            (const char* side, const char* uplo, const char* transa, const char* diag, const void* m, const void* n,
             const double* alpha, const double* a, const void* lda, double* b, const void* ldb),
            (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb))
GDR_FORTRAN(dsymm,
            (const char* side, const char* uplo, const void* m, const void* n, const double* alpha, const double* a,
             const void* lda, const double* b, const void* ldb, const double* beta, double* c, const void* ldc),
            (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_FORTRAN(dsyrk,
            (const char* uplo, const char* trans, const void* n, const void* k, const double* alpha, const double* a,
             const void* lda, const double* beta, double* c, const void* ldc),
            (uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
GDR_FORTRAN(dsyr2k,
            (const char* uplo, const char* trans, const void* n, const void* k, const double* alpha, const double* a,
             const void* lda, const double* b, const void* ldb, const double* beta, double* c, const void* ldc),
            (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_FORTRAN(dgemmtr,
            (const char* uplo, const char* transa, const char* transb, const void* n, const void* k,
             const double* alpha, const double* a, const void* lda, const double* b, const void* ldb,
             const double* beta, double* c, const void* ldc),
            (uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_C(dgemm,
      (int order, int transa, int transb, Word m, Word n, Word k, double alpha, const double* a, Word lda,
       const double* b, Word ldb, double beta, double* c, Word ldc),
      (order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_C(sgemm,
      (int order, int transa, int transb, Word m, Word n, Word k, float alpha, const float* a, Word lda, const float* b,
       Word ldb, float beta, float* c, Word ldc),
      (order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_C(ssyrk,
      (int order, int uplo, int trans, Word n, Word k, float alpha, const float* a, Word lda, float beta, float* c,
       Word ldc),
      (order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
GDR_C(dtrsm,
      (int order, int side, int uplo, int transa, int diag, Word m, Word n, double alpha, const double* a, Word lda,
       double* b, Word ldb),
      (order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb))
GDR_C(dtrmm,
      (int order, int side, int uplo, int transa, int diag, Word m, Word n, double alpha, const double* a, Word lda,
       double* b, Word ldb),
      (order, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb))
GDR_C(dsymm,
      (int order, int side, int uplo, Word m, Word n, double alpha, const double* a, Word lda, const double* b,
       Word ldb, double beta, double* c, Word ldc),
      (order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_C(dsyrk,
      (int order, int uplo, int trans, Word n, Word k, double alpha, const double* a, Word lda, double beta, double* c,
       Word ldc),
      (order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
GDR_C(dsyr2k,
      (int order, int uplo, int trans, Word n, Word k, double alpha, const double* a, Word lda, const double* b,
       Word ldb, double beta, double* c, Word ldc),
      (order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
GDR_C(dgemmtr,
      (int order, int uplo, int transa, int transb, Word n, Word k, double alpha, const double* a, Word lda,
       const double* b, Word ldb, double beta, double* c, Word ldc),
      (order, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
