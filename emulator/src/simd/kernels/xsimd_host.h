// Host vectors of xsimd, and further functions that the kernels need, in a form that works for every instruction set.
// The header of an instruction set derives Arch from xsimd's architecture and Host from XsimdHost<Arch>, and replaces
// members of Host by better ones.
//
// Arch is local to the translation unit, and so are all instances of xsimd's templates for it: the linker cannot
// replace a function compiled for one instruction set by the function of the same name compiled for another.
#pragma once

#include <cstdint>
#include <xsimd/xsimd.hpp>

/// Gives gdr::emulator::simd::Arch the registers of the xsimd architecture that it derives from.
#define GDR_REGISTERS_OF(architecture)                                                                      \
  namespace xsimd::types {                                                                                  \
  XSIMD_DECLARE_SIMD_REGISTER_ALIAS(gdr::emulator::simd::Arch, architecture);                               \
  template <class T>                                                                                        \
  struct get_bool_simd_register<T, gdr::emulator::simd::Arch> : get_bool_simd_register<T, architecture> {}; \
  }

namespace gdr::emulator::simd {
namespace {

template <class Arch>
struct XsimdHost {
  using Bits = xsimd::batch<std::uint64_t, Arch>;
  using Doubles = xsimd::batch<double, Arch>;
  using Mask = typename Bits::batch_bool_type;

  static constexpr unsigned kLanes = Bits::size;
  static constexpr bool kManyRegisters = false;     // more than 16 vector registers
  static constexpr bool kDirectedRounding = false;  // rounding mode in each instruction
  static constexpr bool kClassifies = false;        // has instructions that classify numbers and test bits
  static constexpr bool kFlushesSubnormals = true;  // HostArithmetic can make operands below 2^-1022 zero

  static Bits load(const std::uint64_t* at) { return Bits::load_unaligned(at); }
  static void store(std::uint64_t* at, Bits v) { v.store_unaligned(at); }
  static Bits bits(Doubles a) { return xsimd::bitwise_cast<Bits>(a); }
  static Doubles doubles(Bits a) { return xsimd::bitwise_cast<Doubles>(a); }

  static bool any(Mask a) { return xsimd::any(a); }
  static Mask differ(Doubles a, Doubles b) { return Mask(xsimd::bool_cast(a != b).data); }
  static Mask less_signed(Bits a, Bits b) {
    return Mask((xsimd::bitwise_cast<Signed>(a) < xsimd::bitwise_cast<Signed>(b)).data);
  }
  static Mask sign(Bits a) { return less_signed(a, Bits{}); }

  /// 64 for 0.
  static Bits leading_zeros(Bits a) {
    Bits count{};
    for (int step = 32; step > 0; step /= 2) {
      const Mask small = (a >> (64 - step)) == Bits{};
      count += xsimd::select(small, Bits(static_cast<std::uint64_t>(step)), Bits{});
      a = xsimd::select(small, a << step, a);
    }
    return count + xsimd::select(a == Bits{}, Bits(std::uint64_t{1}), Bits{});
  }

  /// a b - c, rounded once.
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return xsimd::fms(a, b, c); }

  // For exact products: whether fused or not, the sum is rounded once.
  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return xsimd::fma(a, b, c); }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) { return xsimd::fnma(a, b, c); }

 private:
  using Signed = xsimd::batch<std::int64_t, Arch>;
};

}  // namespace
}  // namespace gdr::emulator::simd
