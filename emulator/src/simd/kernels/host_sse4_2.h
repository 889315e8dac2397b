// Two lanes in SSE4.2, without fused multiply-add.
#pragma once

#include <nmmintrin.h>

#include "xsimd_host.h"

namespace gdr::emulator::simd {
namespace {
struct Arch : xsimd::sse4_2 {};
}  // namespace
}  // namespace gdr::emulator::simd

GDR_REGISTERS_OF(sse4_2)

// The compiler's own comparison folds constants better than xsimd's, which compares words with flipped signs.
template <>
inline auto xsimd::batch<std::uint64_t, gdr::emulator::simd::Arch>::operator<(const batch& other) const noexcept
    -> batch_bool_type {
  return __m128i((__v2du)data < (__v2du)other.data);
}

namespace gdr::emulator::simd {
namespace {

struct Host : XsimdHost<Arch> {
  static constexpr bool kFusedDoubles = false;

  using XsimdHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    store(at, xsimd::select(Host::lanes(lanes), v, load(at)));
  }

  static Mask lanes(std::uint32_t bits) {
    const Bits bit{1, 2};
    return (std::uint64_t{bits} & bit) == bit;
  }
  static std::uint32_t lane_bits(Mask a) { return static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(a))); }

  // The instruction shifts both lanes by one count, so there is one shift for the count of each lane.
  static Bits shift_left(Bits a, Bits count) {
    return _mm_blend_epi16(_mm_sll_epi64(a, count), _mm_sll_epi64(a, second(count)), kSecond);
  }
  static Bits shift_right(Bits a, Bits count) {
    return _mm_blend_epi16(_mm_srl_epi64(a, count), _mm_srl_epi64(a, second(count)), kSecond);
  }
  static Bits multiply_lower_halves(Bits a, Bits b) { return _mm_mul_epu32(a, b); }
  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return a * b + c; }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) { return c - a * b; }

 private:
  static constexpr int kSecond = 0xf0;
  static __m128i second(Bits a) { return _mm_unpackhi_epi64(a, a); }
};

}  // namespace
}  // namespace gdr::emulator::simd
