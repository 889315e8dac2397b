// For pair functions that gdr cc compiles: what C++ has no word for. Compiled for the host, the same functions are a
// kernel's plain reference.
#pragma once

#include <cmath>

#ifdef __GDR__
extern "C" float gdr_rsqrt(float) __attribute__((const));
extern "C" float gdr_reciprocal(float) __attribute__((const));
#endif

namespace gdr {

/// 1 / sqrt(x), and 0 for x = 0: pairs at distance 0 add nothing. On the machine off by at most 1e-7 of itself.
inline float rsqrt(float x) {
#ifdef __GDR__
  return gdr_rsqrt(x);
#else
  return x == 0 ? 0 : 1 / std::sqrt(x);
#endif
}

/// 1 / x, and 0 for x = 0. On the machine off by at most 1e-7 of itself.
inline float reciprocal(float x) {
#ifdef __GDR__
  return gdr_reciprocal(x);
#else
  return x == 0 ? 0 : 1 / x;
#endif
}

}  // namespace gdr
