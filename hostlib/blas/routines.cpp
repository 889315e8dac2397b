#include "routines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace gdr::blas {
namespace {

/// Triangles of this order the host solves.
constexpr std::int64_t kHostTriangle = 64;
/// Triangles up to this order are multiplied as squares, of which half is thrown away: at this depth the chips of a
/// board take 1,024 rows side by side, so that halves would take no less time. So are larger ones whose halves would be
/// too small for a board.
constexpr std::int64_t kSquare = 512;

double real(std::int64_t size) { return static_cast<double>(size); }

bool is_in_triangle(char uplo, std::int64_t i, std::int64_t j) { return uplo == 'L' ? i >= j : i <= j; }

template <class Number>
void scale_triangle(char uplo, std::int64_t n, Number beta, Number* c, std::int64_t ldc) {
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t first = uplo == 'L' ? j : 0;
    scale(uplo == 'L' ? n - j : j + 1, 1, beta, c + first + j * ldc, ldc);
  }
}

/// Zeros; empty if there is no memory for them.
std::vector<double> square_of(std::int64_t order) {
  try {
    return std::vector<double>(static_cast<std::size_t>(order * order));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// A triangle of an order that is multiplied as a square.
void square(const Trmm& call, Multiplier& by) {
  const bool left = call.side == 'L';
  const std::int64_t order = left ? call.m : call.n;
  std::vector<double> triangle = square_of(order);
  std::vector<double> before;
  try {
    before.resize(triangle.empty() ? 0 : static_cast<std::size_t>(call.m * call.n));
  } catch (const std::bad_alloc&) {
    triangle.clear();
  }
  if (triangle.empty()) return by.by_host(call);
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) {
      if (!is_in_triangle(call.uplo, i, j)) continue;
      triangle[static_cast<std::size_t>(i + j * order)] = i == j && call.diag == 'U' ? 1 : call.a[i + j * call.lda];
    }
  }
  for (std::int64_t j = 0; j < call.n; ++j) {
    std::copy_n(call.b + j * call.ldb, call.m, before.begin() + j * call.m);
  }
  // The square's zeros would turn infinity into NaN.
  if (!all_finite(triangle) || !all_finite(before)) return by.by_host(call);
  Gemm product;
  product.transa = left ? call.transa : 'N';
  product.transb = left ? 'N' : call.transa;
  product.m = call.m;
  product.n = call.n;
  product.k = order;
  product.alpha = call.alpha;
  product.a = left ? triangle.data() : before.data();
  product.lda = left ? order : call.m;
  product.b = left ? before.data() : triangle.data();
  product.ldb = left ? call.m : order;
  product.c = call.b;
  product.ldc = call.ldb;
  by.product(product);
}

/// Passes each element of a square and that of the call's C, in the triangle that the call is about.
template <class Call, class Change>
void for_triangle(const Call& call, std::vector<double>& square, const Change& change) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    const std::int64_t first = call.uplo == 'L' ? j : 0;
    const std::int64_t end = call.uplo == 'L' ? call.n : j + 1;
    for (std::int64_t i = first; i < end; ++i) {
      change(square[static_cast<std::size_t>(i + j * call.n)], call.c[i + j * call.ldc]);
    }
  }
}

void square(const Gemmtr& call, Multiplier& by) {
  std::vector<double> c = square_of(call.n);
  if (c.empty()) return by.by_host(call);
  if (call.beta != 0) for_triangle(call, c, [](double& own, double theirs) { own = theirs; });
  by.product({call.transa, call.transb, call.n, call.n, call.k, call.alpha, call.a, call.lda, call.b, call.ldb,
              call.beta, c.data(), call.n});
  for_triangle(call, c, [](double own, double& theirs) { theirs = own; });
}

/// The columns of a matrix one behind the other, in doubles.
std::vector<double> in_doubles(const float* matrix, std::int64_t ld, std::int64_t rows, std::int64_t columns) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j) values.insert(values.end(), matrix + j * ld, matrix + j * ld + rows);
  return values;
}

}  // namespace

template <class Number>
double flops_of(const GemmOf<Number>& call) {
  return 2 * real(call.m) * real(call.n) * real(call.k);
}
template double flops_of(const GemmOf<double>& call);
template double flops_of(const GemmOf<float>& call);
double flops_of(const Trsm& call) { return real(call.m) * real(call.n) * real(call.side == 'L' ? call.m : call.n); }
double flops_of(const Symm& call) { return 2 * real(call.m) * real(call.n) * real(call.side == 'L' ? call.m : call.n); }
template <class Number>
double flops_of(const SyrkOf<Number>& call) {
  return real(call.n) * (real(call.n) + 1) * real(call.k);
}
template double flops_of(const SyrkOf<double>& call);
template double flops_of(const SyrkOf<float>& call);
double flops_of(const Syr2k& call) { return 2 * real(call.n) * (real(call.n) + 1) * real(call.k); }
double flops_of(const Gemmtr& call) { return real(call.n) * (real(call.n) + 1) * real(call.k); }

