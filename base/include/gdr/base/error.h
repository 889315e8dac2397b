// The exception that components throw to a caller of the C++ API, and the check of gdr's own invariants.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace gdr {

/// Base of every exception that gdr throws to its caller. The text names argument, value and allowed range.
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

/// Aborts the process if an invariant of gdr itself is broken; never used for mistakes of a caller.
#define GDR_ASSERT(condition, invariant) \
  ((condition) ? static_cast<void>(0) : ::gdr::detail::assertion_failed(invariant, __FILE__, __LINE__))
