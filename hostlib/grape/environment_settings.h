// Settings of libg6 and libg5 in the environment.
#pragma once

#include <exception>
#include <string>

#include "gdr/base/error.h"
#include "reporting.h"

namespace gdr::grape {

/// A whole number from 1 to `most`; `otherwise` if the variable is unset. Throws gdr::Error naming variable, value and
/// range.
[[nodiscard]] int number_from_environment(const char* name, int most, int otherwise);

/// True if the variable is `second`, false if it is `first` or unset. Throws gdr::Error naming variable, value and what
/// it may be.
[[nodiscard]] bool is_second(const char* name, const char* first, const char* second);

/// A library's settings. What is refused is said when they are read, and by each function that needs them.
template <class Settings>
struct FromEnvironment {
  FromEnvironment(Settings (*read)(), Reporting& reporting) {
    try {
      values = read();
    } catch (const std::exception& error) {
      refused = error.what();
      reporting.fail("environment", refused);
    }
  }
  /// Throws gdr::Error with what was refused, if anything was.
  void require() const {
    if (!refused.empty()) throw Error(refused);
  }

  Settings values;  // as they are by default where anything was refused
  std::string refused;
};

}  // namespace gdr::grape
