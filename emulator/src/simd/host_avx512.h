// Eight lanes in AVX-512 (F, DQ, BW, VL, CD).
#pragma once

#include <immintrin.h>

#include "xsimd_host.h"

namespace gdr::emulator::simd {
namespace {
struct Arch : xsimd::avx512bw {};
}  // namespace
}  // namespace gdr::emulator::simd

GDR_REGISTERS_OF(avx512bw)

namespace gdr::emulator::simd {
namespace {

struct Host : XsimdHost<Arch> {
  static constexpr bool kFusedDoubles = true;
  static constexpr bool kManyRegisters = true;
  static constexpr bool kDirectedRounding = true;

  using XsimdHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    _mm512_mask_storeu_epi64(at, static_cast<__mmask8>(lanes), v);
  }

  static Mask lanes(std::uint32_t bits) { return static_cast<__mmask8>(bits); }
  static std::uint32_t lane_bits(Mask a) { return a.data; }
  static Mask sign(Bits a) { return _mm512_movepi64_mask(a); }

  static Bits shift_left(Bits a, Bits count) { return _mm512_sllv_epi64(a, count); }
  static Bits shift_right(Bits a, Bits count) { return _mm512_srlv_epi64(a, count); }
  template <int count>
  static Bits shift_right_signed(Bits a) {
    return _mm512_srai_epi64(a, count);
  }
  static Bits leading_zeros(Bits a) { return _mm512_lzcnt_epi64(a); }
  static Bits multiply_lower_halves(Bits a, Bits b) { return _mm512_mul_epu32(a, b); }

  // xsimd's for AVX-512 rounds twice.
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return _mm512_fmsub_pd(a, b, c); }
  static Doubles add_toward_zero(Doubles a, Doubles b) {
    return _mm512_add_round_pd(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
  static Doubles add_downward(Doubles a, Doubles b) {
    return _mm512_add_round_pd(a, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  static Doubles add_upward(Doubles a, Doubles b) {
    return _mm512_add_round_pd(a, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  }
  static Doubles multiply_toward_zero(Doubles a, Doubles b) {
    return _mm512_mul_round_pd(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
};

}  // namespace
}  // namespace gdr::emulator::simd
