#include "host_blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <limits>

namespace gdr::blas {
namespace {

constinit BehindOurs gemm_behind_ours("dgemm_");
constinit BehindOurs trsm_behind_ours("dtrsm_");
constinit BehindOurs trmm_behind_ours("dtrmm_");
constinit BehindOurs symm_behind_ours("dsymm_");
constinit BehindOurs syrk_behind_ours("dsyrk_");
constinit BehindOurs syr2k_behind_ours("dsyr2k_");
constinit BehindOurs gemm_of_singles_behind_ours("sgemm_");
constinit BehindOurs syrk_of_singles_behind_ours("ssyrk_");

// Arguments in the order of the Fortran routines.
template <class Number>
auto arguments(const GemmOf<Number>& call) {
  return std::tuple(call.transa, call.transb, call.m, call.n, call.k, call.alpha, call.a, call.lda, call.b, call.ldb,
                    call.beta, call.c, call.ldc);
}
auto arguments(const Trsm& call) {
  return std::tuple(call.side, call.uplo, call.transa, call.diag, call.m, call.n, call.alpha, call.a, call.lda, call.b,
                    call.ldb);
}
auto arguments(const Symm& call) {
  return std::tuple(call.side, call.uplo, call.m, call.n, call.alpha, call.a, call.lda, call.b, call.ldb, call.beta,
                    call.c, call.ldc);
}
template <class Number>
auto arguments(const SyrkOf<Number>& call) {
  return std::tuple(call.uplo, call.trans, call.n, call.k, call.alpha, call.a, call.lda, call.beta, call.c, call.ldc);
}
auto arguments(const Syr2k& call) {
  return std::tuple(call.uplo, call.trans, call.n, call.k, call.alpha, call.a, call.lda, call.b, call.ldb, call.beta,
                    call.c, call.ldc);
}

/// Everything goes by address but matrices, and the lengths of letters come at the end.
template <class... Pointers, std::size_t... letter>
void call_by_address(void* function, std::index_sequence<letter...>, Pointers... pointers) {
  using Function = void (*)(Pointers..., decltype(letter)...);
  reinterpret_cast<Function>(function)(pointers..., (static_cast<void>(letter), std::size_t{1})...);
}

template <class Integer, class... Arguments>
void call_with(void* function, const std::tuple<Arguments...>& arguments) {
  constexpr std::size_t kLetters = (std::size_t{std::is_same_v<Arguments, char>} + ...);
  const auto held = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), std::int64_t>) {
      return static_cast<Integer>(value);
    } else {
      return value;
    }
  };
  const auto passed = [](const auto& value) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
      return value;
    } else {
      return &value;
    }
  };
  const auto values = std::apply([&](auto... given) { return std::tuple(held(given)...); }, arguments);
  std::apply(
      [&](const auto&... value) { call_by_address(function, std::make_index_sequence<kLetters>{}, passed(value)...); },
      values);
}

template <class... Arguments>
bool fit(const std::tuple<Arguments...>& arguments) {
  const auto fits = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), std::int64_t>) return std::in_range<std::int32_t>(value);
    return true;
  };
  return std::apply([&](auto... given) { return (fits(given) && ...); }, arguments);
}

/// False if the host has no such routine, or its integers do not hold the sizes.
template <class Call>
bool call_host(BehindOurs& routine, const Call& call) {
  void* const host = routine.get();
  if (host == nullptr) return false;
  const auto given = arguments(call);
  if (host_has_wide_integers()) {
    call_with<std::int64_t>(host, given);
    return true;
  }
  if (!fit(given)) return false;
  call_with<std::int32_t>(host, given);
  return true;
}

template <class Number>
double entry(const Number* matrix, std::int64_t ld, bool transposed, std::int64_t i, std::int64_t j) {
  return transposed ? matrix[j + i * ld] : matrix[i + j * ld];
}

template <class Number>
void plain_gemm(const GemmOf<Number>& call) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < call.k; ++l) {
        sum += entry(call.a, call.lda, call.transa != 'N', i, l) * entry(call.b, call.ldb, call.transb != 'N', l, j);
      }
      Number& c = call.c[i + j * call.ldc];
      c = static_cast<Number>(call.beta == 0 ? call.alpha * sum : call.alpha * sum + double{call.beta} * c);
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

double symmetric_entry(const double* matrix, std::int64_t ld, char uplo, std::int64_t i, std::int64_t j) {
  return (uplo == 'L') == (i >= j) ? matrix[i + j * ld] : matrix[j + i * ld];
}

void plain_symm(const Symm& call) {
  const bool left = call.side == 'L';
  for (std::int64_t j = 0; j < call.n; ++j) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < (left ? call.m : call.n); ++l) {
        sum += left ? symmetric_entry(call.a, call.lda, call.uplo, i, l) * call.b[l + j * call.ldb]
                    : call.b[i + l * call.ldb] * symmetric_entry(call.a, call.lda, call.uplo, l, j);
      }
      double& c = call.c[i + j * call.ldc];
      c = call.beta == 0 ? call.alpha * sum : call.alpha * sum + call.beta * c;
    }
  }
}

