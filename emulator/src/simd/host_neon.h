// Two lanes in the NEON of 64-bit ARM.
#pragma once

#include <arm_neon.h>

#include "xsimd_host.h"

namespace gdr::emulator::simd {
namespace {
struct Arch : xsimd::neon64 {};
}  // namespace
}  // namespace gdr::emulator::simd

GDR_REGISTERS_OF(neon64)

// xsimd's own takes no architecture but neon64 itself.
template <>
inline xsimd::batch<std::uint64_t, gdr::emulator::simd::Arch>::batch(std::uint64_t value) noexcept
    : batch(vdupq_n_u64(value)) {}

namespace gdr::emulator::simd {
namespace {

struct Host : XsimdHost<Arch> {
  static constexpr bool kFusedDoubles = true;
  static constexpr bool kManyRegisters = true;

  using XsimdHost::store;
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    store(at, xsimd::select(Host::lanes(lanes), v, load(at)));
  }

  static Mask lanes(std::uint32_t bits) {
    const Bits bit{1, 2};
    return (std::uint64_t{bits} & bit) == bit;
  }
  static std::uint32_t lane_bits(Mask a) {
    return static_cast<std::uint32_t>((vgetq_lane_u64(a, 0) & 1) | (vgetq_lane_u64(a, 1) & 2));
  }

  // The instruction takes a count's low byte as a signed number.
  static Bits shift_left(Bits a, Bits count) {
    return vandq_u64(vshlq_u64(a, vreinterpretq_s64_u64(count)), count < kAllOut);
  }
  static Bits shift_right(Bits a, Bits count) {
    return vandq_u64(vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(count))), count < kAllOut);
  }
  static Bits leading_zeros(Bits a) {
    const Bits of_halves = vreinterpretq_u64_u32(vclzq_u32(vreinterpretq_u32_u64(a)));
    const Bits upper = of_halves >> 32;
    return upper + xsimd::select(upper == std::uint64_t{32}, of_halves & std::uint64_t{63}, Bits{});
  }
  static Bits multiply_lower_halves(Bits a, Bits b) { return vmull_u32(vmovn_u64(a), vmovn_u64(b)); }

 private:
  static constexpr std::uint64_t kAllOut = 64;
};

}  // namespace
}  // namespace gdr::emulator::simd
