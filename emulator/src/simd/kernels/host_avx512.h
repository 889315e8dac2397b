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
  static constexpr bool kClassifies = true;

  using XsimdHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    _mm512_mask_storeu_epi64(at, static_cast<__mmask8>(lanes), v);
  }

  static Mask lanes(std::uint32_t bits) { return static_cast<__mmask8>(bits); }
  static std::uint32_t lane_bits(Mask a) { return a.data; }
  static Mask sign(Bits a) { return _mm512_movepi64_mask(a); }

  static Bits shift_left(Bits a, Bits count) { return _mm512_sllv_epi64(a, count); }
  static Bits shift_right(Bits a, Bits count) { return _mm512_srlv_epi64(a, count); }
  static Bits leading_zeros(Bits a) { return _mm512_lzcnt_epi64(a); }
  static Bits multiply_lower_halves(Bits a, Bits b) { return _mm512_mul_epu32(a, b); }

  /// Adds 1 where `n` has `bit` set.
  static Bits increment(Bits a, Bits n, std::uint64_t bit) {
    return _mm512_mask_add_epi64(a, _mm512_test_epi64_mask(n, Bits(bit)), a, Bits(std::uint64_t{1}));
  }
  static Mask no_bit_of(Bits a, std::uint64_t mask) { return _mm512_testn_epi64_mask(a, Bits(mask)); }
  /// Zero, subnormal, infinite or no number.
  static Mask not_normal(Doubles a) {
    return _mm512_fpclass_pd_mask(a, kZeros | kSubnormal | kInfinities | kNoNumbers);
  }
  static Mask equal_or_unordered(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_UQ); }

  // xsimd's functions for AVX-512 round twice.
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return _mm512_fmsub_pd(a, b, c); }
  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return _mm512_fmadd_pd(a, b, c); }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) { return _mm512_fnmadd_pd(a, b, c); }
  static Doubles larger_in_magnitude(Doubles a, Doubles b) { return _mm512_range_pd(a, b, kLargerMagnitude); }
  static Doubles smaller_in_magnitude(Doubles a, Doubles b) { return _mm512_range_pd(b, a, kSmallerMagnitude); }
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

 private:
  // Immediates of VFPCLASSPD and VRANGEPD [Intel 64 and IA-32 Architectures Software Developer's Manual 2]. With those
  // of VRANGEPD the result keeps its sign.
  static constexpr int kNoNumbers = 0x81;
  static constexpr int kZeros = 0x06;
  static constexpr int kInfinities = 0x18;
  static constexpr int kSubnormal = 0x20;
  static constexpr int kSmallerMagnitude = 0b0110;
  static constexpr int kLargerMagnitude = 0b0111;
};

}  // namespace
}  // namespace gdr::emulator::simd
