// Four lanes in AVX2 and FMA.
#pragma once

#include <immintrin.h>

#include "xsimd_host.h"

namespace gdr::emulator::simd {
namespace {
struct Arch : xsimd::fma3<xsimd::avx2> {};
}  // namespace
}  // namespace gdr::emulator::simd

GDR_REGISTERS_OF(fma3<avx2>)

// xsimd splits a register into halves to compare unsigned words.
template <>
inline auto xsimd::batch<std::uint64_t, gdr::emulator::simd::Arch>::operator<(const batch& other) const noexcept
    -> batch_bool_type {
  return __m256i((__v4du)data < (__v4du)other.data);
}

namespace gdr::emulator::simd {
namespace {

struct Host : XsimdHost<Arch> {
  static constexpr bool kFusedDoubles = true;

  using XsimdHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(at), Host::lanes(lanes), v);
  }

  static Mask lanes(std::uint32_t bits) {
    const Bits bit{1, 2, 4, 8};
    return (std::uint64_t{bits} & bit) == bit;
  }
  static std::uint32_t lane_bits(Mask a) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(a)));
  }

  static Bits shift_left(Bits a, Bits count) { return a << count; }
  static Bits shift_right(Bits a, Bits count) { return a >> count; }
  static Bits multiply_lower_halves(Bits a, Bits b) { return _mm256_mul_epu32(a, b); }
};

}  // namespace
}  // namespace gdr::emulator::simd
