// Four lanes in AVX2 and FMA. Included by the kernels compiled for it alone.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace gdr::emulator::simd {
namespace {

struct Host {
  static constexpr unsigned kLanes = 4;
  static constexpr bool kFusedDoubles = true;
  static constexpr bool kRoundsTowardZero = false;

  using Bits = std::uint64_t __attribute__((vector_size(32)));
  using Doubles = double __attribute__((vector_size(32)));
  using Mask = Bits;  // lanes of ones or zeros

  static Bits load(const std::uint64_t* at) {
    return reinterpret_cast<Bits>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  }
  static void store(std::uint64_t* at, Bits v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), integer(v)); }
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(at), integer(Host::lanes(lanes)), integer(v));
  }
  static Bits all(std::uint64_t value) { return Bits{value, value, value, value}; }

  static Mask equal(Bits a, Bits b) { return reinterpret_cast<Mask>(a == b); }
  static Mask less(Bits a, Bits b) { return reinterpret_cast<Mask>(a < b); }
  static Mask less_signed(Bits a, Bits b) { return reinterpret_cast<Mask>(_mm256_cmpgt_epi64(integer(b), integer(a))); }
  static Mask differ(Doubles a, Doubles b) { return reinterpret_cast<Mask>(_mm256_cmp_pd(a, b, _CMP_NEQ_UQ)); }
  static Mask sign(Bits a) { return less_signed(a, Bits{}); }
  static Mask both(Mask a, Mask b) { return a & b; }
  static Mask either(Mask a, Mask b) { return a | b; }
  static Mask except(Mask a, Mask b) { return a & ~b; }
  static bool any(Mask a) { return _mm256_testz_si256(integer(a), integer(a)) == 0; }
  static std::uint32_t bits(Mask a) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a)));
  }
  static constexpr Mask kAll{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  static Mask lanes(std::uint32_t bits) {
    const Bits bit = {1, 2, 4, 8};
    return reinterpret_cast<Mask>((all(bits) & bit) == bit);
  }
  static Bits select(Mask m, Bits if_set, Bits if_clear) {
    return reinterpret_cast<Bits>(_mm256_blendv_epi8(integer(if_clear), integer(if_set), integer(m)));
  }

  static Bits shift_left(Bits a, Bits count) {
    return reinterpret_cast<Bits>(_mm256_sllv_epi64(integer(a), integer(count)));
  }
  static Bits shift_right(Bits a, Bits count) {
    return reinterpret_cast<Bits>(_mm256_srlv_epi64(integer(a), integer(count)));
  }
  template <int count>
  static Bits shift_right_signed(Bits a) {
    const Bits bias = all(std::uint64_t{1} << (63 - count));
    return ((a >> count) ^ bias) - bias;
  }
  static Bits leading_zeros(Bits a) {
    Bits count = {};
    for (int step = 32; step > 0; step /= 2) {
      const Mask small = equal(a >> (64 - step), Bits{});
      count += small & all(static_cast<std::uint64_t>(step));
      a = select(small, a << step, a);
    }
    return count + (equal(a, Bits{}) & all(1));
  }
  static Bits multiply_lower_halves(Bits a, Bits b) {
    return reinterpret_cast<Bits>(_mm256_mul_epu32(integer(a), integer(b)));
  }

  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return _mm256_fmsub_pd(a, b, c); }
  // What kRoundsTowardZero would promise; never called.
  static Doubles add_toward_zero(Doubles a, Doubles b);
  static Doubles add_downward(Doubles a, Doubles b);
  static Doubles add_upward(Doubles a, Doubles b);
  static Doubles multiply_toward_zero(Doubles a, Doubles b);

 private:
  static __m256i integer(Bits a) { return reinterpret_cast<__m256i>(a); }
};

}  // namespace
}  // namespace gdr::emulator::simd