/// B = alpha op(A) B, element by element in an order in which none is needed any more when it is overwritten.
void plain_trmm(const Trmm& call) {
  const bool left = call.side == 'L';
  const bool transposed = call.transa != 'N';
  const std::int64_t order = left ? call.m : call.n;
  const std::int64_t others = left ? call.n : call.m;
  const auto a = [&](std::int64_t i, std::int64_t j) { return entry(call.a, call.lda, transposed == left, i, j); };
  const bool lower = (call.uplo == 'L') == (transposed != left);
  for (std::int64_t other = 0; other < others; ++other) {
    const auto x = [&](std::int64_t i) -> double& {
      return left ? call.b[i + other * call.ldb] : call.b[other + i * call.ldb];
    };
    for (std::int64_t step = 0; step < order; ++step) {
      const std::int64_t i = lower ? order - 1 - step : step;
      double sum = call.diag == 'U' ? x(i) : a(i, i) * x(i);
      for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : order); ++j) sum += a(i, j) * x(j);
      x(i) = call.alpha * sum;
    }
  }
}

}  // namespace

void* behind_ours(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    // Opened on its own, as a plug-in: what it was linked with is not in the search order behind it.
    void* library = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) found = dlsym(library, name);
  }
  return found;
}

bool host_has_wide_integers() {
  // The probe of libblastrampoline: read as 32 bits the length is 3, read as 64 bits it is negative.
  constinit static std::atomic<int> known{-1};
  int answer = known.load(std::memory_order_relaxed);
  if (answer < 0) {
    using Isamax = std::int64_t (*)(const std::int64_t*, const float*, const std::int64_t*);
    const auto isamax = reinterpret_cast<Isamax>(behind_ours("isamax_"));
    constexpr std::int64_t kLength = static_cast<std::int64_t>(0xffffffff00000003);
    const std::int64_t step = 1;
    const float values[] = {1, 2, 1};
    const bool little = std::endian::native == std::endian::little;
    answer = little && isamax != nullptr && static_cast<std::int32_t>(isamax(&kLength, values, &step)) == 0 ? 1 : 0;
    known.store(answer, std::memory_order_relaxed);
  }
  return answer == 1;
}

void host_gemm(const Gemm& call) {
  if (!call_host(gemm_behind_ours, call)) plain_gemm(call);
}

void host_gemm(const GemmOf<float>& call) {
  if (!call_host(gemm_of_singles_behind_ours, call)) plain_gemm(call);
}

namespace {

/// Elements i to i + kRows - 1 of column j. Their sums do not wait for one another; each adds up in the order of l.
template <int kRows>
void long_range_elements(const Gemm& call, std::int64_t i, std::int64_t j) {
  // alpha a b has at most three times the exponents of a double.
  static_assert(std::numeric_limits<long double>::max_exponent > 4 * std::numeric_limits<double>::max_exponent);
  const bool a_as_given = call.transa == 'N';
  const bool b_as_given = call.transb == 'N';
  const std::int64_t row_step = a_as_given ? 1 : call.lda;
  const std::int64_t a_step = a_as_given ? call.lda : 1;
  const std::int64_t b_step = b_as_given ? 1 : call.ldb;
  const double* a = call.a + i * row_step;
  const double* b = call.b + j * (b_as_given ? call.ldb : 1);
  std::array<long double, kRows> sums{};
  for (std::int64_t l = 0; l < call.k; ++l) {
    const long double factor = b[l * b_step];
    for (int row = 0; row < kRows; ++row)
      sums[static_cast<std::size_t>(row)] += a[row * row_step + l * a_step] * factor;
  }
  for (int row = 0; row < kRows; ++row) {
    double& c = call.c[i + row + j * call.ldc];
    long double sum = sums[static_cast<std::size_t>(row)] * call.alpha;
    if (call.beta != 0) sum += static_cast<long double>(call.beta) * c;
    c = static_cast<double>(sum);
  }
}

}  // namespace

void host_gemm_of_long_range(const Gemm& call) {
  constexpr int kRowsAtOnce = 4;
  for (std::int64_t j = 0; j < call.n; ++j) {
    std::int64_t i = 0;
    for (; i + kRowsAtOnce <= call.m; i += kRowsAtOnce) long_range_elements<kRowsAtOnce>(call, i, j);
    for (; i < call.m; ++i) long_range_elements<1>(call, i, j);
  }
}

void host_trsm(const Trsm& call) {
  if (!call_host(trsm_behind_ours, call)) plain_trsm(call);
}

void host_trmm(const Trmm& call) {
  if (!call_host(trmm_behind_ours, call)) plain_trmm(call);
}

void host_symm(const Symm& call) {
  if (!call_host(symm_behind_ours, call)) plain_symm(call);
}

