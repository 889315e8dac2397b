// The host's own BLAS behind ours: the next library in the search order, or the one libgdrblas was linked with.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gdr::blas {

/// gemm's arguments, column major; letters are upper case N, T or C.
template <class Number>
struct GemmOf {
  char transa = 'N';
  char transb = 'N';
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Number alpha = 0;
  const Number* a = nullptr;
  std::int64_t lda = 1;
  const Number* b = nullptr;
  std::int64_t ldb = 1;
  Number beta = 0;
  Number* c = nullptr;
  std::int64_t ldc = 1;
};
using Gemm = GemmOf<double>;

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

/// dtrmm's arguments, as those of dtrsm.
struct Trmm : Trsm {};

/// dsymm's arguments, column major, letters upper case.
struct Symm {
  char side = 'L';
  char uplo = 'L';
  std::int64_t m = 0;
  std::int64_t n = 0;
  double alpha = 0;
  const double* a = nullptr;
  std::int64_t lda = 1;
  const double* b = nullptr;
  std::int64_t ldb = 1;
  double beta = 0;
  double* c = nullptr;
  std::int64_t ldc = 1;
};

/// syrk's arguments, column major, letters upper case.
template <class Number>
struct SyrkOf {
  char uplo = 'L';
  char trans = 'N';
  std::int64_t n = 0;
  std::int64_t k = 0;
  Number alpha = 0;
  const Number* a = nullptr;
  std::int64_t lda = 1;
  Number beta = 0;
  Number* c = nullptr;
  std::int64_t ldc = 1;
};
using Syrk = SyrkOf<double>;

/// dsyr2k's arguments, column major, letters upper case.
struct Syr2k {
  char uplo = 'L';
  char trans = 'N';
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

/// dgemmtr's arguments, column major, letters upper case: one triangle of a product.
struct Gemmtr {
  char uplo = 'L';
  char transa = 'N';
  char transb = 'N';
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

/// By the host's routine, or, for sizes beyond its integers, by plain loops.
void host_gemm(const Gemm& call);
void host_gemm(const GemmOf<float>& call);
/// The same product where exponents leave the range of doubles on the way, which no BLAS computes well: plain loops on
/// the host's long doubles, of 15 bits of exponent and at least 64 of significand.
void host_gemm_of_long_range(const Gemm& call);
void host_trsm(const Trsm& call);
void host_trmm(const Trmm& call);
void host_symm(const Symm& call);
void host_syrk(const Syrk& call);
void host_syrk(const SyrkOf<float>& call);
void host_syr2k(const Syr2k& call);
/// By products of the host with one column each: older BLAS libraries have no dgemmtr.
void host_gemmtr(const Gemmtr& call);

/// A routine of the library behind ours; null if it has none.
[[nodiscard]] void* behind_ours(const char* name);
/// True if the unsuffixed names of the library behind ours take 64-bit integers, as those of Debian's libblas64 do.
/// Then so do programs that are linked with it, and ours do as well.
[[nodiscard]] bool host_has_wide_integers();

/// A routine of the library behind ours, looked up on first use. No lock is held meanwhile: a child forked at that
/// moment could never take it. Threads that look at the same time find the same.
class BehindOurs {
 public:
  explicit constexpr BehindOurs(const char* name) : name_(name) {}
  /// Null if the host's BLAS has no such routine.
  void* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = behind_ours(name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

/// Calls a C function of the library behind ours with these arguments, whose sizes are std::int64_t. False if there is
/// none, or its integers do not hold the sizes.
template <class... Arguments>
[[nodiscard]] bool call_c_behind_ours(const char* name, const std::tuple<Arguments...>& arguments) {
  void* const function = behind_ours(name);
  if (function == nullptr) return false;
  return std::apply(
      [&](auto... given) {
        const auto call = [&]<class Integer>(Integer) {
          const auto passed = [](auto value) {
            if constexpr (std::is_same_v<decltype(value), std::int64_t>) {
              return static_cast<Integer>(value);
            } else {
              return value;
            }
          };
          using Function = void (*)(decltype(passed(given))...);
          reinterpret_cast<Function>(function)(passed(given)...);
        };
        if (host_has_wide_integers()) {
          call(std::int64_t{});
          return true;
        }
        const auto fits = [](auto value) {
          if constexpr (std::is_same_v<decltype(value), std::int64_t>) return std::in_range<std::int32_t>(value);
          return true;
        };
        if (!(fits(given) && ...)) return false;
        call(std::int32_t{});
        return true;
      },
      arguments);
}

/// Number of the first bad argument, as BLAS counts them; nothing if all are good.
template <class Number>
[[nodiscard]] std::optional<int> bad_argument(const GemmOf<Number>& call);
[[nodiscard]] std::optional<int> bad_argument(const Trsm& call);
[[nodiscard]] std::optional<int> bad_argument(const Symm& call);
template <class Number>
[[nodiscard]] std::optional<int> bad_argument(const SyrkOf<Number>& call);
[[nodiscard]] std::optional<int> bad_argument(const Syr2k& call);
[[nodiscard]] std::optional<int> bad_argument(const Gemmtr& call);

}  // namespace gdr::blas
