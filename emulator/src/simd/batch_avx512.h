// Eight lanes in AVX-512 (F, DQ, BW, VL, CD). Included by the kernels compiled for it alone.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gdr::emulator::simd {
namespace {

struct Host {
  static constexpr unsigned kLanes = 8;
  static constexpr bool kFusedDoubles = true;      // fused multiply-add of doubles
  static constexpr bool kRoundsTowardZero = true;  // per instruction

  using Bits = std::uint64_t __attribute__((vector_size(64)));
  using Doubles = double __attribute__((vector_size(64)));
  using Mask = __mmask8;

  // The masked forms of some intrinsics keep GCC 12 from warning about a register of its own; the code is the same.
  static constexpr Mask kAll = 0xff;

  static Bits load(const std::uint64_t* at) { return reinterpret_cast<Bits>(_mm512_loadu_si512(at)); }
  static void store(std::uint64_t* at, Bits v) { _mm512_storeu_si512(at, reinterpret_cast<__m512i>(v)); }
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    _mm512_mask_storeu_epi64(at, static_cast<Mask>(lanes), reinterpret_cast<__m512i>(v));
  }
  static Bits all(std::uint64_t value) {
    return reinterpret_cast<Bits>(_mm512_set1_epi64(static_cast<long long>(value)));
  }

  // Masks of lanes.
  static Mask equal(Bits a, Bits b) { return _mm512_cmpeq_epu64_mask(integer(a), integer(b)); }
  static Mask less(Bits a, Bits b) { return _mm512_cmplt_epu64_mask(integer(a), integer(b)); }
  static Mask less_signed(Bits a, Bits b) { return _mm512_cmplt_epi64_mask(integer(a), integer(b)); }
  static Mask differ(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
  static Mask sign(Bits a) { return _mm512_movepi64_mask(integer(a)); }
  static Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
  static Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
  static Mask except(Mask a, Mask b) { return static_cast<Mask>(a & ~b); }
  static bool any(Mask a) { return a != 0; }
  static std::uint32_t bits(Mask a) { return a; }
  static Mask lanes(std::uint32_t bits) { return static_cast<Mask>(bits); }
  static Bits select(Mask m, Bits if_set, Bits if_clear) {
    return reinterpret_cast<Bits>(_mm512_mask_mov_epi64(integer(if_clear), m, integer(if_set)));
  }

  // Shifts by a count per lane; 0 for counts of 64 and more.
  static Bits shift_left(Bits a, Bits count) {
    return reinterpret_cast<Bits>(_mm512_maskz_sllv_epi64(kAll, integer(a), integer(count)));
  }
  static Bits shift_right(Bits a, Bits count) {
    return reinterpret_cast<Bits>(_mm512_maskz_srlv_epi64(kAll, integer(a), integer(count)));
  }
  /// Copies of the sign from the left.
  template <int count>
  static Bits shift_right_signed(Bits a) {
    return reinterpret_cast<Bits>(_mm512_maskz_srai_epi64(kAll, integer(a), count));
  }
  /// 64 for 0.
  static Bits leading_zeros(Bits a) { return reinterpret_cast<Bits>(_mm512_maskz_lzcnt_epi64(kAll, integer(a))); }
  /// Of the lower 32 bits of each.
  static Bits multiply_lower_halves(Bits a, Bits b) {
    return reinterpret_cast<Bits>(_mm512_maskz_mul_epu32(kAll, integer(a), integer(b)));
  }

  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return _mm512_fmsub_pd(a, b, c); }
  static Doubles add_toward_zero(Doubles a, Doubles b) {
    return _mm512_maskz_add_round_pd(kAll, a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
  static Doubles add_downward(Doubles a, Doubles b) {
    return _mm512_maskz_add_round_pd(kAll, a, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  static Doubles add_upward(Doubles a, Doubles b) {
    return _mm512_maskz_add_round_pd(kAll, a, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  }
  static Doubles multiply_toward_zero(Doubles a, Doubles b) {
    return _mm512_maskz_mul_round_pd(kAll, a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }

 private:
  static __m512i integer(Bits a) { return reinterpret_cast<__m512i>(a); }
};

}  // namespace
}  // namespace gdr::emulator::simd
