// Names of compiled loop bodies for Linux perf.
#pragma once

#include <string>

#include "code_cache.h"

namespace gdr::emulator::jit {

/// The environment variable GDR_PERF_MAP: on, or off, which it is where it is not set. Throws gdr::Error for any other
/// value.
[[nodiscard]] bool perf_map_wanted();

/// Adds the functions to the file in which perf looks for the names of code that this process has made,
/// /tmp/perf-PID.map, as `body`, a colon and what each of them computes. Without access to the file nothing happens.
void add_to_perf_map(const LoadedCode& code, const std::string& body);

}  // namespace gdr::emulator::jit
