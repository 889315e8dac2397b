// Two lanes in NEON of 64-bit ARM. They are the compiler's own vectors, because in xsimd 8.1 a shift by a constant
// searches for its count among all 64 at run time, unless the compiler inlines the whole search.
#pragma once

#include <arm_neon.h>

#include "compiler_host.h"

namespace gdr::emulator::simd {
namespace {
namespace vectors {

// One instruction each. Overload resolution prefers these functions to the template.
inline Batch<std::uint64_t> select(Mask mask, Batch<std::uint64_t> if_set, Batch<std::uint64_t> if_clear) {
  return Batch<std::uint64_t>(vbslq_u64(mask.data, if_set.data, if_clear.data));
}
inline Batch<double> select(Mask mask, Batch<double> if_set, Batch<double> if_clear) {
  return Batch<double>(vbslq_f64(mask.data, if_set.data, if_clear.data));
}

}  // namespace vectors

struct Host : CompilerHost {
  static constexpr bool kFusedDoubles = true;
  static constexpr bool kManyRegisters = true;
  static constexpr bool kFlushesSubnormals = true;

  using CompilerHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    store(at, select(Host::lanes(lanes), v, load(at)));
  }

  static Mask lanes(std::uint32_t bits) { return {vtstq_u64(vdupq_n_u64(bits), Bits::Lanes{1, 2})}; }
  static bool any(Mask a) { return vmaxvq_u32(vreinterpretq_u32_u64(a.data)) != 0; }

  // The instruction uses the low byte of a count as a signed number.
  static Bits shift_left(Bits a, Bits count) {
    return Bits(vshlq_u64(a.data, vreinterpretq_s64_u64(count.data)) & (count < kAllOut).data);
  }
  static Bits shift_right(Bits a, Bits count) {
    return Bits(vshlq_u64(a.data, vnegq_s64(vreinterpretq_s64_u64(count.data))) & (count < kAllOut).data);
  }
  static Bits leading_zeros(Bits a) {
    const Bits of_halves(vreinterpretq_u64_u32(vclzq_u32(vreinterpretq_u32_u64(a.data))));
    const Bits upper = of_halves >> 32;
    return upper + select(upper == std::uint64_t{32}, of_halves & std::uint64_t{63}, Bits{});
  }
  static Bits multiply_lower_halves(Bits a, Bits b) { return Bits(vmull_u32(vmovn_u64(a.data), vmovn_u64(b.data))); }

  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) {
    return Doubles(vfmaq_f64(vnegq_f64(c.data), a.data, b.data));
  }
  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return Doubles(vfmaq_f64(c.data, a.data, b.data)); }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) {
    return Doubles(vfmsq_f64(c.data, a.data, b.data));
  }

 private:
  static constexpr std::uint64_t kAllOut = 64;
};

}  // namespace
}  // namespace gdr::emulator::simd
