// Settings from the environment, for libraries that are loaded into other people's programs.
#pragma once

#include <cstdlib>
#include <string>

namespace gdr::base {

/// Value of an environment variable; empty if it is unset, or if the program runs with privileges that its user lacks.
inline std::string environment(const char* name) {
#ifdef __EMSCRIPTEN__  // a module in a browser has no rights but its user's
  const char* value = std::getenv(name);
#else
  const char* value = secure_getenv(name);
#endif
  return value == nullptr ? "" : value;
}

}  // namespace gdr::base
