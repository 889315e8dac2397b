// The host's floating-point mode while compiled code runs, and the exceptions that the code raises.
#pragma once

#include <cstdint>

#include "loop/code_target.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gdr::emulator::jit {

/// Sets the host's mode while a body runs and restores the previous one: rounding to nearest, no traps, subnormal
/// operands and results taken as zero. Tells which exceptions were raised meanwhile.
class ExactnessWatch {
 public:
#if defined(__x86_64__)
  explicit ExactnessWatch(const CodeTarget& target)
      : before_(_mm_getcsr()),
        said_(target.host_doubles        ? kInvalid
              : target.directed_rounding ? kSaid
                                         : kSaid & ~kInexact) {
    _mm_setcsr(kMode);
  }
  ~ExactnessWatch() { _mm_setcsr(before_); }
  [[nodiscard]] bool all_exact() const { return (_mm_getcsr() & said_) == 0; }

 private:
  // MXCSR [Intel 64 and IA-32 Architectures Software Developer's Manual 1, section 10.2.3]: exception masks, flush to
  // zero, denormals are zeros; all flags but that of denormal operands.
  static constexpr unsigned kMode = 0x1f80 | 0x8000 | 0x0040;
  static constexpr unsigned kSaid = 0x3d;
  static constexpr unsigned kInexact = 0x20;
  static constexpr unsigned kInvalid = 0x01;  // for host doubles: the bits of a NaN depend on the order of operands
  unsigned before_;
  unsigned said_;  // the flags that matter

 public:
#elif defined(__aarch64__)
  explicit ExactnessWatch(const CodeTarget& target) : matters_(target.host_doubles ? kInvalid : kSaid) {
    asm volatile("mrs %0, fpcr" : "=r"(mode_before_));
    said_before_ = said();
    set(kFlush, 0);
  }
  ~ExactnessWatch() { set(mode_before_, said_before_); }
  [[nodiscard]] bool all_exact() const { return (said() & matters_) == 0; }

 private:
  // FPCR and FPSR [Arm Architecture Reference Manual for A-profile architecture]: only FZ is set; the flags are IOC,
  // DZC, OFC and UFC. A result flushed to zero sets UFC, an operand taken as zero sets IDC. IXC is no use: on these
  // targets every inexact operation sets it.
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
  static constexpr std::uint64_t kSaid = 0x0f;
  static constexpr std::uint64_t kInvalid = 0x01;  // as above
  static std::uint64_t said() {
    std::uint64_t flags = 0;
    asm volatile("mrs %0, fpsr" : "=r"(flags) : : "memory");
    return flags;
  }
  static void set(std::uint64_t mode, std::uint64_t flags) {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(mode), "r"(flags) : "memory");
  }
  std::uint64_t mode_before_ = 0;
  std::uint64_t said_before_ = 0;
  std::uint64_t matters_;

 public:
#else
  explicit ExactnessWatch(const CodeTarget& /*target*/) {}
  [[nodiscard]] static bool all_exact() { return false; }
#endif
  ExactnessWatch(const ExactnessWatch&) = delete;
  ExactnessWatch& operator=(const ExactnessWatch&) = delete;
};

}  // namespace gdr::emulator::jit
