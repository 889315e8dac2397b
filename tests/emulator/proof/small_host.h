// A host of small doubles for the forms in emulator/src/simd/kernels/: what host_NAME.h are for real instruction sets.
// The macro GDR_PROOF_HOST says which of them it imitates.
#pragma once

#include <bit>
#include <cstdint>

#include "small_numbers.h"

namespace gdr::emulator::simd {

struct Mask {
  Words data{};
  Mask operator&(Mask b) const { return {data & b.data}; }
  Mask operator|(Mask b) const { return {data | b.data}; }
  Mask operator~() const { return {~data}; }
};

/// Words of widths::kHigh bits, with arithmetic modulo 2^kHigh.
struct SmallBits {
  Words data{};

  SmallBits() = default;
  SmallBits(std::uint64_t value) : data(all(value & small::kWord)) {}
  explicit SmallBits(Words value) : data(value & small::kWord) {}

  friend SmallBits operator+(SmallBits a, SmallBits b) { return SmallBits(a.data + b.data); }
  friend SmallBits operator-(SmallBits a, SmallBits b) { return SmallBits(a.data - b.data); }
  friend SmallBits operator&(SmallBits a, SmallBits b) { return SmallBits(a.data & b.data); }
  friend SmallBits operator|(SmallBits a, SmallBits b) { return SmallBits(a.data | b.data); }
  friend SmallBits operator^(SmallBits a, SmallBits b) { return SmallBits(a.data ^ b.data); }
  friend SmallBits operator<<(SmallBits a, int count) { return SmallBits(a.data << count); }
  friend SmallBits operator>>(SmallBits a, int count) { return SmallBits(a.data >> count); }
  SmallBits operator~() const { return SmallBits(~data); }
  SmallBits& operator+=(SmallBits b) { return *this = *this + b; }
  SmallBits& operator-=(SmallBits b) { return *this = *this - b; }
  SmallBits& operator^=(SmallBits b) { return *this = *this ^ b; }
  SmallBits& operator>>=(int count) { return *this = *this >> count; }

  Mask operator==(SmallBits b) const { return {words(SignedWords(data == b.data))}; }
  Mask operator!=(SmallBits b) const { return {words(SignedWords(data != b.data))}; }
  Mask operator<(SmallBits b) const { return {words(SignedWords(data < b.data))}; }
};

struct SmallDoubles {
  Numbers data{};

  SmallDoubles() = default;
  SmallDoubles(double value) : data(all(value)) {}
  explicit SmallDoubles(Numbers value) : data(value) {}

  friend SmallDoubles operator+(SmallDoubles a, SmallDoubles b) {
    return SmallDoubles(small::add<To::nearest>(a.data, b.data));
  }
  friend SmallDoubles operator-(SmallDoubles a, SmallDoubles b) {
    return SmallDoubles(small::add<To::nearest>(a.data, -b.data));
  }
  friend SmallDoubles operator*(SmallDoubles a, SmallDoubles b) {
    return SmallDoubles(small::multiply<To::nearest>(a.data, b.data));
  }
  SmallDoubles& operator+=(SmallDoubles b) { return *this = *this + b; }
};

inline SmallBits select(Mask mask, SmallBits a, SmallBits b) { return SmallBits(choose(mask.data, a.data, b.data)); }
inline SmallDoubles select(Mask mask, SmallDoubles a, SmallDoubles b) {
  return SmallDoubles(choose(mask.data, a.data, b.data));
}

struct Host {
  using Bits = SmallBits;
  using Doubles = SmallDoubles;
  using Mask = simd::Mask;

  static constexpr bool kFusedDoubles = kHostKind.fused;
  static constexpr bool kDirectedRounding = kHostKind.directed;
  static constexpr bool kClassifies = kHostKind.directed;
  static constexpr bool kFlushesSubnormals = kHostKind.flushes;

  static Bits bits(Doubles a) { return Bits(small::bits_of(a.data)); }
  static Doubles doubles(Bits a) { return Doubles(small::number_of(a.data)); }

  static bool any(Mask a) { return any_of(a.data); }
  static Mask differ(Doubles a, Doubles b) {
    return {words(SignedWords(small::operand(a.data) != small::operand(b.data)))};
  }
  static Mask less_signed(Bits a, Bits b) {
    constexpr int kUnused = 64 - widths::kHigh;
    return {words(SignedWords(signed_words(a.data << kUnused) < signed_words(b.data << kUnused)))};
  }
  static Mask sign(Bits a) { return less_signed(a, Bits{}); }
  // Counts of the real hosts' 64 and more shift everything out, and so do all counts from kHigh on here.
  static Bits shift_left(Bits a, Bits count) {
    return Bits((a.data << (count.data & 63)) & words(SignedWords(count.data < 64)));
  }
  static Bits shift_right(Bits a, Bits count) {
    return Bits((a.data >> (count.data & 63)) & words(SignedWords(count.data < 64)));
  }
  static Bits leading_zeros(Bits a) {
    Bits zeros{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      zeros.data[lane] = static_cast<std::uint64_t>(std::countl_zero(a.data[lane]) - (64 - widths::kHigh));
    }
    return zeros;
  }
  static Bits multiply_lower_halves(Bits a, Bits b) { return Bits(a.data * b.data); }

  static Doubles multiply_add(Doubles a, Doubles b, Doubles c) {
    if constexpr (!kHostKind.fused) return a * b + c;
    return fused(a.data, b.data, c.data);
  }
  static Doubles subtract_product(Doubles c, Doubles a, Doubles b) {
    if constexpr (!kHostKind.fused) return c - a * b;
    return fused(-a.data, b.data, c.data);
  }
  static Doubles fused_multiply_subtract(Doubles a, Doubles b, Doubles c) { return fused(a.data, b.data, -c.data); }

  static Bits increment(Bits a, Bits n, std::uint64_t bit) {
    return a + select(n != (n & ~Bits(bit)), Bits(1), Bits{});
  }
  static Mask no_bit_of(Bits a, std::uint64_t mask) { return (a & Bits(mask)) == Bits{}; }
  static Mask not_normal(Doubles a) {
    const Numbers size = small::size(a.data);
    return {~(words(SignedWords(size >= small::kSmallest)) & words(SignedWords(size <= small::kLargest)))};
  }
  static Mask equal_or_unordered(Doubles a, Doubles b) {
    const Numbers x = small::operand(a.data);
    const Numbers y = small::operand(b.data);
    return {~(small::less(x, y) | small::less(y, x))};
  }
  static Doubles larger_in_magnitude(Doubles a, Doubles b) {
    return Doubles(choose(small::less(small::size(a.data), small::size(b.data)), b.data, a.data));
  }
  static Doubles smaller_in_magnitude(Doubles a, Doubles b) {
    return Doubles(choose(small::less(small::size(a.data), small::size(b.data)), a.data, b.data));
  }
  static Doubles add_toward_zero(Doubles a, Doubles b) { return Doubles(small::add<To::zero>(a.data, b.data)); }
  static Doubles add_downward(Doubles a, Doubles b) { return Doubles(small::add<To::down>(a.data, b.data)); }
  static Doubles add_upward(Doubles a, Doubles b) { return Doubles(small::add<To::up>(a.data, b.data)); }
  static Doubles multiply_toward_zero(Doubles a, Doubles b) {
    return Doubles(small::multiply<To::zero>(a.data, b.data));
  }

 private:
  static Doubles fused(Numbers a, Numbers b, Numbers c) { return Doubles(small::multiply_add<To::nearest>(a, b, c)); }
};

}  // namespace gdr::emulator::simd
