// Lanes: doubles side by side, in the vectors of the instruction set that GDR_LANES_NAME chooses. All of it is local to
// the translation unit, as xsimd's templates become by an Arch of its own: no function compiled for one instruction set
// can take the place of its namesake compiled for another.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#ifndef GDR_LANES_portable
#include <xsimd/xsimd.hpp>
#endif

namespace gdr::hostlib::simd {
namespace {

/// One lane: what is left over from whole vectors, and hosts of which xsimd knows nothing.
struct OneLane {
  using Doubles = double;
  using Ids = std::int64_t;
  using Mask = bool;
  static constexpr std::size_t kLanes = 1;
  static constexpr std::size_t kVectors = 1;

  static Doubles load(const double* at) { return *at; }
  static Ids load(const std::int64_t* at) { return *at; }
  static void store(double* at, Doubles v) { *at = v; }
  static Doubles root(Doubles a) { return std::sqrt(a); }
  static Mask equal(Ids a, Ids b) { return a == b; }
  static Mask is_zero(Doubles a) { return a == 0.0; }
  static Mask either(Mask a, Mask b) { return a || b; }
  static Doubles choose(Mask mask, Doubles a, Doubles b) { return mask ? a : b; }
};

}  // namespace
}  // namespace gdr::hostlib::simd

#ifdef GDR_LANES_portable

namespace gdr::hostlib::simd {
namespace {
using Lanes = OneLane;
}  // namespace
}  // namespace gdr::hostlib::simd

#else

namespace gdr::hostlib::simd {
namespace {

#if defined(GDR_LANES_avx512)
using XsimdArch = xsimd::avx512bw;
inline constexpr std::size_t kVectorsAtATime = 2;  // as many as its registers hold the sums of
#elif defined(GDR_LANES_avx2)
using XsimdArch = xsimd::fma3<xsimd::avx2>;
inline constexpr std::size_t kVectorsAtATime = 1;
#elif defined(GDR_LANES_sse4_2)
using XsimdArch = xsimd::sse4_2;
inline constexpr std::size_t kVectorsAtATime = 1;
#elif defined(GDR_LANES_neon)
using XsimdArch = xsimd::neon64;
inline constexpr std::size_t kVectorsAtATime = 2;
#endif

#ifdef GDR_LANES_neon
using Arch = XsimdArch;  // every 64-bit ARM has it, and xsimd 8.1 gets lost in types derived from it
#else
struct Arch : XsimdArch {};
#endif

}  // namespace
}  // namespace gdr::hostlib::simd

#ifndef GDR_LANES_neon
namespace xsimd::types {
XSIMD_DECLARE_SIMD_REGISTER_ALIAS(gdr::hostlib::simd::Arch, gdr::hostlib::simd::XsimdArch);
template <class T>
struct get_bool_simd_register<T, gdr::hostlib::simd::Arch> : get_bool_simd_register<T, gdr::hostlib::simd::XsimdArch> {
};
}  // namespace xsimd::types
#endif

namespace gdr::hostlib::simd {
namespace {

struct Lanes {
  using Doubles = xsimd::batch<double, Arch>;
  using Ids = xsimd::batch<std::int64_t, Arch>;
  using Mask = typename Doubles::batch_bool_type;
  static constexpr std::size_t kLanes = Doubles::size;
  static constexpr std::size_t kVectors = kVectorsAtATime;

  static Doubles load(const double* at) { return Doubles::load_unaligned(at); }
  static Ids load(const std::int64_t* at) { return Ids::load_unaligned(at); }
  static void store(double* at, Doubles v) { v.store_unaligned(at); }
  static Doubles root(Doubles a) { return xsimd::sqrt(a); }
  static Mask equal(Ids a, Ids b) { return Mask(xsimd::bool_cast(a == b).data); }
  static Mask is_zero(Doubles a) { return a == Doubles(0.0); }
  static Mask either(Mask a, Mask b) { return a | b; }
  static Doubles choose(Mask mask, Doubles a, Doubles b) { return xsimd::select(mask, a, b); }
};

}  // namespace
}  // namespace gdr::hostlib::simd

#endif
