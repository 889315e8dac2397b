// Names of compiled loop bodies for Linux perf.
#pragma once

#include <string>

#include "code_cache.h"

namespace gdr::emulator::jit {

/// An environment variable that is on, or off, which it is where it is not set. Throws gdr::Error for any other value.
[[nodiscard]] bool is_on(const char* variable);
inline constexpr const char* kPerfMapVariable = "GDR_PERF_MAP";

/// Adds the functions to the file in which perf looks for the names of code that this process has made,
/// /tmp/perf-PID.map, as `body`, a colon and what each of them computes. Without access to the file nothing happens.
void add_to_perf_map(const LoadedCode& code, const std::string& body);

}  // namespace gdr::emulator::jit
