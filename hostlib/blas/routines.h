// Level 3 of BLAS by matrix products: triangles are halved until what is left of them is small.
#pragma once

#include "host_blas.h"

namespace gdr::blas {

/// Who multiplies for the routines below.
class Multiplier {
 public:
  Multiplier() = default;
  Multiplier(const Multiplier&) = delete;
  Multiplier& operator=(const Multiplier&) = delete;
  virtual ~Multiplier() = default;

  /// By boards or host.
  virtual void product(const Gemm& call) = 0;
  /// True if a call of so many operations is not worth a board.
  [[nodiscard]] virtual bool is_small(double flops) const = 0;
  /// True if boards are to get even the smallest triangles.
  [[nodiscard]] virtual bool takes_all() const = 0;
  virtual void by_host(const Trsm& call) = 0;
  virtual void by_host(const Trmm& call) = 0;
  virtual void by_host(const Symm& call) = 0;
  virtual void by_host(const Syrk& call) = 0;
  virtual void by_host(const Syr2k& call) = 0;
  virtual void by_host(const Gemmtr& call) = 0;
  virtual void by_host(const GemmOf<float>& call) = 0;
  virtual void by_host(const SyrkOf<float>& call) = 0;
};

/// Operations as BLAS counts them: a product and its sum are 2.
template <class Number>
[[nodiscard]] double flops_of(const GemmOf<Number>& call);
[[nodiscard]] double flops_of(const Trsm& call);
[[nodiscard]] double flops_of(const Symm& call);
template <class Number>
[[nodiscard]] double flops_of(const SyrkOf<Number>& call);
[[nodiscard]] double flops_of(const Syr2k& call);
[[nodiscard]] double flops_of(const Gemmtr& call);

/// C = beta C, m x n, without reading A or B.
template <class Number>
void scale(std::int64_t m, std::int64_t n, Number beta, Number* c, std::int64_t ldc);

// What the BLAS routines of these names compute; the arguments are good and no size is 0. A call that would change
// nothing touches nothing.
void trsm(const Trsm& call, Multiplier& by);
void trmm(const Trmm& call, Multiplier& by);
void symm(const Symm& call, Multiplier& by);
void syrk(const Syrk& call, Multiplier& by);
void syr2k(const Syr2k& call, Multiplier& by);
void gemmtr(const Gemmtr& call, Multiplier& by);

// In doubles of the same matrices, by a Multiplier whose boards take short words, which hold every float. C is rounded
// to floats once, at the end.
void gemm(const GemmOf<float>& call, Multiplier& by);
void syrk(const SyrkOf<float>& call, Multiplier& by);

}  // namespace gdr::blas
