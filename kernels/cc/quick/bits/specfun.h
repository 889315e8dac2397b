// Stands in for libstdc++'s header of this name, which <cmath> includes, while `gdr cc` compiles a source for the first
// time. The special functions [C++17, 26.9.5] are declared, so that names mean what they mean elsewhere, but have no
// bodies, which clang would read for two thirds of its time. A source that calls one does not compile, and is compiled
// again with libstdc++'s header.
#ifndef _GLIBCXX_BITS_SPECFUN_H
#define _GLIBCXX_BITS_SPECFUN_H 1

#include <bits/c++config.h>
#include <bits/stl_algobase.h>
#include <ext/type_traits.h>

#include <limits>
#include <type_traits>

#define __STDCPP_MATH_SPEC_FUNCS__ 201003L
#define __cpp_lib_math_special_functions 201603L

// Functions of one, two or three floating-point numbers, behind the whole numbers in parentheses.
#define GDR_COMMA ,
#define GDR_ONE(NAME, ...)                               \
  float NAME##f(__VA_ARGS__ float) = delete;             \
  long double NAME##l(__VA_ARGS__ long double) = delete; \
  template <class X>                                     \
  typename __gnu_cxx::__promote<X>::__type NAME(__VA_ARGS__ X) = delete;
#define GDR_TWO(NAME)                                     \
  float NAME##f(float, float) = delete;                   \
  long double NAME##l(long double, long double) = delete; \
  template <class X, class Y>                             \
  typename __gnu_cxx::__promote_2<X, Y>::__type NAME(X, Y) = delete;
#define GDR_THREE(NAME)                                                \
  float NAME##f(float, float, float) = delete;                         \
  long double NAME##l(long double, long double, long double) = delete; \
  template <class X, class Y, class Z>                                 \
  typename __gnu_cxx::__promote_3<X, Y, Z>::__type NAME(X, Y, Z) = delete;

namespace std {
GDR_ONE(assoc_laguerre, unsigned GDR_COMMA unsigned GDR_COMMA)
GDR_ONE(assoc_legendre, unsigned GDR_COMMA unsigned GDR_COMMA)
GDR_TWO(beta)
GDR_ONE(comp_ellint_1)
GDR_ONE(comp_ellint_2)
GDR_TWO(comp_ellint_3)
GDR_TWO(cyl_bessel_i)
GDR_TWO(cyl_bessel_j)
GDR_TWO(cyl_bessel_k)
GDR_TWO(cyl_neumann)
GDR_TWO(ellint_1)
GDR_TWO(ellint_2)
GDR_THREE(ellint_3)
GDR_ONE(expint)
GDR_ONE(hermite, unsigned GDR_COMMA)
GDR_ONE(laguerre, unsigned GDR_COMMA)
GDR_ONE(legendre, unsigned GDR_COMMA)
GDR_ONE(riemann_zeta)
GDR_ONE(sph_bessel, unsigned GDR_COMMA)
GDR_ONE(sph_legendre, unsigned GDR_COMMA unsigned GDR_COMMA)
GDR_ONE(sph_neumann, unsigned GDR_COMMA)
}  // namespace std

#ifndef __STRICT_ANSI__
namespace __gnu_cxx {  // libstdc++'s own
GDR_ONE(airy_ai)
GDR_ONE(airy_bi)
GDR_THREE(conf_hyperg)
float hypergf(float, float, float, float) = delete;
long double hypergl(long double, long double, long double, long double) = delete;
template <class A, class B, class C, class X>
typename __gnu_cxx::__promote_4<A, B, C, X>::__type hyperg(A, B, C, X) = delete;
}  // namespace __gnu_cxx
#endif

#undef GDR_COMMA
#undef GDR_ONE
#undef GDR_TWO
#undef GDR_THREE

#endif
