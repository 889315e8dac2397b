// Names of compiled loop bodies for Linux perf.
#pragma once

#include <string>

#include "code_cache.h"

namespace gdr::emulator::jit {

/// Returns true if the environment variable is `on`, false if it is `off` or not set. Throws gdr::Error for any other
/// value.
[[nodiscard]] bool is_on(const char* variable);
inline constexpr const char* kPerfMapVariable = "GDR_PERF_MAP";

/// Adds the functions to /tmp/perf-PID.map, the file in which perf looks up the names of code that this process has
/// made. A name is `body`, a colon and what the function computes. Without access to the file nothing happens.
void add_to_perf_map(const LoadedCode& code, const std::string& body);

}  // namespace gdr::emulator::jit