void host_gemmtr(const Gemmtr& call) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    const std::int64_t first = call.uplo == 'L' ? j : 0;
    const std::int64_t rows = call.uplo == 'L' ? call.n - j : j + 1;
    host_gemm({call.transa, call.transb, rows, 1, call.k, call.alpha,
               call.a + first * (call.transa == 'N' ? 1 : call.lda), call.lda,
               call.b + j * (call.transb == 'N' ? call.ldb : 1), call.ldb, call.beta, call.c + first + j * call.ldc,
               call.ldc});
  }
}

void host_syrk(const Syrk& call) {
  if (call_host(syrk_behind_ours, call)) return;
  const bool normal = call.trans == 'N';
  host_gemmtr({call.uplo, normal ? 'N' : 'T', normal ? 'T' : 'N', call.n, call.k, call.alpha, call.a, call.lda, call.a,
               call.lda, call.beta, call.c, call.ldc});
}

void host_syrk(const SyrkOf<float>& call) {
  if (call_host(syrk_of_singles_behind_ours, call)) return;
  const bool normal = call.trans == 'N';
  for (std::int64_t j = 0; j < call.n; ++j) {
    const std::int64_t first = call.uplo == 'L' ? j : 0;
    const std::int64_t row = normal ? 1 : call.lda;
    plain_gemm(GemmOf<float>{normal ? 'N' : 'T', normal ? 'T' : 'N', call.uplo == 'L' ? call.n - j : j + 1, 1, call.k,
                             call.alpha, call.a + first * row, call.lda, call.a + j * row, call.lda, call.beta,
                             call.c + first + j * call.ldc, call.ldc});
  }
}

void host_syr2k(const Syr2k& call) {
  if (call_host(syr2k_behind_ours, call)) return;
  const bool normal = call.trans == 'N';
  const char first = normal ? 'N' : 'T';
  const char second = normal ? 'T' : 'N';
  host_gemmtr({call.uplo, first, second, call.n, call.k, call.alpha, call.a, call.lda, call.b, call.ldb, call.beta,
               call.c, call.ldc});
  host_gemmtr(
      {call.uplo, first, second, call.n, call.k, call.alpha, call.b, call.ldb, call.a, call.lda, 1, call.c, call.ldc});
}

namespace {

bool is_one_of(char letter, const char* letters) {
  for (; *letters != '\0'; ++letters) {
    if (*letters == letter) return true;
  }
  return false;
}

std::int64_t leading(std::int64_t rows) { return std::max<std::int64_t>(1, rows); }

}  // namespace

template <class Number>
std::optional<int> bad_argument(const GemmOf<Number>& call) {
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

template std::optional<int> bad_argument(const GemmOf<double>& call);
template std::optional<int> bad_argument(const GemmOf<float>& call);

std::optional<int> bad_argument(const Trsm& call) {
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

std::optional<int> bad_argument(const Symm& call) {
  if (!is_one_of(call.side, "LR")) return 1;
  if (!is_one_of(call.uplo, "UL")) return 2;
  if (call.m < 0) return 3;
  if (call.n < 0) return 4;
  if (call.lda < leading(call.side == 'L' ? call.m : call.n)) return 7;
  if (call.ldb < leading(call.m)) return 9;
  if (call.ldc < leading(call.m)) return 12;
  return std::nullopt;
}

template <class Number>
std::optional<int> bad_argument(const SyrkOf<Number>& call) {
  if (!is_one_of(call.uplo, "UL")) return 1;
  if (!is_one_of(call.trans, "NTC")) return 2;
  if (call.n < 0) return 3;
  if (call.k < 0) return 4;
  if (call.lda < leading(call.trans == 'N' ? call.n : call.k)) return 7;
  if (call.ldc < leading(call.n)) return 10;
  return std::nullopt;
}

template std::optional<int> bad_argument(const SyrkOf<double>& call);
template std::optional<int> bad_argument(const SyrkOf<float>& call);

std::optional<int> bad_argument(const Syr2k& call) {
  if (!is_one_of(call.uplo, "UL")) return 1;
  if (!is_one_of(call.trans, "NTC")) return 2;
  if (call.n < 0) return 3;
  if (call.k < 0) return 4;
  if (call.lda < leading(call.trans == 'N' ? call.n : call.k)) return 7;
  if (call.ldb < leading(call.trans == 'N' ? call.n : call.k)) return 9;
  if (call.ldc < leading(call.n)) return 12;
  return std::nullopt;
}

std::optional<int> bad_argument(const Gemmtr& call) {
  if (!is_one_of(call.uplo, "UL")) return 1;
  if (!is_one_of(call.transa, "NTC")) return 2;
  if (!is_one_of(call.transb, "NTC")) return 3;
  if (call.n < 0) return 4;
  if (call.k < 0) return 5;
  if (call.lda < leading(call.transa == 'N' ? call.n : call.k)) return 8;
  if (call.ldb < leading(call.transb == 'N' ? call.k : call.n)) return 10;
  if (call.ldc < leading(call.n)) return 13;
  return std::nullopt;
}

}  // namespace gdr::blas