template <class Number>
void scale(std::int64_t m, std::int64_t n, Number beta, Number* c, std::int64_t ldc) {
  if (beta == 1) return;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) c[i + j * ldc] = beta == 0 ? 0 : beta * c[i + j * ldc];
  }
}
template void scale(std::int64_t m, std::int64_t n, double beta, double* c, std::int64_t ldc);
template void scale(std::int64_t m, std::int64_t n, float beta, float* c, std::int64_t ldc);

/// op(A) X = alpha B or X op(A) = alpha B, X over B, by halves down to triangles that the host solves.
void trsm(const Trsm& call, Multiplier& by) {
  const std::int64_t order = call.side == 'L' ? call.m : call.n;
  // The two halves below leave half of the work to a product; if that is small, so is all the rest.
  const bool small = order < 2 || by.is_small(flops_of(call) / 2);
  if (call.alpha == 0 || small || (order <= kHostTriangle && !by.takes_all())) return by.by_host(call);
  const std::int64_t half = order / 2;
  const bool left = call.side == 'L';
  const bool transposed = call.transa != 'N';
  // op(A) is lower if its diagonal blocks are solved from the first on, seen from the left.
  const bool lower = (call.uplo == 'L') != transposed;
  const bool first_half_first = lower == left;
  const double* off = call.uplo == 'L' ? call.a + half : call.a + half * call.lda;
  const std::int64_t step = left ? 1 : call.ldb;

  Trsm first = call;
  (left ? first.m : first.n) = half;
  Trsm second = call;
  (left ? second.m : second.n) = order - half;
  second.a = call.a + half * (call.lda + 1);
  second.b = call.b + half * step;
  Trsm& before = first_half_first ? first : second;
  Trsm& after = first_half_first ? second : first;

  trsm(before, by);
  Gemm update;
  update.alpha = -1;
  update.beta = call.alpha;
  update.c = after.b;
  update.ldc = call.ldb;
  update.m = after.m;
  update.n = after.n;
  if (left) {
    update.transa = call.transa;
    update.a = off;
    update.lda = call.lda;
    update.b = before.b;
    update.ldb = call.ldb;
    update.k = before.m;
  } else {
    update.a = before.b;
    update.lda = call.ldb;
    update.transb = call.transa;
    update.b = off;
    update.ldb = call.lda;
    update.k = before.n;
  }
  by.product(update);
  after.alpha = 1;
  trsm(after, by);
}

/// As trsm(), the other way round: the half that the other one adds to is multiplied first.
void trmm(const Trmm& call, Multiplier& by) {
  if (call.alpha == 0) return scale(call.m, call.n, 0.0, call.b, call.ldb);
  const bool left = call.side == 'L';
  const std::int64_t order = left ? call.m : call.n;
  if (by.is_small(flops_of(call))) return by.by_host(call);
  if (order <= kSquare || by.is_small(flops_of(call) / 2)) return square(call, by);
  const std::int64_t half = order / 2;
  const bool lower = (call.uplo == 'L') != (call.transa != 'N');
  const double* off = call.uplo == 'L' ? call.a + half : call.a + half * call.lda;
  Trmm first = call;
  (left ? first.m : first.n) = half;
  Trmm second = call;
  (left ? second.m : second.n) = order - half;
  second.a = call.a + half * (call.lda + 1);
  second.b = call.b + half * (left ? 1 : call.ldb);
  const Trmm& before = lower == left ? second : first;
  const Trmm& after = lower == left ? first : second;
  trmm(before, by);
  Gemm update;
  update.alpha = call.alpha;
  update.beta = 1;
  update.c = before.b;
  update.ldc = call.ldb;
  update.m = before.m;
  update.n = before.n;
  update.transa = left ? call.transa : 'N';
  update.transb = left ? 'N' : call.transa;
  update.a = left ? off : after.b;
  update.lda = left ? call.lda : call.ldb;
  update.b = left ? after.b : off;
  update.ldb = left ? call.ldb : call.lda;
  update.k = left ? after.m : after.n;
  by.product(update);
  trmm(after, by);
}

/// The other triangle of A is filled in, so that one product of full depth remains.
void symm(const Symm& call, Multiplier& by) {
  if (call.alpha == 0) return scale(call.m, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call))) return by.by_host(call);
  const bool left = call.side == 'L';
  const std::int64_t order = left ? call.m : call.n;
  std::vector<double> full = square_of(order);
  if (full.empty()) return by.by_host(call);
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) {
      full[static_cast<std::size_t>(i + j * order)] =
          is_in_triangle(call.uplo, i, j) ? call.a[i + j * call.lda] : call.a[j + i * call.lda];
    }
  }
  by.product({'N', 'N', call.m, call.n, order, call.alpha, left ? full.data() : call.b, left ? order : call.ldb,
              left ? call.b : full.data(), left ? call.ldb : order, call.beta, call.c, call.ldc});
}

