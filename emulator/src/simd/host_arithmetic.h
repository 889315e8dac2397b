// The host's floating-point mode while kernels run.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gdr::emulator::simd {

/// Round to nearest even, no traps, subnormal operands as zeros (words with exponent 0 are zeros to the chip), whatever
/// mode the caller is in; the caller's mode comes back in the end.
class HostArithmetic {
 public:
#if defined(__x86_64__)
  HostArithmetic() : before_(_mm_getcsr()) { _mm_setcsr(kMasked | kDenormalsAreZero); }
  ~HostArithmetic() { _mm_setcsr(before_); }
  HostArithmetic(const HostArithmetic&) = delete;
  HostArithmetic& operator=(const HostArithmetic&) = delete;

 private:
  // MXCSR [Intel 64 and IA-32 Architectures Software Developer's Manual 1, section 10.2.3].
  static constexpr unsigned kMasked = 0x1f80;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned before_;
#endif
};

}  // namespace gdr::emulator::simd
