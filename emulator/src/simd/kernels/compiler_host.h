// Two lanes in the compiler's own vectors: batches with the part of xsimd's interface that the kernels use, and further
// functions that the kernels need, in a form that works on every host.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>

static_assert(FLT_EVAL_METHOD == 0, "each operation on doubles is rounded to double");

namespace gdr::emulator::simd {
namespace {
namespace vectors {

inline constexpr unsigned kLanes = 2;

template <class T>
struct Vector {
  typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));  // an alias cannot have the attribute
};

/// A condition in each lane: all bits or none.
struct Mask {
  using Lanes = Vector<std::uint64_t>::Type;
  Lanes data;

  Mask operator&(Mask other) const { return {data & other.data}; }
  Mask operator|(Mask other) const { return {data | other.data}; }
  Mask operator~() const { return {~data}; }
};

template <class T>
struct Batch {
  using Lanes = typename Vector<T>::Type;
  Lanes data;

  Batch() = default;
  Batch(T value) : data{value, value} {}
  explicit Batch(Lanes lanes) : data(lanes) {}

  friend Batch operator+(Batch a, Batch b) { return Batch(a.data + b.data); }
  friend Batch operator-(Batch a, Batch b) { return Batch(a.data - b.data); }
  friend Batch operator*(Batch a, Batch b) { return Batch(a.data * b.data); }
  friend Batch operator&(Batch a, Batch b) { return Batch(a.data & b.data); }
  friend Batch operator|(Batch a, Batch b) { return Batch(a.data | b.data); }
  friend Batch operator^(Batch a, Batch b) { return Batch(a.data ^ b.data); }
  friend Batch operator<<(Batch a, int count) { return Batch(a.data << count); }
  friend Batch operator>>(Batch a, int count) { return Batch(a.data >> count); }
  Batch operator~() const { return Batch(~data); }
  Batch& operator+=(Batch b) { return *this = *this + b; }
  Batch& operator-=(Batch b) { return *this = *this - b; }
  Batch& operator&=(Batch b) { return *this = *this & b; }
  Batch& operator^=(Batch b) { return *this = *this ^ b; }
  Batch& operator>>=(int count) { return *this = *this >> count; }

  Mask operator==(Batch b) const { return {reinterpret_cast<Mask::Lanes>(data == b.data)}; }
  Mask operator!=(Batch b) const { return {reinterpret_cast<Mask::Lanes>(data != b.data)}; }
  Mask operator<(Batch b) const { return {reinterpret_cast<Mask::Lanes>(data < b.data)}; }
};

template <class T>
Batch<T> select(Mask mask, Batch<T> if_set, Batch<T> if_clear) {
  using Lanes = typename Batch<T>::Lanes;
  const Mask::Lanes set = reinterpret_cast<Mask::Lanes>(if_set.data);
  const Mask::Lanes clear = reinterpret_cast<Mask::Lanes>(if_clear.data);
  return Batch<T>(reinterpret_cast<Lanes>((mask.data & set) | (~mask.data & clear)));
}

}  // namespace vectors

struct CompilerHost {
  using Bits = vectors::Batch<std::uint64_t>;
  using Doubles = vectors::Batch<double>;
  using Mask = vectors::Mask;

  static constexpr unsigned kLanes = vectors::kLanes;
#ifdef __FP_FAST_FMA
  static constexpr bool kFusedDoubles = true;
#else
  static constexpr bool kFusedDoubles = false;
#endif
  static constexpr bool kManyRegisters = false;
  static constexpr bool kDirectedRounding = false;
  static constexpr bool kClassifies = false;
  static constexpr bool kFlushesSubnormals = false;

  static Bits load(const std::uint64_t* at) {
    Bits v{};
    std::memcpy(&v.data, at, sizeof v.data);
    return v;
  }
  static void store(std::uint64_t* at, Bits v) { std::memcpy(at, &v.data, sizeof v.data); }
  static void store(std::uint64_t* at, Bits v, std::uint32_t lanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((lanes >> lane) & 1) != 0) at[lane] = v.data[lane];
    }
  }
  static Bits bits(Doubles a) { return Bits(reinterpret_cast<Bits::Lanes>(a.data)); }
  static Doubles doubles(Bits a) { return Doubles(reinterpret_cast<Doubles::Lanes>(a.data)); }

  static Mask lanes(std::uint32_t bits) {
    const Bits bit(Bits::Lanes{1, 2});
    return (std::uint64_t{bits} & bit) == bit;
  }
  static std::uint32_t lane_bits(Mask a) { return static_cast<std::uint32_t>((a.data[0] & 1) | (a.data[1] & 2)); }
  static bool any(Mask a) { return (a.data[0] | a.data[1]) != 0; }
  static Mask differ(Doubles a, Doubles b) { return a != b; }
  static Mask less_signed(Bits a, Bits b) {
    using Signed = vectors::Vector<std::int64_t>::Type;
    return {reinterpret_cast<Mask::Lanes>(reinterpret_cast<Signed>(a.data) < reinterpret_cast<Signed>(b.data))};
  }
  static Mask sign(Bits a) { return less_signed(a, Bits{}); }

  static Bits shift_left(Bits a, Bits count) {
    return Bits((a.data << (count.data & 63)) & (count < std::uint64_t{64}).data);
  }
  static Bits shift_right(Bits a, Bits count) {
    return Bits((a.data >> (count.data & 63)) & (count < std::uint64_t{64}).data);
  }
  static Bits leading_zeros(Bits a) {
    Bits zeros{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      zeros.data[lane] = static_cast<std::uint64_t>(std::countl_zero(a.data[lane]));
    }
    return zeros;
  }
  static Bits multiply_lower_halves(Bits a, Bits b) {
    const Bits half = std::uint64_t{0xffffffff};
    return (a & half) * (b & half);
  }
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) {
    Doubles result{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      result.data[lane] = __builtin_fma(a.data[lane], b.data[lane], -c.data[lane]);
    }
    return result;
  }
  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return a * b + c; }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) { return c - a * b; }
};

}  // namespace
}  // namespace gdr::emulator::simd
