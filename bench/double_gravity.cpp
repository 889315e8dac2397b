#include "double_gravity.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace gdr::bench {
// Nothing here but what inlines: whatever the linker shares with other code would need AVX-512 there, too.
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kUnroll = 2;  // host vectors of i-particles at a time: 1 and 4 are slower

__m512d load(const std::vector<double>& values, std::size_t at) { return _mm512_loadu_pd(values.data() + at); }

void predict(const DoubleSources& sources, double time, DoublePredicted& predicted) {
  const std::size_t count = sources.mass.size();
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < count; j += kLanes) {
      const __m512d dt = _mm512_sub_pd(_mm512_set1_pd(time), load(sources.time, j));
      const __m512d s3 = _mm512_mul_pd(_mm512_mul_pd(_mm512_set1_pd(0.75), load(sources.snap_by_18[k], j)), dt);
      const __m512d b2 = _mm512_add_pd(load(sources.jerk_by_6[k], j), s3);
      const __m512d b1 = _mm512_fmadd_pd(b2, dt, load(sources.a_by_2[k], j));
      const __m512d b0 = _mm512_fmadd_pd(b1, dt, load(sources.v[k], j));
      const __m512d c1 = _mm512_fmadd_pd(_mm512_add_pd(b2, s3), dt, b1);
      _mm512_storeu_pd(predicted.x[k].data() + j, _mm512_fmadd_pd(b0, dt, load(sources.x[k], j)));
      _mm512_storeu_pd(predicted.v[k].data() + j, _mm512_fmadd_pd(c1, dt, b0));
    }
  }
}

/// Eight i-particles in registers, and the sums that are formed for them.
struct Lanes {
  __m512d x[3], v[3], eps2;
  __m512d acc[3], jerk[3], pot;
};

/// With Y = 1/r, 2/r, 16/r the Newton steps Y <- Y (3 s^2 - r^2 Y^2), s = 1, 2, need no halves; what that costs in
/// scale is taken back from the sums.
[[gnu::always_inline]] inline void interact(Lanes& i, const __m512d* xj, const __m512d* vj, __m512d mass) {
  __m512d d[3], u[3];
  for (int k = 0; k < 3; ++k) {
    d[k] = _mm512_sub_pd(xj[k], i.x[k]);
    u[k] = _mm512_sub_pd(vj[k], i.v[k]);
  }
  const __m512d r2 = _mm512_fmadd_pd(d[2], d[2], _mm512_fmadd_pd(d[1], d[1], _mm512_fmadd_pd(d[0], d[0], i.eps2)));
  // maskz, all lanes: GCC 12 takes the plain form for a use of something uninitialized (bug 105593).
  __m512d y = _mm512_maskz_rsqrt14_pd(0xff, r2);
  y = _mm512_mul_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(r2, y), y, _mm512_set1_pd(3)));
  y = _mm512_mul_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(r2, y), y, _mm512_set1_pd(12)));
  const __m512d du = _mm512_fmadd_pd(d[2], u[2], _mm512_fmadd_pd(d[1], u[1], _mm512_mul_pd(d[0], u[0])));
  const __m512d yy = _mm512_mul_pd(y, y);
  const __m512d q = _mm512_mul_pd(_mm512_mul_pd(du, _mm512_set1_pd(3.0 / 256)), yy);
  const __m512d my3 = _mm512_mul_pd(_mm512_mul_pd(mass, yy), y);
  i.pot = _mm512_fmadd_pd(mass, y, i.pot);
  for (int k = 0; k < 3; ++k) {
    i.acc[k] = _mm512_fmadd_pd(my3, d[k], i.acc[k]);
    i.jerk[k] = _mm512_fmadd_pd(my3, _mm512_fnmadd_pd(q, d[k], u[k]), i.jerk[k]);
  }
}

void forces(const DoublePredicted& predicted, const std::vector<double>& mass, DoubleTargets& targets,
            std::size_t first) {
  Lanes i[kUnroll];
  for (std::size_t n = 0; n < kUnroll; ++n) {
    i[n].pot = _mm512_setzero_pd();
    i[n].eps2 = load(targets.eps2, first + n * kLanes);
    for (std::size_t k = 0; k < 3; ++k) {
      i[n].x[k] = load(targets.x[k], first + n * kLanes);
      i[n].v[k] = load(targets.v[k], first + n * kLanes);
      i[n].acc[k] = i[n].jerk[k] = _mm512_setzero_pd();
    }
  }
  for (std::size_t j = 0; j < mass.size(); ++j) {
    __m512d xj[3], vj[3];
    for (std::size_t k = 0; k < 3; ++k) {
      xj[k] = _mm512_set1_pd(predicted.x[k][j]);
      vj[k] = _mm512_set1_pd(predicted.v[k][j]);
    }
    for (Lanes& lanes : i) interact(lanes, xj, vj, _mm512_set1_pd(mass[j]));
  }
  for (std::size_t n = 0; n < kUnroll; ++n) {
    const std::size_t at = first + n * kLanes;
    _mm512_storeu_pd(targets.pot.data() + at, _mm512_mul_pd(i[n].pot, _mm512_set1_pd(-1.0 / 16)));
    for (std::size_t k = 0; k < 3; ++k) {
      const __m512d scale = _mm512_set1_pd(1.0 / 4096);
      _mm512_storeu_pd(targets.acc[k].data() + at, _mm512_mul_pd(i[n].acc[k], scale));
      _mm512_storeu_pd(targets.jerk[k].data() + at, _mm512_mul_pd(i[n].jerk[k], scale));
    }
  }
}

}  // namespace

bool has_double_gravity() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"); }

void double_gravity(const DoubleSources& sources, double time, DoublePredicted& predicted, DoubleTargets& targets) {
  predict(sources, time, predicted);
  for (std::size_t i = 0; i < targets.pot.size(); i += kUnroll * kLanes) forces(predicted, sources.mass, targets, i);
}

double fma_peak_work(std::size_t rounds) {
  constexpr std::size_t kChains = 16;  // two a clock of latency 4 would need 8
  __m512d chains[kChains];
  for (std::size_t n = 0; n < kChains; ++n) chains[n] = _mm512_set1_pd(static_cast<double>(n));
  const __m512d factor = _mm512_set1_pd(0.999);
  const __m512d summand = _mm512_set1_pd(0.001);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (__m512d& chain : chains) {
      chain = _mm512_fmadd_pd(chain, factor, summand);
      asm volatile("" : "+v"(chain));  // neither folded nor moved out
    }
  }
  return static_cast<double>(rounds * kChains * kLanes * 2);
}

}  // namespace gdr::bench
#else

namespace gdr::bench {

bool has_double_gravity() { return false; }
void double_gravity(const DoubleSources&, double, DoublePredicted&, DoubleTargets&) {}
double fma_peak_work(std::size_t) { return 0; }

}  // namespace gdr::bench
#endif
