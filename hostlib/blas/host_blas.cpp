#include "host_blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace gdr::blas {
namespace {

using HostGemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                          const int*, const double*, const int*, const double*, double*, const int*, std::size_t,
                          std::size_t);
using HostTrsm = void (*)(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
                          const double*, const int*, double*, const int*, std::size_t, std::size_t, std::size_t,
                          std::size_t);

/// The routine of this name behind ours. libgdrblas is linked with the host's BLAS, so there is always one.
template <class Function>
Function behind_ours(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    // Opened on its own, as a plug-in: what it was linked with is not in the search order behind it.
    void* library = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) found = dlsym(library, name);
  }
  return reinterpret_cast<Function>(found);
}

template <class... Sizes>
bool fit(Sizes... sizes) {
  return std::max({sizes...}) <= std::numeric_limits<int>::max();
}

double entry(const double* matrix, std::int64_t ld, bool transposed, std::int64_t i, std::int64_t j) {
  return transposed ? matrix[j + i * ld] : matrix[i + j * ld];
}

void plain_gemm(const Gemm& call) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < call.k; ++l) {
        sum += entry(call.a, call.lda, call.transa != 'N', i, l) * entry(call.b, call.ldb, call.transb != 'N', l, j);
      }
      double& c = call.c[i + j * call.ldc];
      c = call.beta == 0 ? call.alpha * sum : call.alpha * sum + call.beta * c;
    }
  }
}

/// Forward or backward substitution, one unknown after the other.
void plain_trsm(const Trsm& call) {
  const bool left = call.side == 'L';
  const bool transposed = call.transa != 'N';
  const std::int64_t order = left ? call.m : call.n;
  const std::int64_t others = left ? call.n : call.m;
  const auto x = [&](std::int64_t i, std::int64_t other) -> double& {
    return left ? call.b[i + other * call.ldb] : call.b[other + i * call.ldb];
  };
  // Row i of the system that is solved, whichever side A stands on.
  const auto a = [&](std::int64_t i, std::int64_t j) { return entry(call.a, call.lda, transposed == left, i, j); };
  const bool forward = (call.uplo == 'L') == (transposed != left);
  for (std::int64_t other = 0; other < others; ++other) {
    for (std::int64_t step = 0; step < order; ++step) {
      const std::int64_t i = forward ? step : order - 1 - step;
      double value = call.alpha * x(i, other);
      for (std::int64_t done = 0; done < step; ++done) {
        const std::int64_t j = forward ? done : order - 1 - done;
        value -= a(i, j) * x(j, other);
      }
      x(i, other) = call.diag == 'U' ? value : value / a(i, i);
    }
  }
}

}  // namespace

void host_gemm(const Gemm& call) {
  static const auto host = behind_ours<HostGemm>("dgemm_");
  if (host == nullptr || !fit(call.m, call.n, call.k, call.lda, call.ldb, call.ldc)) return plain_gemm(call);
  const auto m = static_cast<int>(call.m);
  const auto n = static_cast<int>(call.n);
  const auto k = static_cast<int>(call.k);
  const auto lda = static_cast<int>(call.lda);
  const auto ldb = static_cast<int>(call.ldb);
  const auto ldc = static_cast<int>(call.ldc);
  host(&call.transa, &call.transb, &m, &n, &k, &call.alpha, call.a, &lda, call.b, &ldb, &call.beta, call.c, &ldc, 1, 1);
}

void host_trsm(const Trsm& call) {
  static const auto host = behind_ours<HostTrsm>("dtrsm_");
  if (host == nullptr || !fit(call.m, call.n, call.lda, call.ldb)) return plain_trsm(call);
  const auto m = static_cast<int>(call.m);
  const auto n = static_cast<int>(call.n);
  const auto lda = static_cast<int>(call.lda);
  const auto ldb = static_cast<int>(call.ldb);
  host(&call.side, &call.uplo, &call.transa, &call.diag, &m, &n, &call.alpha, call.a, &lda, call.b, &ldb, 1, 1, 1, 1);
}

namespace {

bool is_one_of(char letter, const char* letters) {
  for (; *letters != '\0'; ++letters) {
    if (*letters == letter) return true;
  }
  return false;
}

}  // namespace

std::optional<int> bad_argument(const Gemm& call) {
  const auto leading = [](std::int64_t rows) { return std::max<std::int64_t>(1, rows); };
  if (!is_one_of(call.transa, "NTC")) return 1;
  if (!is_one_of(call.transb, "NTC")) return 2;
  if (call.m < 0) return 3;
  if (call.n < 0) return 4;
  if (call.k < 0) return 5;
  if (call.lda < leading(call.transa == 'N' ? call.m : call.k)) return 8;
  if (call.ldb < leading(call.transb == 'N' ? call.k : call.n)) return 10;
  if (call.ldc < leading(call.m)) return 13;
  return std::nullopt;
}

std::optional<int> bad_argument(const Trsm& call) {
  const auto leading = [](std::int64_t rows) { return std::max<std::int64_t>(1, rows); };
  if (!is_one_of(call.side, "LR")) return 1;
  if (!is_one_of(call.uplo, "UL")) return 2;
  if (!is_one_of(call.transa, "NTC")) return 3;
  if (!is_one_of(call.diag, "UN")) return 4;
  if (call.m < 0) return 5;
  if (call.n < 0) return 6;
  if (call.lda < leading(call.side == 'L' ? call.m : call.n)) return 9;
  if (call.ldb < leading(call.m)) return 11;
  return std::nullopt;
}

}  // namespace gdr::blas
