#include "host_blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
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

/// A routine of the library behind ours, looked up on first use. No lock is held meanwhile: a child forked at that
/// moment could never take it. Threads that look at the same time find the same.
template <class Function>
class BehindOurs {
 public:
  explicit constexpr BehindOurs(const char* name) : name_(name) {}
  /// Null if the host's BLAS has no such routine.
  Function get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = look_up();
      found_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function>(found);
  }

 private:
  void* look_up() const {
    void* found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr) {
      // Opened on its own, as a plug-in: what it was linked with is not in the search order behind it.
      void* library = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
      if (library != nullptr) found = dlsym(library, name_);
    }
    return found;
  }

  const char* name_;
  std::atomic<void*> found_{nullptr};
};

using HostCblasGemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double,
                               double*, int);
using HostCblasTrsm = void (*)(int, int, int, int, int, int, int, double, const double*, int, double*, int);

constinit BehindOurs<HostGemm> gemm_behind_ours("dgemm_");
constinit BehindOurs<HostTrsm> trsm_behind_ours("dtrsm_");
constinit BehindOurs<HostCblasGemm> cblas_gemm_behind_ours("cblas_dgemm");
constinit BehindOurs<HostCblasTrsm> cblas_trsm_behind_ours("cblas_dtrsm");

template <class... Sizes>
bool fit(Sizes... sizes) {
  return std::max({sizes...}) <= std::numeric_limits<int>::max() &&
         std::min({sizes...}) >= std::numeric_limits<int>::min();
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
  const HostGemm host = gemm_behind_ours.get();
  if (host == nullptr || !fit(call.m, call.n, call.k, call.lda, call.ldb, call.ldc)) return plain_gemm(call);
  const auto m = static_cast<int>(call.m);
  const auto n = static_cast<int>(call.n);
  const auto k = static_cast<int>(call.k);
  const auto lda = static_cast<int>(call.lda);
  const auto ldb = static_cast<int>(call.ldb);
  const auto ldc = static_cast<int>(call.ldc);
  host(&call.transa, &call.transb, &m, &n, &k, &call.alpha, call.a, &lda, call.b, &ldb, &call.beta, call.c, &ldc, 1, 1);
}

void host_gemm_of_long_range(const Gemm& call) {
  // alpha a b has at most three times the exponents of a double.
  static_assert(std::numeric_limits<long double>::max_exponent > 4 * std::numeric_limits<double>::max_exponent);
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      long double sum = 0;
      for (std::int64_t l = 0; l < call.k; ++l) {
        sum += static_cast<long double>(entry(call.a, call.lda, call.transa != 'N', i, l)) *
               entry(call.b, call.ldb, call.transb != 'N', l, j);
      }
      double& c = call.c[i + j * call.ldc];
      sum *= call.alpha;
      if (call.beta != 0) sum += static_cast<long double>(call.beta) * c;
      c = static_cast<double>(sum);
    }
  }
}

void host_trsm(const Trsm& call) {
  const HostTrsm host = trsm_behind_ours.get();
  if (host == nullptr || !fit(call.m, call.n, call.lda, call.ldb)) return plain_trsm(call);
  const auto m = static_cast<int>(call.m);
  const auto n = static_cast<int>(call.n);
  const auto lda = static_cast<int>(call.lda);
  const auto ldb = static_cast<int>(call.ldb);
  host(&call.side, &call.uplo, &call.transa, &call.diag, &m, &n, &call.alpha, call.a, &lda, call.b, &ldb, 1, 1, 1, 1);
}

bool refused_by_host(const CblasGemm& call) {
  const HostCblasGemm host = cblas_gemm_behind_ours.get();
  if (host == nullptr || !fit(call.m, call.n, call.k, call.lda, call.ldb, call.ldc)) return false;
  host(call.order, call.transa, call.transb, static_cast<int>(call.m), static_cast<int>(call.n),
       static_cast<int>(call.k), call.alpha, call.a, static_cast<int>(call.lda), call.b, static_cast<int>(call.ldb),
       call.beta, call.c, static_cast<int>(call.ldc));
  return true;
}

bool refused_by_host(const CblasTrsm& call) {
  const HostCblasTrsm host = cblas_trsm_behind_ours.get();
  if (host == nullptr || !fit(call.m, call.n, call.lda, call.ldb)) return false;
  host(call.order, call.side, call.uplo, call.transa, call.diag, static_cast<int>(call.m), static_cast<int>(call.n),
       call.alpha, call.a, static_cast<int>(call.lda), call.b, static_cast<int>(call.ldb));
  return true;
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
