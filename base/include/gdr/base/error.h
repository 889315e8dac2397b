// What the components throw at a caller of the C++ API, and the check of our own invariants.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace gdr {

/// Base of every exception that gdr throws at its caller. The text names argument, value and allowed range.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
[[noreturn]] inline void assertion_failed(const char* invariant, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: gdr broke its own invariant: %s\n", file, line, invariant);
  std::abort();
}
}  // namespace detail

}  // namespace gdr

/// Stops at once when an invariant of ours is broken; never used for a caller's mistakes.
#define GDR_ASSERT(condition, invariant) \
  ((condition) ? static_cast<void>(0) : ::gdr::detail::assertion_failed(invariant, __FILE__, __LINE__))
