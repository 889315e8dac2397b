// Two lanes in what the compiler makes of its generic vectors, integers alone.
#pragma once

#include <cstdint>
#include <cstring>

namespace gdr::emulator::simd {
namespace {

struct Host {
  static constexpr unsigned kLanes = 2;
  static constexpr bool kFusedDoubles = false;
  static constexpr bool kRoundsTowardZero = false;

  using Bits = std::uint64_t __attribute__((vector_size(16)));
  using Mask = Bits;  // lanes of ones or zeros

  static Bits load(const std::uint64_t* at) {
    Bits v;
    std::memcpy(&v, at, sizeof v);
    return v;
  }
  static void store(std::uint64_t* at, Bits v) { std::memcpy(at, &v, sizeof v); }
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((lanes >> lane) & 1) != 0) at[lane] = v[lane];
    }
  }
  static Bits all(std::uint64_t value) { return Bits{value, value}; }

  static Mask equal(Bits a, Bits b) { return reinterpret_cast<Mask>(a == b); }
  static Mask less(Bits a, Bits b) { return reinterpret_cast<Mask>(a < b); }
  static Mask less_signed(Bits a, Bits b) {
    const Bits sign_bit = all(std::uint64_t{1} << 63);
    return less(a ^ sign_bit, b ^ sign_bit);
  }
  static Mask sign(Bits a) { return Bits{} - (a >> 63); }
  static Mask both(Mask a, Mask b) { return a & b; }
  static Mask either(Mask a, Mask b) { return a | b; }
  static Mask except(Mask a, Mask b) { return a & ~b; }
  static bool any(Mask a) { return (a[0] | a[1]) != 0; }
  static std::uint32_t bits(Mask a) { return static_cast<std::uint32_t>((a[0] & 1) | (a[1] & 2)); }
  static constexpr Mask kAll{~std::uint64_t{0}, ~std::uint64_t{0}};
  static Mask lanes(std::uint32_t bits) {
    return Bits{} - Bits{std::uint64_t{bits} & 1, (std::uint64_t{bits} >> 1) & 1};
  }
  static Bits select(Mask m, Bits if_set, Bits if_clear) { return (m & if_set) | (~m & if_clear); }

  static Bits shift_left(Bits a, Bits count) { return (a << (count & all(63))) & less(count, all(64)); }
  static Bits shift_right(Bits a, Bits count) { return (a >> (count & all(63))) & less(count, all(64)); }
  static Bits leading_zeros(Bits a) {
    return Bits{a[0] == 0 ? 64 : static_cast<std::uint64_t>(__builtin_clzll(a[0])),
                a[1] == 0 ? 64 : static_cast<std::uint64_t>(__builtin_clzll(a[1]))};
  }
  static Bits multiply_lower_halves(Bits a, Bits b) {
    const Bits half = all(0xffffffff);
    return (a & half) * (b & half);
  }

  using Doubles = double __attribute__((vector_size(16)));
  static Mask differ(Doubles a, Doubles b) { return reinterpret_cast<Mask>(a != b); }
  template <int count>
  static Bits shift_right_signed(Bits a) {
    using Signed = std::int64_t __attribute__((vector_size(16)));
    return reinterpret_cast<Bits>(reinterpret_cast<Signed>(a) >> count);
  }

  // What kFusedDoubles and kRoundsTowardZero would promise; never called.
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c);
  static Doubles add_toward_zero(Doubles a, Doubles b);
  static Doubles add_downward(Doubles a, Doubles b);
  static Doubles add_upward(Doubles a, Doubles b);
  static Doubles multiply_toward_zero(Doubles a, Doubles b);
};

}  // namespace
}  // namespace gdr::emulator::simd
