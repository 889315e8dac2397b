// The host's floating-point mode while it computes for the machine.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace gdr::emulator {

enum class Subnormals { kept, zero };

/// Round to nearest even and no traps, whatever mode the caller is in; the caller's mode comes back in the end. To the
/// chip's kernels subnormal operands are zeros, as words with exponent 0 are to the chip.
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
#else
  // Elsewhere kernels compute in integers: only the host's own sums depend on the mode.
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
