// Settings of libg6 and libg5 in the environment.
#pragma once

namespace gdr::grape {

/// A whole number from 1 to `most`; `otherwise` if the variable is unset. Throws gdr::Error naming variable, value and
/// range.
[[nodiscard]] int number_from_environment(const char* name, int most, int otherwise);

/// True if the variable is `second`, false if it is `first` or unset. Throws gdr::Error naming variable, value and what
/// it may be.
[[nodiscard]] bool is_second(const char* name, const char* first, const char* second);

}  // namespace gdr::grape