void gemmtr(const Gemmtr& call, Multiplier& by) {
  if (call.alpha == 0 || call.k == 0) return scale_triangle(call.uplo, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call))) return by.by_host(call);
  if (call.n <= kSquare || by.is_small(flops_of(call) / 2)) return square(call, by);
  const std::int64_t half = call.n / 2;
  Gemmtr first = call;
  first.n = half;
  Gemmtr second = call;
  second.n = call.n - half;
  second.a += half * (call.transa == 'N' ? 1 : call.lda);
  second.b += half * (call.transb == 'N' ? call.ldb : 1);
  second.c += half * (call.ldc + 1);
  const bool lower = call.uplo == 'L';
  const Gemmtr& rows = lower ? second : first;
  const Gemmtr& columns = lower ? first : second;
  by.product({call.transa, call.transb, rows.n, columns.n, call.k, call.alpha, rows.a, call.lda, columns.b, call.ldb,
              call.beta, call.c + half * (lower ? 1 : call.ldc), call.ldc});
  gemmtr(first, by);
  gemmtr(second, by);
}

void syrk(const Syrk& call, Multiplier& by) {
  if (call.alpha == 0 || call.k == 0) return scale_triangle(call.uplo, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call))) return by.by_host(call);
  const bool normal = call.trans == 'N';
  gemmtr({call.uplo, normal ? 'N' : 'T', normal ? 'T' : 'N', call.n, call.k, call.alpha, call.a, call.lda, call.a,
          call.lda, call.beta, call.c, call.ldc},
         by);
}

void syr2k(const Syr2k& call, Multiplier& by) {
  if (call.alpha == 0 || call.k == 0) return scale_triangle(call.uplo, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call) / 2)) return by.by_host(call);
  const char first = call.trans == 'N' ? 'N' : 'T';
  const char second = call.trans == 'N' ? 'T' : 'N';
  gemmtr({call.uplo, first, second, call.n, call.k, call.alpha, call.a, call.lda, call.b, call.ldb, call.beta, call.c,
          call.ldc},
         by);
  gemmtr(
      {call.uplo, first, second, call.n, call.k, call.alpha, call.b, call.ldb, call.a, call.lda, 1, call.c, call.ldc},
      by);
}

void gemm(const GemmOf<float>& call, Multiplier& by) {
  if (call.alpha == 0 || call.k == 0) return scale(call.m, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call))) return by.by_host(call);
  const std::int64_t a_rows = call.transa == 'N' ? call.m : call.k;
  const std::int64_t b_rows = call.transb == 'N' ? call.k : call.n;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
  try {
    a = in_doubles(call.a, call.lda, a_rows, call.m + call.k - a_rows);
    b = in_doubles(call.b, call.ldb, b_rows, call.n + call.k - b_rows);
    c = call.beta == 0 ? std::vector<double>(static_cast<std::size_t>(call.m * call.n))
                       : in_doubles(call.c, call.ldc, call.m, call.n);
  } catch (const std::bad_alloc&) {
    return by.by_host(call);
  }
  by.product({call.transa, call.transb, call.m, call.n, call.k, call.alpha, a.data(), a_rows, b.data(), b_rows,
              call.beta, c.data(), call.m});
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      call.c[i + j * call.ldc] = static_cast<float>(c[static_cast<std::size_t>(i + j * call.m)]);
    }
  }
}

void syrk(const SyrkOf<float>& call, Multiplier& by) {
  if (call.alpha == 0 || call.k == 0) return scale_triangle(call.uplo, call.n, call.beta, call.c, call.ldc);
  if (by.is_small(flops_of(call))) return by.by_host(call);
  const std::int64_t rows = call.trans == 'N' ? call.n : call.k;
  std::vector<double> a;
  std::vector<double> c = square_of(call.n);
  try {
    a = in_doubles(call.a, call.lda, rows, call.n + call.k - rows);
  } catch (const std::bad_alloc&) {
    c.clear();
  }
  if (c.empty()) return by.by_host(call);
  if (call.beta != 0) for_triangle(call, c, [](double& own, float theirs) { own = theirs; });
  syrk(Syrk{call.uplo, call.trans, call.n, call.k, call.alpha, a.data(), rows, call.beta, c.data(), call.n}, by);
  for_triangle(call, c, [](double own, float& theirs) { theirs = static_cast<float>(own); });
}

}  // namespace gdr::blas
