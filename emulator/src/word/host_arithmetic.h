// The host's floating-point mode while it computes for the machine.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace gdr::emulator {

enum class Subnormals { kept, zero };

/// Sets rounding to nearest even without traps, and restores the caller's mode at the end. For the chip's kernels
/// subnormal operands count as zero, because words with exponent 0 are zero on the chip.
class HostArithmetic {
 public:
#if defined(__x86_64__)
  explicit HostArithmetic(Subnormals subnormals) : before_(_mm_getcsr()) {
    _mm_setcsr(subnormals == Subnormals::zero ? kMasked | kDenormalsAreZero : kMasked);
  }
  ~HostArithmetic() { _mm_setcsr(before_); }

 private:
  // MXCSR [Intel 64 and IA-32 Architectures Software Developer's Manual 1, section 10.2.3].
  static constexpr unsigned kMasked = 0x1f80;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned before_;
#elif defined(__aarch64__)
  explicit HostArithmetic(Subnormals subnormals) {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    set(subnormals == Subnormals::zero ? kFlush : 0);
  }
  ~HostArithmetic() { set(before_); }

 private:
  // FPCR [Arm Architecture Reference Manual for A-profile architecture, FPCR]: only FZ is set, or nothing.
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
  static void set(std::uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }
  std::uint64_t before_ = 0;
#else
  // On other hosts subnormal operands are not made zero; the portable kernels do not rely on it.
  explicit HostArithmetic(Subnormals) : before_(std::fegetround()) { std::fesetround(FE_TONEAREST); }
  ~HostArithmetic() { std::fesetround(before_); }

 private:
  int before_;
#endif

 public:
  HostArithmetic(const HostArithmetic&) = delete;
  HostArithmetic& operator=(const HostArithmetic&) = delete;
};

}  // namespace gdr::emulator
